"""Results of campaigns: kept one by one as they come, loaded as data frames.

``runs.jsonl`` has one line for each run that came to its end, whatever the commit; a line is
written at once and whole, so that a campaign can be interrupted at any time. ``failures.jsonl`` has
the command lines of runs that did not.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Optional

import polars

from .runs import Run, Value, key

Row = dict[str, Any]

# Not the same in two runs of the same, so not part of tables that are compared.
_TIMES = ("wall_s", "sim_s_per_cpu_s")
# About the output only.
_OUTPUT = ("out", "format", "events", "progress", "commit", "beacons")


class Busy(RuntimeError):
    """Another process runs this campaign."""


class Store:
    """A folder with the results of a campaign. Only one process may have it open."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Busy(
                f"another process is running the campaign in {folder}: wait for it"
            ) from None
        self.rows = read_rows(folder)
        self._runs: IO[str] = _appended(folder / "runs.jsonl")
        self._known = {(row["key"], row["commit"], row["ns3_version"]) for row in self.rows}

    def close(self) -> None:
        """Lets others have it."""
        self._runs.close()
        self._lock.close()

    def has(self, options: Mapping[str, Value], version: tuple[str, str]) -> bool:
        """Whether a run of this version is there."""
        return (key(options), *version) in self._known

    def add(self, options: Mapping[str, Value], run: Run) -> bool:
        """Keeps a run; one that is there already is left as it is."""
        if run.summary is None:
            self.add_failure(options, run.words, run.exit_code, run.said)
            return False
        summary = run.summary
        version = (summary["commit"], summary["ns3_version"])
        if self.has(options, version):
            return False
        row: Row = {
            "key": key(options),
            "commit": version[0],
            "ns3_version": version[1],
            "command": run.words,
            "exit_code": run.exit_code,
            "options": dict(options),
            "summary": summary,
        }
        self._runs.write(json.dumps(row) + "\n")
        self._runs.flush()
        os.fsync(self._runs.fileno())
        self.rows.append(row)
        self._known.add((row["key"], *version))
        return True

    def add_failure(
        self, options: Mapping[str, Value], command: str, exit_code: Optional[int], said: str
    ) -> None:
        """Keeps what is known of a run without a result."""
        failure = {"key": key(options), "command": command, "exit_code": exit_code, "said": said}
        with (self.folder / "failures.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(failure) + "\n")


def _appended(path: Path) -> IO[str]:
    """Opens a file to add lines; half a line at its end, of a process that was killed, goes."""
    if path.exists():
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(path, whole)
    return path.open("a", encoding="utf-8")


def read_rows(folder: Path) -> list[Row]:
    """All rows in a folder, of all commits, in the order in which they came."""
    path = folder / "runs.jsonl"
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    # After the last end of a line there is nothing, or half a line of a process that was killed.
    return [json.loads(line) for line in lines[:-1]]


def of_version(rows: Iterable[Row], version: tuple[str, str]) -> list[Row]:
    """Those of a commit and a version of ns-3: runs of others are never mixed in."""
    return [row for row in rows if (row["commit"], row["ns3_version"]) == version]


def frame(
    rows: Sequence[Row], jobs: Optional[Sequence[Mapping[str, Value]]] = None
) -> polars.DataFrame:
    """One line for each run: its version, all its parameters, all results.

    With ``jobs`` those of a campaign, in its order; else in the order in which they came. How long
    a run took is left out, so that equal runs give equal frames.
    """
    if jobs is not None:
        by_key = {row["key"]: row for row in rows}
        rows = [by_key[name] for name in map(key, jobs) if name in by_key]
    flat = [_flat(row["options"], row["summary"]) for row in rows]
    names = list(dict.fromkeys(name for line in flat for name in line))
    return polars.DataFrame(
        [{name: line.get(name) for name in names} for line in flat],
        infer_schema_length=None,
    )


def _flat(asked: Mapping[str, Any], summary: Mapping[str, Any]) -> Row:
    """What was asked for may also be attributes of ns-3, which the summary does not know."""
    options = {**asked, **summary["options"]}
    line: Row = {name: value for name, value in options.items() if name not in _OUTPUT}
    line["routing"] = summary.get("routing", "none")
    for name, value in summary.items():
        if name == "options" or name in _TIMES:
            continue
        if isinstance(value, dict):
            line.update({f"{name}.{part}": count for part, count in value.items()})
        elif name not in line:
            # A column has one type: a mean that happens to be 0 is written as a whole number.
            whole = name.endswith(("_s", "_mean", "_per_entry", "_airtime", "_bytes"))
            whole = whole or name.startswith(("connected", "degree", "diameter"))
            line[name] = float(value) if whole else value
    return line
