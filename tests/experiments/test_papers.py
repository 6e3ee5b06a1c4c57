"""The figures of papers are drawn from the tables beside them."""

import shutil

import polars
from conftest import ROOT
from manet_mutex import papers

RESULTS = ROOT / "docs" / "results"


def test_figures_of_reverse_link(tmp_path):
    for number in (5, 6, 7, 8):
        shutil.copy(RESULTS / f"rl-figure{number}.csv", tmp_path)
    assert papers.main([str(tmp_path)]) == 0
    for number in (5, 6, 7, 8):
        drawn = (tmp_path / f"rl-figure{number}.svg").read_text()
        assert drawn.count("mobility ") == 3 and "rr, " in drawn


def test_a_line_has_all_its_points():
    data = polars.read_csv(RESULTS / "rl-figure6.csv")
    panels = papers.panels(data, "connectivity", "time")
    assert list(panels) == ["mobility zero", "mobility low", "mobility high"]
    points = panels["mobility zero"]["rl, load 0.001"]
    assert [point["x"] for point in points] == list(range(10, 101, 10))
    assert points[0]["mean"] == 9.2959 and points[0]["half"] == 0.3395


def test_where_the_tables_come_from_is_told(tmp_path, capsys):
    assert papers.main([str(tmp_path)]) == 2
    assert "paper-rl --figures" in capsys.readouterr().err
