"""The figures of papers, drawn from what ``manet-mutex paper`` has written.

::

    target/release/manet-mutex-experiments paper-rl --figures docs/results
    .venv/bin/python -m manet_mutex.papers docs/results
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import polars

from .outcome import Series
from .plots import write_plot

_RL = {
    5: ("load", "time"),
    6: ("connectivity", "time"),
    7: ("load", "messages"),
    8: ("connectivity", "messages"),
}
"""What the figures of Walter, Welch and Vaidya, section 6, have on their axes."""

_WORDS = {
    "load": "requests per time unit of an idle node",
    "connectivity": "links, % of all pairs",
    "time": "wait, time units",
    "messages": "messages per critical section",
}


def panels(data: polars.DataFrame, x: str, y: str) -> dict[str, Series]:
    """A panel for each mobility, a line for each algorithm and load, or connectivity."""
    other = "connectivity" if x == "load" else "load"
    result: dict[str, Series] = {}
    for line in data.sort(x, maintain_order=True).iter_rows(named=True):
        point = {"x": line[x], "mean": line[y], "half": line[f"{y}_ci"]}
        name = f"{line['algorithm']}, {other} {line[other]:g}"
        lines = result.setdefault(f"mobility {line['mobility']}", {})
        lines.setdefault(name, []).append(point)
    return {title: dict(sorted(lines.items())) for title, lines in result.items()}


def main(arguments: Sequence[str]) -> int:
    """The command line. Returns an exit code."""
    parser = argparse.ArgumentParser(
        prog="manet_mutex.papers", description="Draws figures 5 to 8 of Reverse Link's paper."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="where rl-figure5.csv and so on are")
    folder: Path = parser.parse_args(arguments).folder
    for number, (x, y) in _RL.items():
        path = folder / f"rl-figure{number}.csv"
        if not path.exists():
            print(
                f"there is no {path}: write it with "
                f"manet-mutex-experiments paper-rl --figures {folder}",
                file=sys.stderr,
            )
            return 2
        data = polars.read_csv(path, schema_overrides={"load": polars.Float64})
        scales = ("log" if x == "load" else "linear", "log")
        print(write_plot(panels(data, x, y), (_WORDS[x], _WORDS[y]), scales, path.with_suffix(".svg")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
