"""Plots of campaigns for documents, as SVG."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from .report.words import words

if TYPE_CHECKING:
    from .outcome import Outcome

# Colours that people with any kind of sight can tell apart (Okabe and Ito).
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000")
_MARKERS = "osD^vPX"


def write_plots(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes a file for each plot of a campaign: ``y-by-x.svg``."""
    import matplotlib

    # The same data gives the same bytes.
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "manet-mutex"
    folder.mkdir(exist_ok=True)
    return [
        _write(outcome, plot.x, plot.y, plot.log, folder / f"{plot.y}-by-{plot.x}.svg")
        for plot in outcome.campaign.plots
    ]


def _write(outcome: Outcome, x: str, y: str, log: bool, path: Path) -> Path:
    from matplotlib import pyplot

    from .outcome import series

    figure, axes = pyplot.subplots(figsize=(6, 3.8), layout="constrained")
    for number, (name, points) in enumerate(series(outcome, x, y).items()):
        halves = [0 if math.isnan(point["half"]) else point["half"] for point in points]
        axes.errorbar(
            [point["x"] for point in points],
            [point["mean"] for point in points],
            yerr=halves,
            label=name or None,
            color=_COLOURS[number % len(_COLOURS)],
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=5,
            capsize=3,
            linewidth=1.5,
        )
    axes.set_xlabel(x)
    axes.set_ylabel(words(y))
    if log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path
