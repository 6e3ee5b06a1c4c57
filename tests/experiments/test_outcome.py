"""What tables and plots are made of."""

from manet_mutex import outcome
from manet_mutex.campaign import parse
from manet_mutex.runs import key

CONTENT = {
    "seeds": "1-2",
    "grid": [
        {"protocol": ["rl", "gme"], "speed": [5, 20], "think": [30, 1]},
        {"protocol": ["rl", "gme"], "speed": 0, "mobility": "static", "think": [30, 1]},
    ],
    "table": {"metrics": ["wait_mean_s"]},
    "plot": [
        {"x": "speed", "y": "wait_mean_s", "lines": ["protocol"], "panels": "think"},
        {"x": "speed", "y": "wait_mean_s"},
    ],
}


def row(job):
    options = {"mobility": "random-direction", **job}
    wait = job["speed"] + job["think"] + job["seed"]
    summary = {
        **{"protocol": job["protocol"], "seed": job["seed"], "wait_mean_s": wait},
        **{"commit": "c", "ns3_version": "3.44", "options": options},
    }
    return {"key": key(job), "options": job, "summary": summary}


def test_lines_and_panels():
    campaign = parse("x", CONTENT)
    made = outcome.make(campaign, [row(job) for job in campaign.jobs])
    panels = outcome.panels(made, campaign.plots[0])
    assert list(panels) == ["mean time between visits, s: 30", "mean time between visits, s: 1"]
    for think, lines in zip((30, 1), panels.values()):
        assert list(lines) == ["rl", "gme"]
        for points in lines.values():
            # By x, though the standing nodes come last in the file.
            shown = [(point["x"], point["mean"], point["runs"]) for point in points]
            assert shown == [(x, x + think + 1.5, 2) for x in (0, 5, 20)]


def test_unless_told_every_other_axis_makes_lines():
    campaign = parse("x", CONTENT)
    made = outcome.make(campaign, [row(job) for job in campaign.jobs])
    panels = outcome.panels(made, campaign.plots[1])
    assert list(panels) == [""]
    assert list(panels[""])[0] == "rl, think 30, random-direction" and len(panels[""]) == 8


def test_one_seed_has_neither_interval_nor_p():
    content = {**CONTENT, "seeds": [1], "compare": [{"axis": "think", "metric": "wait_mean_s"}]}
    campaign = parse("x", content)
    made = outcome.make(campaign, [row(job) for job in campaign.jobs])
    tables = [outcome.cells(made), outcome.comparison_cells(made)]
    texts = [cell for _, lines in tables for line in lines for cell in line]
    assert not [text for text in texts if "nan" in text or "±" in text]
    head, lines = outcome.comparison_cells(made)
    assert {line[head.index("p")] for line in lines} == {"-"}
