"""What the tests share. Run by scripts/test python, or .venv/bin/python -m pytest tests/python."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from manet_mutex import connect, load  # noqa: E402


@pytest.fixture(scope="session")
def ns():
    return load()


@pytest.fixture(autouse=True)
def clean(ns):
    """Leaves no simulation behind, whatever becomes of a test."""
    yield
    ns.Simulator.Destroy()


@pytest.fixture(scope="session")
def first_steps(ns):
    """The example as a module: its nodes, radios and protocol serve the tests."""
    spec = importlib.util.spec_from_file_location("first_steps", ROOT / "examples/first_steps.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def build(ns, first_steps):
    """Makes the example's nodes and returns their applications."""

    def make(nodes=10, seed=1):
        ns.RngSeedManager.SetRun(seed)
        container, stream = first_steps.make_nodes(nodes, stream=0)
        stream = first_steps.install_radios(container, stream)
        return first_steps.install_protocol(container, stream)

    return make


@pytest.fixture
def run(ns):
    """Simulates for some seconds."""

    def simulate(seconds):
        ns.Simulator.Stop(ns.Seconds(seconds))
        ns.Simulator.Run()

    return simulate


@pytest.fixture
def record(ns):
    """Records what happens at applications, as a list of (time, event, node)."""

    def start(applications):
        events = []

        def note(name):
            return lambda node, *_: events.append((ns.Simulator.Now().GetNanoSeconds(), name, node))

        for trace in ("Request", "Enter", "Release", "Demote", "TokenMoved", "LinkUp", "LinkDown"):
            connect(applications, trace, note(trace))
        return events

    return start
