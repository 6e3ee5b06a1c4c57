"""The examples, as users start them."""

import os
import re
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


def together(*arguments):
    """Entries and mean number inside, as sharing.py prints them last."""
    done = start(*arguments, program=(sys.executable, ROOT / "examples/sharing.py"))
    assert done.stderr == "" and done.returncode == 0
    words = done.stdout.splitlines()[-1].split()
    return int(words[0]), float(words[5]), done.stdout


def test_one_by_one_nobody_is_together():
    entries, inside, text = together("rl", "--duration", "20")
    assert "  never" in text
    assert entries >= 18 and inside <= 1


def test_a_group_is_inside_together():
    _, inside, text = together("gme", "--groups", "2", "--duration", "20")
    assert inside > 1.5
    company = [line for line in text.splitlines() if "inside:" in line]
    assert company
    for line in company:
        assert ("group 0" in line) != ("group 1" in line)


def test_units_are_not_exceeded():
    _, inside, text = together("hk", "--units", "3", "--duration", "60")
    assert 1 < inside <= 3
    company = [line for line in text.splitlines() if "inside:" in line]
    assert company
    for line in company:
        assert sum(int(n) for n in re.findall(r"\((\d) unit", line)) <= 3
