"""Means, intervals and comparisons, against values worked out by hand."""

import math

import polars
import pytest
from manet_mutex.stats import Estimate, compare, estimate, rounded, summarize


def test_confidence_interval():
    # Mean 3, standard deviation sqrt(2.5); t with 4 degrees of freedom is 2.776.
    found = estimate([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.half == pytest.approx(2.7764451 * math.sqrt(2.5 / 5), rel=1e-7)
    assert found.count == 5


def test_one_run_has_no_interval():
    assert math.isnan(estimate([7]).half)
    assert str(estimate([7])) == "7"
    with pytest.raises(ValueError, match="no values"):
        estimate([])


def test_numbers_that_do_not_exist_are_dashes():
    nan = float("nan")
    assert str(Estimate(nan, nan, 1)) == "-"
    assert str(Estimate(nan, nan, 3)) == "-"
    assert str(Estimate(2.5, nan, 3)) == "2.5"


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (0.02834, 0.00713, "0.0283 ± 0.0071"),
        (22.43, 0.4, "22.43 ± 0.40"),
        (4862.3, 113.0, "4862 ± 113"),
        (5, 0, "5 ± 0"),
    ],
)
def test_digits(mean, half, text):
    assert rounded(mean, half) == text


@pytest.fixture
def frame():
    """By protocol, speed and seed; other runs are a constant slower than the first ones."""
    rows = [
        {"protocol": protocol, "speed": speed, "seed": seed, "wait": 10.0 * seed + extra}
        for protocol, extra in (("rl", 0), ("gme", 3))
        for speed in (1, 5)
        for seed in (1, 2, 3)
    ]
    rows[-1]["seed"] = 9
    return polars.DataFrame(rows)


def test_a_line_for_each_point(frame):
    table = summarize(frame, ["protocol", "speed"], ["wait"])
    assert table.select("protocol", "speed", "runs", "wait").rows() == [
        ("rl", 1, 3, 20.0),
        ("rl", 5, 3, 20.0),
        ("gme", 1, 3, 23.0),
        ("gme", 5, 3, 23.0),
    ]
    assert table["wait_ci95"][0] == pytest.approx(4.3026527 * 10 / math.sqrt(3))


def test_pairs_are_of_the_same_seed(frame):
    found = compare(frame, ["protocol", "speed"], "protocol", "wait")
    assert found.select("speed", "protocol", "against", "seeds", "difference").rows() == [
        (1, "gme", "rl", 3, 3.0),
        (5, "gme", "rl", 2, 3.0),
    ]
    # The values differ by 10 from seed to seed, the differences not at all.
    assert found["ci95"].to_list() == [0.0, 0.0]


def test_p_of_the_paired_test():
    rows = [
        {"a": a, "seed": seed, "y": y + (0 if a == 1 else difference)}
        for seed, (y, difference) in enumerate([(5.0, 1.0), (9.0, 2.0), (1.0, 3.0)])
        for a in (1, 2)
    ]
    found = compare(polars.DataFrame(rows), ["a"], "a", "y")
    # t = 2 / (1 / sqrt 3) with two degrees of freedom.
    assert found["p"][0] == pytest.approx(0.0741799, rel=1e-5)


def test_a_metric_that_there_is_not(frame):
    with pytest.raises(KeyError, match="no 'wit'; they have protocol"):
        summarize(frame, ["protocol"], ["wit"])
