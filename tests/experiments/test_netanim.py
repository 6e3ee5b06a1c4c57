"""A run for NetAnim: well formed, in the order of time, and of this run."""

import json
from collections import Counter
from xml.etree import ElementTree

import pytest
from manet_mutex.report.__main__ import main


@pytest.fixture
def anim(walk, tmp_path):
    assert main([str(walk), "--no-report", "--netanim", str(tmp_path / "run.xml")]) == 0
    return ElementTree.parse(tmp_path / "run.xml").getroot()


def test_nodes_and_messages(anim, walk):
    events = [json.loads(line) for line in (walk / "events.jsonl").open()]
    assert anim.tag == "anim" and anim.get("filetype") == "animation"
    assert len(anim.findall("node")) == 12
    received = Counter(
        (event["peer"], event["node"], event["kind"], f"{event['t']:.9f}")
        for event in events
        if event["event"] == "recv"
    )
    shown = Counter(
        (int(p.get("fId")), int(p.get("tId")), p.get("meta-info"), p.get("fbRx"))
        for p in anim.findall("p")
    )
    assert shown == received and len(shown) > 100
    assert all(float(p.get("fbTx")) < float(p.get("fbRx")) for p in anim.findall("p"))


def test_changes_are_in_order_and_inside_the_field(anim):
    times = [float(e.get("t") or e.get("fbTx")) for e in anim if e.tag in ("nu", "p")]
    assert all(later - time > -1e-3 for time, later in zip(times, times[1:]))
    places = [e for e in anim.findall("nu") if e.get("p") == "p"]
    assert len(places) > 12 * 15
    assert all(-0.01 <= float(e.get(axis)) <= 110.01 for e in places for axis in "xy")


def test_a_folder_without_a_run(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "summary.json" in capsys.readouterr().err
