"""What a campaign is: a file that says which runs, and what to make of them.

::

    title = "Waits by speed"
    seeds = "1-5"               # or a list; every point of the grid gets each of them

    [common]                    # options of every run, by their names in scripts/run --help
    duration = 60
    discard = 10                # seconds at the beginning that are not measured

    [[grid]]                    # all combinations; there may be several grids, each with seeds
    protocol = ["rl", "gme"]    # of its own. A list is an axis.
    speed = [2, 5, 10]

    [table]
    metrics = ["wait_mean_s", "messages_per_entry"]

    [[plot]]
    x = "speed"
    y = "wait_mean_s"
    lines = ["protocol"]        # what makes a line; all other axes unless told
    # panels = "think"          # an axis, each value of which has a plot of its own

    [[compare]]                 # each to the first, on common seeds
    axis = "protocol"
    metric = "wait_mean_s"
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Union

from .runs import Value, key

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

METRICS = ("wait_mean_s", "wait_p95_s", "wait_p99_s", "messages_per_entry", "frames_per_entry")
"""What is shown unless a campaign says otherwise."""

_PARTS = {"title", "about", "seeds", "common", "grid", "table", "plot", "compare"}


class BadCampaign(ValueError):
    """A file that does not say what to run. The text says what is wrong."""


@dataclass(frozen=True)
class Plot:
    """Means over an axis, one line for each of the values of others."""

    x: str
    y: str
    lines: tuple[str, ...] = ()
    panels: Optional[str] = None
    """An axis, each value of which has a plot of its own."""
    log: bool = False


@dataclass(frozen=True)
class Comparison:
    """Each value of an axis against its first one, on common seeds."""

    axis: str
    metric: str


@dataclass(frozen=True)
class Campaign:
    """What to run, and what to make of it."""

    name: str
    title: str
    about: str
    jobs: list[dict[str, Value]]
    """Options of each run, its seed included, in the order of the grid."""
    axes: list[str]
    """Options in which runs differ, seeds aside."""
    metrics: list[str] = field(default_factory=lambda: list(METRICS))
    plots: list[Plot] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)


def load(path: Path) -> Campaign:
    """Reads a campaign from a TOML file, whose name is the campaign's."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCampaign(f"{path} is no TOML file: {error}") from error
    try:
        return parse(path.stem, content)
    except BadCampaign as error:
        raise BadCampaign(f"{path}: {error}") from None


def parse(name: str, content: Mapping[str, Any]) -> Campaign:
    """Makes a campaign of what such a file contains."""
    _know(content, _PARTS, "the file")
    grids = content.get("grid", [{}])
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise BadCampaign("grids begin with [[grid]]")
    jobs: dict[str, dict[str, Value]] = {}
    for grid in grids:
        seeds = grid.get("seeds", content.get("seeds", "1-5"))
        for point in _points({**content.get("common", {}), **grid}):
            for seed in _seeds(seeds):
                job = {**point, "seed": seed}
                jobs.setdefault(key(job), job)
    axes = _axes(list(jobs.values()))
    table = content.get("table", {})
    _know(table, {"metrics"}, "[table]")
    metrics = list(table.get("metrics", METRICS))
    return Campaign(
        name=name,
        title=content.get("title", name),
        about=content.get("about", ""),
        jobs=list(jobs.values()),
        axes=axes,
        metrics=metrics,
        plots=[_plot(plot, axes) for plot in content.get("plot", _plots(axes, metrics))],
        comparisons=[_comparison(entry, axes) for entry in content.get("compare", [])],
    )


def _know(content: Mapping[str, Any], names: set[str], where: str) -> None:
    for name in content:
        if name not in names:
            raise BadCampaign(f"{where} has no '{name}'; use {', '.join(sorted(names))}")


def _seeds(seeds: Union[str, int, list[int]]) -> list[int]:
    if isinstance(seeds, int):
        return [seeds]
    if isinstance(seeds, list) and all(type(seed) is int and seed > 0 for seed in seeds):
        return seeds
    match = re.fullmatch(r"(\d+)-(\d+)", seeds) if isinstance(seeds, str) else None
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise BadCampaign(f'seeds = {seeds!r}: use "1-20", or a list of numbers from 1 on')
    return list(range(int(match[1]), int(match[2]) + 1))


def _points(grid: Mapping[str, Any]) -> Iterator[dict[str, Value]]:
    """All combinations of the lists in a grid."""
    names = [name for name in grid if name != "seeds"]
    if "seed" in names:
        raise BadCampaign('seed is no option here: use seeds = "1-20"')
    lists: list[Sequence[Any]] = []
    for name in names:
        values = grid[name] if isinstance(grid[name], list) else [grid[name]]
        if not values or not all(isinstance(value, (str, int, float)) for value in values):
            raise BadCampaign(f"{name} = {grid[name]!r}: use a text, a number, or a list of them")
        lists.append(values)
    for values in itertools.product(*lists):
        yield dict(zip(names, values))


def _axes(jobs: Sequence[Mapping[str, Value]]) -> list[str]:
    """Options that are not the same in all runs, in the order in which they were written."""
    names = dict.fromkeys(name for job in jobs for name in job if name != "seed")
    return [name for name in names if len({job.get(name) for job in jobs}) > 1]


def _plots(axes: Sequence[str], metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Without any told: everything over the last axis."""
    return [{"x": axes[-1], "y": metric} for metric in metrics] if axes else []


def _plot(content: Mapping[str, Any], axes: Sequence[str]) -> Plot:
    _know(content, {"x", "y", "lines", "panels", "log"}, "[[plot]]")
    x, panels = content.get("x", ""), content.get("panels")
    if x not in axes or "y" not in content:
        raise BadCampaign(f"[[plot]] needs a y, and an x out of the axes: {', '.join(axes)}")
    lines = content.get("lines", [axis for axis in axes if axis not in (x, panels)])
    if not isinstance(lines, list):
        raise BadCampaign(f"lines = {lines!r}: use a list of axes")
    for axis in [*lines, *([] if panels is None else [panels])]:
        if axis not in axes or axis == x:
            raise BadCampaign(f"[[plot]] has lines or panels by {axis!r}: use axes other than x")
    return Plot(x, content["y"], tuple(lines), panels, bool(content.get("log", False)))


def _comparison(content: Mapping[str, Any], axes: Sequence[str]) -> Comparison:
    _know(content, {"axis", "metric"}, "[[compare]]")
    if content.get("axis") not in axes or "metric" not in content:
        raise BadCampaign(f"[[compare]] needs a metric, and an axis out of: {', '.join(axes)}")
    return Comparison(content["axis"], content["metric"])
