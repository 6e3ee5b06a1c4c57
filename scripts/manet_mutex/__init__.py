"""manet-mutex in Python.

ns-3's own bindings, made quick and safe (``manet_mutex.bindings``):

>>> from manet_mutex import connect, load
>>> ns = load()
>>> applications = ns.MutexHelper("rl").Install(nodes)
>>> connect(applications, "Enter", lambda node, demand, waited: print(node, waited.GetSeconds()))
>>> ns.Simulator.Run()

- ``load`` gives ns-3's namespace.
- ``connect`` and ``schedule`` make trace sinks and events of Python functions.
- Attributes that do not exist or cannot have a value raise ``BadAttribute``.
- What the protocols refuse, and a failure of the core, is an ``ns.MutexError``.

Experiments with the compiled scenario, which is faster and cannot take the interpreter with it:

- ``manet_mutex.runs`` runs it once,
- ``manet_mutex.campaign`` says what a campaign is, ``manet_mutex.sweep`` runs it on many cores or
  machines,
- ``manet_mutex.results`` keeps and loads results as data frames, ``manet_mutex.stats`` makes means
  with confidence intervals and paired comparisons of them,
- ``manet_mutex.plots`` draws them, ``manet_mutex.report`` makes pages that people can look at.
"""

from .bindings import BadAttribute, NotReady, connect, load, schedule

__all__ = ["BadAttribute", "NotReady", "connect", "load", "schedule"]
