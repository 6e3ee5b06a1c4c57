"""What the tests share.

Run by scripts/test python, or .venv/bin/python -m pytest tests/experiments. They need the built
scenario and nothing of ns-3's bindings.
"""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from manet_mutex import runs  # noqa: E402
from manet_mutex.report import write_run_report  # noqa: E402

RUNS = {
    "rl": {"protocol": "rl", "nodes": 12, "side": 110, "speed": 20, "duration": 10, "think": 2},
    "gme": {"protocol": "gme", "preset": "ideal", "duration": 20, "think": 1, "groups": 2},
    "hk": {"protocol": "hk", "preset": "ideal", "duration": 20, "think": 1},
}


def pytest_configure(config):
    # How matplotlib calls pyparsing is not ours to mend.
    for module in ("matplotlib", "pyparsing"):
        config.addinivalue_line("filterwarnings", f"ignore::DeprecationWarning:{module}.*")


@pytest.fixture(scope="session", params=RUNS)
def recorded(request, tmp_path_factory):
    """A run of each kind, with its report."""
    return record(tmp_path_factory.mktemp(request.param), RUNS[request.param])


@pytest.fixture(scope="session")
def walk(tmp_path_factory):
    """One with motion and radios."""
    return record(tmp_path_factory.mktemp("walk"), RUNS["rl"])


def record(folder, options):
    run = runs.run(options, folder)
    assert run.exit_code == 0, run.said
    assert write_run_report(folder) == folder / "report.html"
    return folder


@pytest.fixture
def events():
    """Makes lines of events: ``events((1.5, 3, "enter", {"resource": 2}), ...)``"""

    def make(*rows):
        return [
            json.dumps({"t": time, "node": node, "event": event, **(more[0] if more else {})})
            for time, node, event, *more in rows
        ]

    return make
