"""What a page shows of a run, from its events."""

import json
from collections import Counter

import pytest
from manet_mutex.report import recording
from manet_mutex.report.recording import TICKS, read
from manet_mutex.report.run_page import histogram


def visits(recorded):
    return [
        (
            visit.node,
            visit.inside,
            visit.begin / TICKS,
            visit.end / TICKS,
            recorded.demands[visit.demand],
        )
        for visit in sorted(recorded.visits, key=lambda visit: visit.begin)
    ]


def test_waiting_and_inside(events):
    recorded = read(events((1, 0, "request"), (2.5, 0, "enter"), (3, 0, "release")), 3)
    assert visits(recorded) == [(0, False, 1, 2.5, ""), (0, True, 2.5, 3, "")]
    assert recorded.waits == [1.5]


def test_who_is_demoted_waits_again_for_the_same(events):
    group = {"resource": 4}
    recorded = read(
        events(
            (1, 0, "request", group),
            (2, 0, "enter", group),
            (3, 0, "demote"),
            (5, 0, "enter", group),
            (6, 0, "release"),
        ),
        6,
    )
    assert visits(recorded) == [
        (0, False, 1, 2, "group 4"),
        (0, True, 2, 3, "group 4"),
        (0, False, 3, 5, "group 4"),
        (0, True, 5, 6, "group 4"),
    ]
    assert recorded.waits == [1, 2]


def test_what_is_under_way_at_the_end_is_shown_up_to_it(events):
    recorded = read(events((1, 0, "request", {"units": 2}), (2, 1, "move", MOTION)), 3)
    assert visits(recorded) == [(0, False, 1, 2, "2 units")]
    assert recorded.waits == []


MOTION = {"x": 1, "y": 2, "vx": 0, "vy": 0}


def test_a_link_is_there_while_both_ends_have_it(events):
    recorded = read(
        events(
            (1, 0, "link_up", {"peer": 1, "role": "static"}),
            (2, 1, "link_up", {"peer": 0, "role": "moving"}),
            (3, 1, "link_down", {"peer": 0, "cause": "weak"}),
            (4, 0, "link_down", {"peer": 1, "cause": "left"}),
        ),
        4,
    )
    assert recorded.links == [(2 * TICKS, 0, 1, 1), (3 * TICKS, 0, 1, 0)]
    assert recorded.causes == {"weak": 1, "left": 1}
    assert sum(recorded.ups_by_time) == sum(recorded.downs_by_time) == 2


def test_protocols_without_links_and_unknown_events(events):
    recorded = read(
        events(
            (1, 0, "send", {"peer": 7, "kind": "Privilege", "bytes": 3}),
            (1, 0, "something", {}),
            (2, 7, "towards", {"peer": 3}),
        ),
        2,
    )
    assert recorded.messages == {"Privilege": [(TICKS, 0, 7)]}
    assert recorded.pointers == [(2 * TICKS, 7, 3)]
    assert recorded.nodes == 8


def test_a_replay_ends_where_there_is_too_much(events, monkeypatch):
    monkeypatch.setattr(recording, "MOST_CHANGES", 3)
    rows = [(i, 0, "move", MOTION) for i in range(1, 10)]
    recorded = read(events(*rows), 10)
    assert [motion[0] / TICKS for motion in recorded.motions] == [1, 2, 3]
    assert (recorded.shown / TICKS, recorded.end / TICKS) == (4, 9)


def test_kinds_of_messages_that_are_too_many_are_left_out(events, monkeypatch):
    monkeypatch.setattr(recording, "MOST_MESSAGES", 5)
    rows = [(i, 0, "send", {"peer": 1, "kind": "Often" if i % 3 else "Rare"}) for i in range(12)]
    recorded = read(events(*rows), 12)
    assert list(recorded.messages) == ["Rare"]
    assert len(recorded.messages["Rare"]) == 4
    assert recorded.sent == {"Often": 8, "Rare": 4}
    assert sum(recorded.sent_by_time["Often"]) == 8


def test_histogram():
    bins = histogram([0.0, 0.011, 0.012, 1.2])
    assert sum(bins["counts"]) == 4
    assert len(bins["edges"]) == len(bins["counts"]) + 1
    place = next(i for i, edge in enumerate(bins["edges"]) if edge > 0.012) - 1
    assert bins["counts"][place] == 2
    assert histogram([])["counts"] == []


def test_events_and_summary_tell_the_same(recorded):
    summary = json.loads((recorded / "summary.json").read_text())
    with (recorded / "events.jsonl").open() as lines:
        found = read(lines, summary["duration"])
    assert len(found.waits) == summary["entries"] > 20
    assert sum(found.waits) / len(found.waits) == pytest.approx(summary["wait_mean_s"], abs=1e-8)
    assert found.sent == Counter(summary["messages_by_kind"])
    assert found.causes == Counter(summary["link_downs_by_cause"])
    assert sum(found.ups_by_time) == summary["link_ups"]
    assert sum(node != origin for _, node, origin in found.tokens) == summary["token_moves"]
    assert most_inside(found) == summary["inside_max"]


def most_inside(found):
    changes = sorted(
        change
        for visit in found.visits
        if visit.inside
        for change in ((visit.begin, 1), (visit.end, -1))
    )
    inside = most = 0
    for _, change in changes:
        inside += change
        most = max(most, inside)
    return most
