"""Statistics over seeds: means with confidence intervals, and comparisons on common seeds.

A run is one observation. What is measured within a run (waits of its entries, say) is correlated;
runs with different seeds are independent, so intervals are made of one number for each run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import polars
from scipy import stats

CONFIDENCE = 0.95

MISSING = "-"
"""What tables show for a number that does not exist."""


@dataclass(frozen=True)
class Estimate:
    """A mean, half the width of its confidence interval, and how many runs it is made of."""

    mean: float
    half: float
    """Not a number if there is only one run."""
    count: int

    def __str__(self) -> str:
        if math.isnan(self.mean):
            return MISSING
        if math.isnan(self.half):
            return f"{self.mean:.4g}"
        return rounded(self.mean, self.half)


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95 % confidence interval, by Student's t."""
    count = len(values)
    if count == 0:
        raise ValueError("there are no values to estimate a mean of")
    mean = float(numpy.mean(values))
    if count < 2:
        return Estimate(mean, float("nan"), count)
    error = float(numpy.std(values, ddof=1)) / count**0.5
    return Estimate(mean, float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1)) * error, count)


def rounded(mean: float, half: float) -> str:
    """Two digits of the uncertainty, and of the mean as many places: ``0.0283 ± 0.0071``."""
    if half == 0:
        return f"{mean:.6g} ± 0"
    places = max(0, min(9, 1 - int(numpy.floor(numpy.log10(abs(half))))))
    return f"{mean:.{places}f} ± {half:.{places}f}"


def summarize(
    frame: polars.DataFrame, axes: Sequence[str], metrics: Sequence[str]
) -> polars.DataFrame:
    """One line for each point of the grid: runs, and mean and half width of each metric."""
    lines: list[dict[str, Any]] = []
    for point, runs in _points(frame, axes):
        line: dict[str, Any] = {**point, "runs": runs.height}
        for metric in metrics:
            found = estimate(_column(runs, metric))
            line[metric] = found.mean
            line[f"{metric}_ci95"] = found.half
        lines.append(line)
    return polars.DataFrame(lines, infer_schema_length=None)


def compare(
    frame: polars.DataFrame, axes: Sequence[str], axis: str, metric: str
) -> polars.DataFrame:
    """Each value of an axis less its first one, run by run on common seeds.

    With the same seed nodes move and request alike, so that differences vary less than the values
    themselves. ``p`` is of the paired t test: how likely such a difference would be if there were
    none.
    """
    others = [name for name in axes if name != axis]
    values = frame[axis].unique(maintain_order=True).to_list()
    lines = []
    for point, runs in _points(frame, others):
        base = runs.filter(polars.col(axis) == values[0])
        for value in values[1:]:
            pairs = runs.filter(polars.col(axis) == value).join(
                base.select("seed", base=metric), on="seed"
            )
            if pairs.height == 0:
                continue
            differences = numpy.subtract(_column(pairs, metric), _column(pairs, "base"))
            found = estimate(differences.tolist())
            lines.append(
                {
                    **point,
                    "metric": metric,
                    axis: value,
                    "against": values[0],
                    "seeds": pairs.height,
                    "difference": found.mean,
                    "ci95": found.half,
                    "p": _paired(differences),
                }
            )
    return polars.DataFrame(lines, infer_schema_length=None)


def _paired(differences: Any) -> float:
    """The p value of the paired t test; if all differ by the same, 1 for nothing and 0 for more."""
    if len(differences) < 2:
        return float("nan")
    if numpy.ptp(differences) == 0:
        return float(differences[0] == 0)
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def _points(
    frame: polars.DataFrame, axes: Sequence[str]
) -> list[tuple[dict[str, Any], polars.DataFrame]]:
    """The runs of each point of the grid, in the order of the frame."""
    if not axes:
        return [({}, frame)]
    groups = frame.group_by(list(axes), maintain_order=True)
    return [(dict(zip(axes, values)), runs) for values, runs in groups]


def _column(frame: polars.DataFrame, name: str) -> list[float]:
    if name not in frame.columns:
        raise KeyError(f"runs have no '{name}'; they have {', '.join(frame.columns)}")
    return [float(value) for value in frame[name].to_list()]
