"""ns-3's own Python bindings, made quick and safe."""

from ..project import NotReady
from .attributes import BadAttribute
from .loader import load
from .traces import connect, schedule

__all__ = ["BadAttribute", "NotReady", "connect", "load", "schedule"]
