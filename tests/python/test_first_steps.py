"""The examples, as users start them."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT


def start(*arguments, program=(sys.executable, ROOT / "examples/first_steps.py")):
    return subprocess.run(
        [*program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=os.path.dirname(ROOT),
    )


@pytest.fixture(scope="module")
def output():
    done = start("--nodes", "6", "--duration", "20", "--seed", "2")
    assert done.stderr == "" and done.returncode == 0
    return done.stdout


def test_the_story_begins_with_the_token(output):
    lines = output.splitlines()
    assert lines[0] == "What happened first:"
    assert lines[2].split() == ["0.000", "s", "node", "0", "has", "the", "token"]
    assert any(line.endswith("wants to enter") for line in lines)


def test_the_table_adds_up(output):
    lines = output.splitlines()
    top = next(i for i, line in enumerate(lines) if line.startswith(" node  entries"))
    rows = [line.split() for line in lines[top + 1 : top + 7]]
    assert [row[0] for row in rows] == list("012345")
    entries = [int(row[1]) for row in rows]
    assert min(entries) > 0
    assert f"{sum(entries)} entries, mean wait" in output
    assert "the run took" in lines[-1]


def test_python_and_cpp_tell_the_same_story(output):
    program = (ROOT / "build/bin/first-steps",)
    done = start("--nodes=6", "--duration=20", "--seed=2", program=program)
    assert done.returncode == 0
    # All but Python's last line, on how long it took.
    assert done.stdout.splitlines() == output.splitlines()[:-1]


def test_bad_options():
    done = start("--nodes", "0")
    assert done.returncode == 2
    assert done.stderr.endswith("--nodes, --duration and --seed must be positive\n")
