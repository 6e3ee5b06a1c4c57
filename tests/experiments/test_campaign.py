"""What campaign files mean, and what is said about those that mean nothing."""

import pytest
from conftest import ROOT
from manet_mutex.campaign import BadCampaign, Plot, load, parse
from manet_mutex.runs import key


def test_all_combinations_and_seeds():
    campaign = parse(
        "x",
        {
            "seeds": "1-2",
            "common": {"duration": 60},
            "grid": [{"protocol": ["rl", "gme"], "speed": [2, 5]}],
        },
    )
    assert len(campaign.jobs) == 8
    assert campaign.jobs[0] == {"duration": 60, "protocol": "rl", "speed": 2, "seed": 1}
    assert campaign.jobs[-1] == {"duration": 60, "protocol": "gme", "speed": 5, "seed": 2}
    assert campaign.axes == ["protocol", "speed"]
    assert campaign.plots[0] == Plot("speed", "wait_mean_s", ("protocol",))


def test_grids_have_seeds_of_their_own_and_overlap_once():
    campaign = parse(
        "x",
        {
            "common": {"duration": 300},
            "seeds": "1-3",
            "grid": [
                {"preset": ["fast", "default"]},
                {"preset": "large", "duration": 60, "seeds": [4]},
                {"preset": "fast", "seeds": [3, 4]},
            ],
        },
    )
    assert [(job["preset"], job["seed"], job["duration"]) for job in campaign.jobs] == [
        *[("fast", seed, 300) for seed in (1, 2, 3)],
        *[("default", seed, 300) for seed in (1, 2, 3)],
        ("large", 4, 60),
        ("fast", 4, 300),
    ]


def test_equal_numbers_are_the_same_run():
    assert key({"speed": 5.0, "seed": 1}) == key({"seed": 1, "speed": 5}) == "seed=1 speed=5"
    assert key({"speed": 5.25}) != key({"speed": 5.5})
    assert key({"heal": True}) == "heal=true"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"gird": []}, "no 'gird'; use about"),
        ({"seeds": "1..5"}, 'use "1-20"'),
        ({"seeds": "5-1"}, 'use "1-20"'),
        ({"seeds": [0]}, "from 1 on"),
        ({"grid": {"speed": [1]}}, r"\[\[grid\]\]"),
        ({"grid": [{"speed": []}]}, "speed = "),
        ({"grid": [{"speed": {"from": 1}}]}, "a text, a number"),
        ({"grid": [{"seed": [1, 2]}]}, "seeds ="),
        (
            {"grid": [{"speed": [1, 2]}], "plot": [{"x": "sped", "y": "z"}]},
            "out of the axes: speed",
        ),
        (
            {"grid": [{"speed": [1, 2]}], "plot": [{"x": "speed", "y": "z", "panels": "speed"}]},
            "axes other than x",
        ),
        (
            {"grid": [{"speed": [1, 2]}], "plot": [{"x": "speed", "y": "z", "lines": "k"}]},
            "use a list of axes",
        ),
        ({"grid": [{"speed": [1, 2]}], "compare": [{"axis": "nodes"}]}, "an axis out of: speed"),
        ({"table": {"metric": []}}, "no 'metric'"),
    ],
)
def test_mistakes_are_named(content, text):
    with pytest.raises(BadCampaign, match=text):
        parse("x", content)


def test_a_file_that_is_none(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("seeds = ")
    with pytest.raises(BadCampaign, match="no TOML file"):
        load(path)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda p: p.stem
)
def test_the_projects_own(path):
    campaign = load(path)
    assert campaign.title != campaign.name and campaign.about
    assert len(campaign.jobs) > 4
