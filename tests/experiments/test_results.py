"""Results are kept once, whole, and by version."""

import json

import pytest
from manet_mutex.results import Busy, Store, frame, of_version, read_rows
from manet_mutex.runs import Run

JOB = {"speed": 5, "seed": 1}


def run(commit="c1", wait=0.5, ns3="3.44", speed=5, seed=1):
    options = {"speed": speed, "seed": seed, "out": "somewhere", "commit": commit}
    summary = {
        "protocol": "rl",
        "seed": seed,
        "wait_mean_s": wait,
        "messages_by_kind": {"Token": 3},
        "wall_s": 1.25,
        "ns3_version": ns3,
        "commit": commit,
        "options": options,
    }
    return Run(["scenario", "--speed=5"], 0, summary, "")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    yield store
    store.close()


def test_a_run_is_kept_once(store):
    assert store.add(JOB, run())
    assert not store.add(JOB, run(wait=9))
    assert [row["summary"]["wait_mean_s"] for row in read_rows(store.folder)] == [0.5]


def test_other_commits_are_not_mixed_in(store):
    store.add(JOB, run(commit="c1", wait=1))
    assert not store.has(JOB, ("c2", "3.44")) and not store.has(JOB, ("c1", "3.45"))
    assert store.add(JOB, run(commit="c2", wait=2))
    assert store.add(JOB, run(commit="c2", wait=3, ns3="3.45"))
    rows = read_rows(store.folder)
    assert len(rows) == 3
    assert frame(of_version(rows, ("c2", "3.44")))["wait_mean_s"].to_list() == [2]


def test_half_a_line_is_dropped_and_run_again(tmp_path):
    store = Store(tmp_path)
    store.add(JOB, run(wait=1))
    store.add({"speed": 5, "seed": 2}, run(wait=2, seed=2))
    store.close()
    path = tmp_path / "runs.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert len(read_rows(tmp_path)) == 1

    store = Store(tmp_path)
    assert store.has(JOB, ("c1", "3.44"))
    assert not store.has({"speed": 5, "seed": 2}, ("c1", "3.44"))
    store.add({"speed": 5, "seed": 2}, run(wait=3, seed=2))
    store.close()
    assert [row["summary"]["wait_mean_s"] for row in read_rows(tmp_path)] == [1, 3]


def test_attributes_of_ns3_are_parameters_too(store):
    name = "ns3::MutexApplication::Jitter"
    store.add({**JOB, name: 0.1}, run())
    assert frame(store.rows)[name].to_list() == [0.1]


def test_only_one_may_write(store):
    with pytest.raises(Busy, match="another process"):
        Store(store.folder)


def test_failures_keep_their_command(store):
    assert not store.add(JOB, Run(["scenario", "--sped=5"], 2, None, "unknown option --sped"))
    line = json.loads((store.folder / "failures.jsonl").read_text())
    assert line["command"] == "scenario --sped=5"
    assert line["exit_code"] == 2 and "--sped" in line["said"]
    assert not store.has(JOB, ("c1", "3.44"))


def test_frames_have_version_parameters_and_results_in_the_order_of_jobs(store):
    second = {"speed": 7, "seed": 1}
    store.add(second, run(speed=7))
    store.add(JOB, run())
    data = frame(store.rows, [JOB, second])
    assert store.rows[0]["options"] == second
    assert data["speed"].to_list() == [5, 7]
    assert data.columns == [
        *("speed", "seed", "routing", "protocol", "wait_mean_s", "messages_by_kind.Token"),
        *("ns3_version", "commit"),
    ]


def test_routing_that_a_protocol_does_not_use_is_none(store):
    options = {**JOB, "routing": "olsr"}
    unused, used = run(), run(seed=2)
    unused.summary["options"]["routing"] = used.summary["options"]["routing"] = "olsr"
    used.summary["routing"] = "olsr"
    store.add(options, unused)
    store.add({**options, "seed": 2}, used)
    assert frame(store.rows)["routing"].to_list() == ["none", "olsr"]
