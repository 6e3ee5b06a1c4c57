"""The page of a campaign: plots with error bars, tables, and every run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import page
from .words import words

if TYPE_CHECKING:
    from ..campaign import Plot
    from ..outcome import Outcome, Series

_RUN_COLUMNS = ("requests", "entries", "wait_mean_s", "violations", "unserved", "unresolved")


def write_campaign_report(outcome: Outcome, path: Path) -> Path:
    """Writes the page."""
    title = outcome.campaign.title
    page.write(path, title, _body(outcome), ("campaign.js",), {"plots": _plots(outcome)})
    return path


def _plots(outcome: Outcome) -> list[dict[str, Any]]:
    return [
        {
            "x": words(plot.x),
            "y": words(plot.y),
            "log": plot.log,
            "series": [
                {
                    "name": name,
                    "x": [point["x"] for point in points],
                    "mean": [point["mean"] for point in points],
                    "half": [_finite(point["half"]) for point in points],
                    "runs": [point["runs"] for point in points],
                }
                for name, points in series.items()
            ],
        }
        for plot, _, series in _panels(outcome)
    ]


def _panels(outcome: Outcome) -> list[tuple[Plot, str, Series]]:
    """All plots, panel by panel, with the titles of panels."""
    from ..outcome import panels

    return [
        (plot, title, series)
        for plot in outcome.campaign.plots
        for title, series in panels(outcome, plot).items()
    ]


def _finite(value: float) -> float:
    """JSON knows no other numbers."""
    return value if math.isfinite(value) else 0.0


def _body(outcome: Outcome) -> str:
    from ..outcome import cells, comparison_cells, totals

    campaign, runs = outcome.campaign, outcome.runs
    about = f"<p>{escape(campaign.about.strip())}</p>" if campaign.about else ""
    differences = ""
    if not outcome.comparisons.is_empty():
        differences = f"""<section class="card"><h2>Differences</h2>
<p class="quiet">Of runs with the same seed, in which nodes move and request alike; p by the paired
t test.</p>
<div class="scroll" id="comparisons">{_table(*comparison_cells(outcome))}</div></section>"""
    return f"""
<header class="top"><div><h1>{escape(campaign.title)}</h1>
<p class="quiet">ns-3 {escape(runs["ns3_version"][0])}, commit {escape(runs["commit"][0])}</p>
{about}<p class="quiet">{escape(totals(outcome))}</p></div>
{_verdict(outcome)}
<button id="theme" aria-label="switch between light and dark">Dark</button></header>
<main>
<div class="pair">{_charts(outcome)}</div>
<section class="card"><h2>Means</h2>
<p class="quiet">Over seeds, with 95 % confidence intervals (Student's t); one run is one
observation.</p>
<div class="scroll" id="table">{_table(*cells(outcome))}</div></section>
{differences}
<section class="card"><details><summary><b>All {runs.height} runs</b></summary>
<div class="scroll" id="runs">{_runs(outcome)}</div></details></section>
</main>
<footer>Made by manet-mutex. This file is complete: it needs no network. The same data is beside it
in runs.csv, runs.parquet and table.csv.</footer>
"""


def _charts(outcome: Outcome) -> str:
    return "\n".join(
        f'<section class="card"><h2>{escape(words(plot.y).capitalize())}</h2>'
        f'<p class="quiet">By {escape(words(plot.x))}{escape(title and f"; {title}")}. '
        f'Bars are 95 % confidence intervals.</p><div class="chart" id="plot-{number}"></div></section>'
        for number, (plot, title, _) in enumerate(_panels(outcome))
    )


def _verdict(outcome: Outcome) -> str:
    runs = outcome.runs
    broken = {name: int(runs[name].sum()) for name in ("violations", "unserved", "unresolved")}
    missing = len(outcome.campaign.jobs) - runs.height
    faults = [f"{words(name)}: {count}" for name, count in broken.items() if count]
    if missing:
        faults.append(f"{missing} runs failed")
    if faults:
        return f'<span class="badge bad">{escape(", ".join(faults))}</span>'
    return '<span class="badge good">all promises kept</span>'


def _runs(outcome: Outcome) -> str:
    axes = outcome.campaign.axes
    columns = [*axes, "seed", *(name for name in _RUN_COLUMNS if name in outcome.runs.columns)]
    lines = [
        [
            f"{line[name]:.4g}" if isinstance(line[name], float) else str(line[name])
            for name in columns
        ]
        for line in outcome.runs.iter_rows(named=True)
    ]
    return _table(columns, lines)


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [[escape(cell) for cell in line] for line in lines]
    return page.table(rows, [escape(words(name)) for name in head], "wide figures")
