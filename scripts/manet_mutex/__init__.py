"""manet-mutex in Python: ns-3's own bindings, made quick and safe.

>>> from manet_mutex import connect, load
>>> ns = load()
>>> applications = ns.MutexHelper("rl").Install(nodes)
>>> connect(applications, "Enter", lambda node, demand, waited: print(node, waited.GetSeconds()))
>>> ns.Simulator.Run()

- ``load`` gives ns-3's namespace.
- ``connect`` and ``schedule`` make trace sinks and events of Python functions.
- Attributes that do not exist or cannot have a value raise ``BadAttribute``.
- What the protocols refuse, and a failure of the core, is an ``ns.MutexError``.
"""

from .attributes import BadAttribute
from .ns import NotReady, load
from .traces import connect, schedule

__all__ = ["BadAttribute", "NotReady", "connect", "load", "schedule"]
