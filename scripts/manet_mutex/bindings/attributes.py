"""ns-3's attributes, checked before ns-3 sees them.

ns-3 ends the process if a name or a value of an attribute is wrong, and Python with it. Here each
of the usual ways to set one raises ``BadAttribute`` instead.
"""

from __future__ import annotations

import ctypes
import difflib
import os
import re
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any

# The methods of helpers that take the name of a type, then names and values of its attributes.
_METHODS = {
    "MobilityHelper": ("SetMobilityModel", "SetPositionAllocator"),
    "WifiHelper": ("SetRemoteStationManager", "SetObssPdAlgorithm"),
    "WifiMacHelper": ("SetType",),
    "YansWifiChannelHelper": ("AddPropagationLoss", "SetPropagationDelay"),
}


class BadAttribute(ValueError):
    """An attribute does not exist or cannot have this value. The text says what it can be."""


def checked(type_name: str, name: str, value: Any) -> Any:
    """Returns the value as ns-3 wants it, if the type has such an attribute that accepts it.

    ``value`` is one of ns-3's values, or a string, number or bool, which stand for what ns-3 reads
    from them: ``"100ms"``, ``0.5``, ``"ns3::UniformRandomVariable[Min=1|Max=5]"``.
    """
    ns3, shim = _namespaces()
    type_id = _type(type_name)
    attribute = shim.FindAttribute(type_id, name)
    if not attribute.found:
        raise BadAttribute(
            f"{type_name} has no attribute '{name}'" + _hint(name, _attribute_names(type_id))
        )
    information = attribute.information
    if not information.flags & (ns3.TypeId.ATTR_SET | ns3.TypeId.ATTR_CONSTRUCT):
        raise BadAttribute(f"the attribute {name} of {type_name} can only be read")
    if isinstance(value, ns3.AttributeValue):
        ready = value
    elif isinstance(value, (str, int, float)):
        ready = ns3.StringValue(str(value).lower() if isinstance(value, bool) else str(value))
    else:
        raise BadAttribute(
            f"{name} of {type_name} cannot be {value!r}: give a string, a number, a bool, or one "
            "of ns-3's values such as ns.TimeValue(ns.Seconds(1))"
        )
    ok, why = _accepts(attribute, ready)
    if not ok:
        text = str(ready.Get()) if isinstance(ready, ns3.StringValue) else type(ready).__name__
        raise BadAttribute(
            f"{name} of {type_name} cannot be '{text}': it is {_describe(information)}"
            + (f"; ns-3 says: {why}" if why else "")
        )
    return ready


def in_a_child(question: Callable[[], bool]) -> tuple[bool, str]:
    """Asks in a child process, where ns-3 may end the process. Returns what it wrote as well.

    A child also leaves no traces: an object that is made to see whether it can be made takes a
    number from ns-3's random streams.
    """
    # What waits in buffers would be written by both.
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            # An end without ado: cppyy's handler would start a debugger.
            signal.signal(signal.SIGABRT, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.dup2(writer, 2)
            status = 0 if question() else 1
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, errors="replace") as output:
        text = output.read()
    _, status = os.waitpid(child, 0)
    said = re.search(r'msg="(.*?)"(?:, |\n|$)', text, re.DOTALL)
    return status == 0, said.group(1) if said else ""


def guard() -> None:
    """Puts the check before ns-3's own ways to set attributes."""
    ns3, _ = _namespaces()

    def type_of(instance: Any) -> str:
        return str(instance.GetInstanceTypeId().GetName())

    _guard_one(ns3.ObjectBase, "SetAttribute", type_of)
    _guard_one(ns3.MutexHelper, "SetAttribute", lambda _: "ns3::MutexApplication")
    for name, methods in _METHODS.items():
        for method in methods:
            _guard_many(getattr(ns3, name), method)

    set_default = ns3.Config.SetDefault

    def checked_default(name: str, value: Any) -> None:
        type_name, _, attribute = name.rpartition("::")
        set_default(name, checked(type_name, attribute, value))

    ns3.Config.SetDefault = checked_default


def _guard_one(owner: Any, method: str, type_of: Callable[[Any], str]) -> None:
    original = getattr(owner, method)

    def guarded(self: Any, name: str, value: Any) -> Any:
        return original(self, name, checked(type_of(self), name, value))

    setattr(owner, method, guarded)


def _guard_many(owner: Any, method: str) -> None:
    original = vars(owner)[method]

    def guarded(self: Any, first: Any, *rest: Any) -> Any:
        if isinstance(first, str):
            rest = _checked_pairs(first, rest)
        # These are templates, which cppyy finds by their name in the class only.
        setattr(owner, method, original)
        try:
            return getattr(self, method)(first, *rest)
        finally:
            setattr(owner, method, guarded)

    setattr(owner, method, guarded)


def _checked_pairs(type_name: str, pairs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Checks names and values in turn."""
    _type(type_name)
    if len(pairs) % 2:
        raise BadAttribute(f"the last attribute of {type_name}, '{pairs[-1]}', has no value")
    result: list[Any] = []
    for name, value in zip(pairs[::2], pairs[1::2]):
        result += [name, checked(type_name, name, value)]
    return tuple(result)


def _namespaces() -> tuple[Any, Any]:
    import cppyy

    return cppyy.gbl.ns3, cppyy.gbl.manet_mutex_python


def _type(name: str) -> Any:
    ns3, _ = _namespaces()
    type_id = ns3.TypeId()
    if not ns3.TypeId.LookupByNameFailSafe(name, type_id):
        types = [
            str(ns3.TypeId.GetRegistered(i).GetName()) for i in range(ns3.TypeId.GetRegisteredN())
        ]
        raise BadAttribute(f"ns-3 has no type '{name}'" + _hint(name, types, every=False))
    return type_id


def _accepts(attribute: Any, value: Any) -> tuple[bool, str]:
    ns3, shim = _namespaces()
    if isinstance(value, ns3.StringValue) and _kind(attribute.information) != "String":
        return in_a_child(lambda: shim.Accepts(attribute, value))
    return shim.Accepts(attribute, value), ""


def _kind(information: Any) -> str:
    name = str(information.checker.GetValueTypeName())
    return name.removeprefix("ns3::").removesuffix("Value")


def _describe(information: Any) -> str:
    """What an attribute can be, in ns-3's words: ``double 0:0.5``."""
    kind, checker = _kind(information), information.checker
    if not checker.HasUnderlyingTypeInformation():
        return kind
    values = str(checker.GetUnderlyingTypeInformation())
    values = re.sub(r"\+([0-9.e+]+)ns", lambda ns: f"{float(ns.group(1)) / 1e9:g}s", values)
    return values if kind.lower() in values.lower() else f"{kind} {values}"


def _attribute_names(type_id: Any) -> list[str]:
    names = []
    while True:
        names += [str(type_id.GetAttribute(i).name) for i in range(type_id.GetAttributeN())]
        if not type_id.HasParent():
            return names
        type_id = type_id.GetParent()


def _hint(name: str, known: list[str], every: bool = True) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; it has {', '.join(known)}" if every and known else ""
