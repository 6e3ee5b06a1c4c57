"""Helper, traces, and several runs in one process."""

from collections import Counter

import pytest


def most_inside(events):
    """How many nodes were inside at the same time, at most."""
    inside, most = set(), 0
    for _, event, node in events:
        if event == "Enter":
            inside.add(node)
        elif event in ("Release", "Demote"):
            inside.discard(node)
        most = max(most, len(inside))
    return most


def test_two_inside_would_be_noticed():
    assert most_inside([(1, "Enter", 3), (2, "Release", 3), (2, "Enter", 4)]) == 1
    assert most_inside([(1, "Enter", 3), (2, "Enter", 4), (3, "Release", 3)]) == 2


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nodes_take_turns(build, run, record, seed):
    events = record(build(seed=seed))
    run(20)
    assert most_inside(events) == 1
    # Whoever wants to enter does; those of the last second may still wait.
    entries = Counter(node for _, event, node in events if event == "Enter")
    requests = Counter(
        node for time, event, node in events if event == "Request" and time < 19e9
    )
    assert entries >= requests
    assert requests.total() > 30


def test_same_seed_same_events(ns, build, run, record):
    runs = []
    for seed in (7, 7, 8):
        events = record(build(seed=seed))
        run(10)
        ns.Simulator.Destroy()
        runs.append(events)
    assert len(runs[0]) > 50
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_program_decides_when_to_enter(ns, build, run, record):
    from manet_mutex import connect, schedule

    applications = build(nodes=3)
    for application in applications:
        application.SetAttribute("Automatic", False)
    events = record(applications)
    second = applications.Get(1)
    schedule(3, lambda: second.Request())
    connect(second, "Enter", lambda node, *_: schedule(2, lambda: second.Release()))
    run(10)
    visits = [
        (event, node) for _, event, node in events if event in ("Request", "Enter", "Release")
    ]
    assert visits == [("Request", 1), ("Enter", 1), ("Release", 1)]
    times = {event: time for time, event, _ in events}
    assert times["Request"] == 3_000_000_000
    assert times["Release"] - times["Enter"] == 2_000_000_000
