"""ns-3's own Python namespace, with manet-mutex in it, quickly.

The stock ``from ns import ns`` reads the headers of 42 modules, which takes 10 to 17 seconds.
This reads those of the modules that are asked for.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from ..project import ROOT, NotReady, build_folder
from .attributes import guard

MODULES = ("core", "network", "mobility", "propagation")
"""The modules of ns-3 that are always there. Of wifi there are the helpers, as most of its headers
say nothing to a scenario and take longer than all others; ``load("wifi")`` reads them."""

_WIFI = ("wifi-helper.h", "yans-wifi-helper.h", "wifi-net-device.h")

# What the package's libraries were built with. The size of classes depends on it.
_DEFINITIONS = ("NS3_LOG_ENABLE", "NS3_ASSERT_ENABLE", "HAVE_GSL")

_MUTEX_LIBRARIES = ("lib/libns3-manet-mutex.so", "lib/libmanet-mutex-python.so")
_MUTEX_HEADERS = ("ns3/manet-mutex-module.h", str(ROOT / "ns3-module/python/mutex-python.h"))

_loaded: set[str] = set()


def load(*modules: str) -> Any:
    """Loads ns-3 with manet-mutex and returns ns-3's namespace.

    ``modules`` are further modules of ns-3, such as ``"internet"`` or ``"olsr"``. May be called
    again, also with others.
    """
    cppyy = _cppyy()
    ns3 = _ns3()
    first = not _loaded
    wanted = [name for name in dict.fromkeys((*MODULES, *modules)) if name not in _loaded]
    libraries = [_library(ns3, name) for name in wanted]
    headers = [f"ns3/{name}-module.h" for name in wanted]
    if first:
        mutex = _mutex()
        _prepare(cppyy, ns3, mutex)
        libraries += [_library(ns3, "wifi"), *(mutex / name for name in _MUTEX_LIBRARIES)]
        headers += [*(f"ns3/{name}" for name in _WIFI), *_MUTEX_HEADERS]

    # Libraries first: headers have static objects whose constructors are in the libraries.
    for library in libraries:
        _load_library(cppyy, library)
    if headers:
        cppyy.cppdef("".join(f'#include "{header}"\n' for header in headers))
    _loaded.update(wanted)
    if first:
        _adapt(cppyy)
    return cppyy.gbl.ns3


def _cppyy() -> Any:
    try:
        import cppyy
    except ImportError as error:
        raise NotReady(_how("cppyy", error)) from error
    return cppyy


def _ns3() -> Path:
    """The folder of the ns-3 package."""
    spec = importlib.util.find_spec("ns3")
    if spec is None or not spec.submodule_search_locations:
        raise NotReady(_how("ns3", None))
    return Path(next(iter(spec.submodule_search_locations)))


def _how(package: str, error: ImportError | None) -> str:
    why = f" ({error})" if error else ""
    return (
        f"the Python package {package} is not installed here{why}: run scripts/setup python, "
        "then use .venv/bin/python"
    )


def _mutex() -> Path:
    """The folder that manet-mutex is built in."""
    build = build_folder()
    for file in (*_MUTEX_LIBRARIES, f"include/{_MUTEX_HEADERS[0]}"):
        if not (build / file).exists():
            raise NotReady(
                f"manet-mutex is not built: there is no {file} in {build}. Run scripts/setup, or "
                "name the folder it is built in with MANET_MUTEX_BUILD"
            )
    return build


def _library(ns3: Path, module: str) -> Path:
    for folder in ("lib64", "lib"):
        for library in sorted((ns3 / folder).glob(f"libns3*-{module}.so")):
            # libns3.44-mesh.so, but not libns3.44-some-mesh.so
            if library.stem.split("-", 1)[1] == module:
                return library
    raise NotReady(f"ns-3 has no module '{module}': see the names of the libraries in {ns3}")


def _prepare(cppyy: Any, ns3: Path, mutex: Path) -> None:
    import libcppyy

    libcppyy.AddSmartPtrType("Ptr")
    for folder in (ns3, mutex):
        cppyy.add_include_path(str(folder / "include"))
    cppyy.cppdef("".join(f"#define {name} 1\n" for name in _DEFINITIONS))
    # Headers that suit several versions of ns-3 cannot say override everywhere.
    cppyy.cppdef('#pragma clang diagnostic ignored "-Winconsistent-missing-override"')


def _load_library(cppyy: Any, library: Path) -> None:
    try:
        cppyy.load_library(str(library))
    except RuntimeError as error:
        raise NotReady(
            f"{library} cannot be loaded ({error}): run scripts/setup, which builds it anew"
        ) from error


def _adapt(cppyy: Any) -> None:
    """Makes some things work that cppyy cannot know."""
    ns3 = cppyy.gbl.ns3
    ns3.cppyy = cppyy
    for container in (ns3.NodeContainer, ns3.NetDeviceContainer, ns3.ApplicationContainer):
        container.__len__ = lambda self: self.GetN()
        container.__iter__ = lambda self: (self.Get(i) for i in range(self.GetN()))
    guard()
