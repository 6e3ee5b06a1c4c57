"""One run of the compiled scenario: its own process, so that whatever becomes of it stays there.

>>> from manet_mutex import runs
>>> run = runs.run({"protocol": "rl", "speed": 10, "seed": 3, "duration": 30})
>>> run.summary["wait_mean_s"]
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from .project import commit, scenario_program

Value = Union[str, int, float, bool]
"""What an option of the scenario can be."""

Options = Mapping[str, Value]
"""Options of the scenario by their names, without dashes. ``scripts/run --help`` lists them."""


@dataclass(frozen=True)
class Run:
    """What became of a run."""

    command: list[str]
    exit_code: int
    summary: Optional[dict[str, Any]]
    """What it measured; nothing if it failed."""
    said: str
    """On its standard error."""

    @property
    def failed(self) -> bool:
        """Whether there is no result: the command was wrong, or the program died."""
        return self.summary is None

    @property
    def words(self) -> str:
        """The command, to be repeated in a shell."""
        return shlex.join(self.command)


def text(value: Value) -> str:
    """A value as the command line has it; 5.0 and 5 are the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def key(options: Options) -> str:
    """What makes a run this one and no other, in words."""
    return " ".join(f"{name}={text(options[name])}" for name in sorted(options))


def command(options: Options, version: str) -> list[str]:
    """The command line of a run, but for the folder of its results."""
    extra = {"progress": "off", "commit": version, **options}
    return [str(scenario_program()), *(f"--{name}={text(value)}" for name, value in extra.items())]


def run(options: Options, folder: Optional[Path] = None, version: Optional[str] = None) -> Run:
    """Runs the scenario and waits for it.

    Results are left in ``folder``, with ``events.jsonl``; without one only the summary is kept.
    ``version`` is the commit that is written into it.
    """
    if folder is not None:
        return _run(options, folder, version, events=True)
    with tempfile.TemporaryDirectory(prefix="manet-mutex-") as temporary:
        return _run(options, Path(temporary), version, events=False)


def _run(options: Options, folder: Path, version: Optional[str], events: bool) -> Run:
    words = command({"events": events, **options}, version or commit())
    summary_file = folder / "summary.json"
    summary_file.unlink(missing_ok=True)
    done = subprocess.run(
        [*_leash(), *words, f"--out={folder}"], capture_output=True, text=True, check=False
    )
    summary = None
    if done.returncode in (0, 1) and summary_file.exists():
        summary = json.loads(summary_file.read_text(encoding="utf-8"))
    return Run(words, done.returncode, summary, done.stderr.strip())


def _leash() -> list[str]:
    """Ends the program with the process that started it, where the system can do that."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []


def version() -> tuple[str, str]:
    """The commit, and the version of ns-3 that the scenario was built with."""
    probe = run({"preset": "ideal", "nodes": 1, "duration": 0.1, "warmup": 0})
    if probe.summary is None:
        raise RuntimeError(f"the scenario does not run: {probe.words}\n{probe.said}")
    return str(probe.summary["commit"]), str(probe.summary["ns3_version"])
