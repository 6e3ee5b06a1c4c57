"""Python functions as ns-3's trace sinks and events."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from .attributes import in_a_child

_functions: dict[int, Callable[[], object]] = {}
"""What ns-3 may still call, by number. ns-3 tells which numbers it has forgotten."""
_numbers = itertools.count(1)
_checked: set[tuple[str, str]] = set()


def connect(target: Any, trace: str, function: Callable[..., object]) -> None:
    """Calls ``function`` whenever the trace source fires.

    ``target`` is an object of ns-3, or a container or list of them. The function gets the
    arguments of the trace source: numbers and strings as Python's own, enumerations and objects as
    ns-3's, which it may keep. (A packet gets headers on its way: keep ``packet.Copy()``.) The
    function is kept alive as long as what it is connected to. What it raises ends
    ``Simulator.Run`` and arrives there.
    """
    if not callable(function):
        raise TypeError(f"connect needs a function to call, not {function!r}")
    _shim()
    for item in _objects(target):
        _connect(item, trace, function)


def schedule(delay: float, function: Callable[[], object]) -> Any:
    """Calls ``function`` once, ``delay`` simulated seconds from now.

    Returns ns-3's ``EventId``, whose ``Cancel`` calls it off.
    """
    if not callable(function):
        raise TypeError(f"schedule needs a function to call, not {function!r}")
    if not delay >= 0:
        raise ValueError(f"an event cannot be {delay} seconds from now: 0 or more")
    number = _keep(function)
    return _shim().Schedule(_cppyy().gbl.ns3.Seconds(delay), number)


def _objects(target: Any) -> Iterable[Any]:
    """The objects themselves, without the smart pointers around them."""
    base = _cppyy().gbl.ns3.ObjectBase
    if isinstance(target, base):
        return [target]
    if hasattr(target, "__deref__"):
        return [target.__deref__()]
    try:
        items = iter(target)
    except TypeError:
        raise TypeError(f"{target!r} has no trace sources: it is no object of ns-3") from None
    return [item for entry in items for item in _objects(entry)]


def _connect(item: Any, trace: str, function: Callable[..., object]) -> None:
    type_id = item.GetInstanceTypeId()
    name = str(type_id.GetName())
    signature = str(_shim().SignatureOf(type_id, trace))
    if not signature:
        known = ", ".join(_trace_names(type_id))
        raise ValueError(f"{name} has no trace source '{trace}'; it has {known or 'none'}")
    readers = _readers(signature)
    if not name.startswith("ns3::Mutex") and (name, trace) not in _checked:
        # Some of ns-3's trace sources are not of the type that they say. ns-3 ends the process.
        ok, _ = in_a_child(lambda: _shim().Connect(signature, item, trace, 0))
        if not ok:
            raise ValueError(f"'{trace}' of {name} cannot be connected: it is not a {signature}")
        _checked.add((name, trace))

    argument = _shim().GetArgument

    def call() -> None:
        function(*[read(argument(i)) for i, read in enumerate(readers)])

    _shim().Connect(signature, item, trace, _keep(call))


def _trace_names(type_id: Any) -> list[str]:
    names = []
    while True:
        names += [str(type_id.GetTraceSource(i).name) for i in range(type_id.GetTraceSourceN())]
        if not type_id.HasParent():
            return names
        type_id = type_id.GetParent()


def _keep(function: Callable[[], object]) -> int:
    while forgotten := _shim().NextForgotten():
        _functions.pop(forgotten, None)
    number = next(_numbers)
    _functions[number] = function
    return number


def _call(number: int) -> None:
    _functions[number]()


@functools.cache
def _shim() -> Any:
    shim = getattr(_cppyy().gbl, "manet_mutex_python", None)
    if shim is None:
        raise RuntimeError("ns-3 is not loaded: call load() first")
    shim.SetPython(_call)
    return shim


def _cppyy() -> Any:
    import cppyy

    return cppyy


@functools.cache
def _readers(signature: str) -> list[Callable[[Any], Any]]:
    """What makes Python's values of the arguments of a signature, which C++ knows from then on."""
    if str(_shim().ArgumentsOf(signature)) == "unknown":
        try:
            # Not by a call from Python: cppyy takes types that it has not seen for int.
            learn = f'Learn("{signature}", static_cast<{signature}>(nullptr))'
            name = f"learnt{_readers.cache_info().misses}"
            _cppyy().cppdef(
                f"namespace manet_mutex_python {{ static const bool {name} = ({learn}, true); }}"
            )
        except SyntaxError:
            raise ValueError(
                f"the sinks are of the type {signature}, which is not known: load the module of "
                'ns-3 that it belongs to, as in load("wifi"); some names are wrong in ns-3 itself'
            ) from None
    return [_reader(line) for line in str(_shim().ArgumentsOf(signature)).splitlines()]


def _reader(description: str) -> Callable[[Any], Any]:
    cppyy = _cppyy()
    kind, _, name = description.partition(" ")
    if kind == "enum":
        members = _members(name)
        return lambda argument: members.get(argument.integer, argument.integer)
    if kind == "object":

        def own(argument: Any) -> Any:
            instance = cppyy.bind_object(argument.object, name)
            instance.__python_owns__ = True
            return instance

        return own
    return {
        "bool": lambda argument: bool(argument.natural),
        "natural": lambda argument: argument.natural,
        "integer": lambda argument: argument.integer,
        "real": lambda argument: argument.real,
        "text": lambda argument: str(argument.text),
    }[kind]


def _members(name: str) -> dict[int, Any]:
    """The members of an enumeration by their values."""
    enumeration = functools.reduce(getattr, name.split("::"), _cppyy().gbl)
    return {
        int(member): member
        for member in vars(enumeration).values()
        if isinstance(member, enumeration)
    }
