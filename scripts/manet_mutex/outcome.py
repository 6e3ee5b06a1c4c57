"""What a campaign leaves behind: tables, plots and a page.

============================  =================================================================
``runs.csv``, ``.parquet``    one line for each run, with its version and all its parameters
``table.csv``, ``.parquet``   one line for each point of the grid: means and intervals
``comparisons.csv``           differences on common seeds, if the campaign asks for them
``table.md``                  the same two for people
``plots/*.svg``               means with error bars
``report.html``               all of it as a page
============================  =================================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars

from .campaign import Campaign, Plot
from .report.words import words
from .results import Row, frame
from .stats import MISSING, Estimate, compare, summarize


@dataclass(frozen=True)
class Outcome:
    """A campaign's results as data frames."""

    campaign: Campaign
    runs: polars.DataFrame
    table: polars.DataFrame
    comparisons: polars.DataFrame


def make(campaign: Campaign, rows: Sequence[Row]) -> Outcome:
    """Makes tables of runs of one version."""
    runs = frame(rows, campaign.jobs)
    frames = [
        compare(runs, campaign.axes, entry.axis, entry.metric) for entry in campaign.comparisons
    ]
    return Outcome(
        campaign,
        runs,
        summarize(runs, campaign.axes, campaign.metrics),
        polars.concat(frames, how="diagonal") if frames else polars.DataFrame(),
    )


def write(campaign: Campaign, folder: Path, rows: Sequence[Row]) -> str:
    """Writes all files. Returns the table for people."""
    from .plots import write_plots
    from .report.campaign_page import write_campaign_report

    outcome = make(campaign, rows)
    for name in ("runs", "table", "comparisons"):
        data: polars.DataFrame = getattr(outcome, name)
        if not data.is_empty():
            data.write_csv(folder / f"{name}.csv")
            data.write_parquet(folder / f"{name}.parquet")
    text = markdown(outcome)
    (folder / "table.md").write_text(text, encoding="utf-8")
    write_plots(outcome, folder / "plots")
    page = write_campaign_report(outcome, folder / "report.html")
    return f"{text}\nreport in {page}"


def markdown(outcome: Outcome) -> str:
    """The tables in Markdown."""
    campaign, runs = outcome.campaign, outcome.runs
    parts = [
        f"# {campaign.title}\n",
        f"{campaign.about.strip()}\n" if campaign.about else "",
        f"{totals(outcome)} Means over seeds with 95 % confidence intervals (Student's t).\n",
        _table(*cells(outcome)),
    ]
    if not outcome.comparisons.is_empty():
        parts += ["\nDifferences on common seeds, with 95 % confidence intervals:\n"]
        parts.append(_table(*comparison_cells(outcome)))
    parts.append(f"\nns-3 {runs['ns3_version'][0]}, commit {runs['commit'][0]}.\n")
    return "\n".join(part for part in parts if part)


def totals(outcome: Outcome) -> str:
    """How much there was of everything, and whether promises were kept."""
    runs = outcome.runs
    numbers = {
        name: int(runs[name].sum())
        for name in ("requests", "entries", "violations", "unserved", "doubts", "unresolved")
    }
    return (
        f"{runs.height} of {len(outcome.campaign.jobs)} runs, {runs['duration'].sum():.0f} "
        f"simulated seconds, {numbers['requests']} requests, {numbers['entries']} critical "
        f"sections: {numbers['violations']} violations, {numbers['unserved']} not served, "
        f"{numbers['doubts']} messages in doubt ({numbers['unresolved']} of them still)."
    )


def cells(outcome: Outcome) -> tuple[list[str], list[list[str]]]:
    """Head and lines of the table of means."""
    campaign = outcome.campaign
    lines = []
    for line in outcome.table.iter_rows(named=True):
        means = [
            str(Estimate(line[metric], line[f"{metric}_ci95"], line["runs"]))
            for metric in campaign.metrics
        ]
        lines.append([*(_short(line[axis]) for axis in campaign.axes), str(line["runs"]), *means])
    return [*campaign.axes, "runs", *campaign.metrics], lines


def comparison_cells(outcome: Outcome) -> tuple[list[str], list[list[str]]]:
    """Head and lines of the table of differences."""
    fixed = ("metric", "against", "seeds", "difference", "ci95", "p")
    axes = [axis for axis in outcome.campaign.axes if axis in outcome.comparisons.columns]
    lines = []
    for line in outcome.comparisons.iter_rows(named=True):
        difference = str(Estimate(line["difference"], line["ci95"], line["seeds"]))
        p = MISSING if math.isnan(line["p"]) else f"{line['p']:.2g}"
        point = ["" if line[axis] is None else _short(line[axis]) for axis in axes]
        against = _short(line["against"])
        lines.append(
            [*point, line["metric"], against, str(line["seeds"]), difference, p]
        )
    return [*axes, *(name for name in fixed if name != "ci95")], lines


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


Series = dict[str, list[dict[str, Any]]]
"""Lines of a plot by their names: means and intervals over x."""


def panels(outcome: Outcome, plot: Plot) -> dict[str, Series]:
    """What a plot shows: the lines of each of its panels."""
    table = summarize(outcome.runs, outcome.campaign.axes, [plot.y])
    result: dict[str, Series] = {}
    for line in table.iter_rows(named=True):
        name = ", ".join(_named(axis, line[axis]) for axis in plot.lines if line[axis] != "none")
        panel = "" if plot.panels is None else f"{words(plot.panels)}: {_short(line[plot.panels])}"
        point = {
            "x": line[plot.x],
            "mean": line[plot.y],
            "half": line[f"{plot.y}_ci95"],
            "runs": line["runs"],
        }
        result.setdefault(panel, {}).setdefault(name, []).append(point)
    for points in (points for series in result.values() for points in series.values()):
        if not any(isinstance(point["x"], str) for point in points):
            points.sort(key=lambda point: point["x"])
    return result


def _named(axis: str, value: Any) -> str:
    return value if isinstance(value, str) else f"{axis} {_short(value)}"
