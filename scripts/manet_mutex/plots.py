"""Plots for documents, as SVG. The same data gives the same bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .report.words import words

if TYPE_CHECKING:
    from .outcome import Outcome, Series

# Colours that people with any kind of sight can tell apart (Okabe and Ito).
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000")
_MARKERS = "osD^vPX"


def write_plots(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes a file for each plot of a campaign: ``y-by-x.svg``."""
    from .outcome import panels

    folder.mkdir(exist_ok=True)
    return [
        write_plot(
            panels(outcome, plot),
            (words(plot.x), words(plot.y)),
            ("linear", "log" if plot.log else "linear"),
            folder / f"{plot.y}-by-{plot.x}.svg",
        )
        for plot in outcome.campaign.plots
    ]


def write_plot(
    panels: Mapping[str, Series], names: tuple[str, str], scales: tuple[str, str], path: Path
) -> Path:
    """Writes panels side by side; ``names`` and ``scales`` are of x and y."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "manet-mutex", "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(
        ncols=len(panels),
        figsize=(2 + 4 * len(panels), 3.8),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    row: list[Any] = grid[0].tolist()
    for axes, (title, series) in zip(row, panels.items()):
        _draw(axes, series)
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel(names[0])
        if scales[0] == "log":
            axes.set_xscale("log")
        if scales[1] == "log":
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        axes.minorticks_off()
    row[0].set_ylabel(names[1])
    if row[0].get_legend_handles_labels()[1]:
        row[-1].legend(frameon=False, fontsize="small")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path


def _draw(axes: Any, series: Series) -> None:
    for number, (name, points) in enumerate(series.items()):
        halves = [0 if math.isnan(point["half"]) else point["half"] for point in points]
        axes.errorbar(
            [point["x"] for point in points],
            [point["mean"] for point in points],
            yerr=halves,
            label=name or None,
            linestyle="none" if any(isinstance(point["x"], str) for point in points) else "solid",
            color=_COLOURS[number % len(_COLOURS)],
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=5,
            capsize=3,
            linewidth=1.5,
        )
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
