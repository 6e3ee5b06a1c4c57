"""Campaigns run, are killed, and go on; on this machine and on a cluster."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from conftest import ROOT
from manet_mutex import sweep, worker
from manet_mutex.results import read_rows

CAMPAIGN = """
title = "A small one"
seeds = "1-4"
[common]
preset = "ideal"
duration = DURATION
discard = 2
[[grid]]
think = [1, 5]
[[compare]]
axis = "think"
metric = "wait_mean_s"
"""
TABLES = ("runs.csv", "table.csv", "table.md", "comparisons.csv")


@pytest.fixture
def campaign(tmp_path):
    def write(duration=20, more=""):
        path = tmp_path / "small.toml"
        path.write_text(CAMPAIGN.replace("DURATION", str(duration)) + more)
        return path

    return write


def start(file, out, *more):
    """A campaign in a process of its own."""
    command = [sys.executable, "-m", "manet_mutex.sweep", str(file), "--out", str(out), *more]
    return subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


def tables(folder):
    return {name: (folder / name).read_bytes() for name in TABLES}


def keys(folder):
    return sorted(row["key"] for row in read_rows(folder))


def test_a_campaign_and_its_files(campaign, tmp_path, capsys):
    out = tmp_path / "out"
    assert sweep.main([str(campaign()), "--out", str(out), "--jobs", "2"]) == 0
    assert "8 of 8 runs" in capsys.readouterr().out
    assert len(set(keys(out))) == 8
    for name in (*TABLES, "runs.parquet", "plots/wait_mean_s-by-think.svg", "report.html"):
        assert (out / name).stat().st_size > 100, name
    head = (out / "runs.csv").read_text().splitlines()[0].split(",")
    assert {"commit", "ns3_version", "think", "seed", "hello", "side", "discard"} <= set(head)

    # Nothing is left to do, and nothing is done.
    before = (out / "runs.jsonl").read_bytes()
    first = tables(out)
    assert sweep.main([str(campaign()), "--out", str(out)]) == 0
    assert (out / "runs.jsonl").read_bytes() == before
    assert tables(out) == first


def test_one_job_and_two_give_the_same_tables(campaign, tmp_path):
    found = {}
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        assert sweep.main([str(campaign()), "--out", str(out), "--jobs", jobs]) == 0
        found[jobs] = tables(out)
    assert found["1"] == found["2"]


def test_killed_half_way_it_finishes_the_rest_only(campaign, tmp_path):
    file, out, whole = campaign(150), tmp_path / "out", tmp_path / "whole"
    process = start(file, out, "--jobs", "1")
    wait_for(lambda: len(read_rows(out)) >= 3)
    process.kill()
    process.communicate()
    before = (out / "runs.jsonl").read_bytes()
    assert 3 <= before.count(b"\n") < 8
    process = start(file, out)
    said = process.communicate()[1]
    assert process.returncode == 0, said
    assert f"{before.count(bytes([10]))} of them there" in said
    assert (out / "runs.jsonl").read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert len(keys(out)) == len(set(keys(out))) == 8

    process = start(file, whole)
    said = process.communicate()[1]
    assert process.returncode == 0, said
    assert tables(out) == tables(whole)


def test_wrong_options_are_failures_with_their_commands(campaign, tmp_path, capsys):
    file = campaign(more='[[grid]]\nmobility = "teleport"\nseeds = [1]\n')
    assert sweep.main([str(file), "--out", str(tmp_path / "out")]) == 1
    assert "1 runs failed" in capsys.readouterr().err
    failure = (tmp_path / "out/failures.jsonl").read_text()
    assert "--mobility=teleport" in failure and "random-direction" in failure
    assert len(keys(tmp_path / "out")) == 8


def test_broken_promises_are_told(campaign, tmp_path, capsys):
    # Without time after the end, somebody is not served any more.
    file = campaign(more="[[grid]]\nthink = 0.01\ngrace = 0\nseeds = [1]\n")
    assert sweep.main([str(file), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "BROKEN (violations 0, unserved" in said and "--grace=0" in said


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, each a process."""
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    options = ["--no-dashboard", "--scheduler-file", str(file)]
    processes = []

    def spawn(*command):
        process = subprocess.Popen(
            [*dask, *command, *options], env=environment(), stderr=subprocess.DEVNULL
        )
        processes.append(process)
        return process

    spawn("scheduler", "--host", "127.0.0.1", "--port", "0")
    wait_for(lambda: file.exists() and file.stat().st_size > 0)
    workers = [spawn("worker", "--no-nanny", "--nthreads", "1") for _ in range(2)]
    address = json.loads(file.read_text())["address"]
    yield address, workers
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def test_a_worker_of_a_cluster_is_killed(campaign, tmp_path, cluster):
    address, workers = cluster
    file, out = campaign(150), tmp_path / "out"
    process = start(file, out, "--scheduler", address)
    victim = psutil.Process(workers[0].pid)
    wait_for(lambda: len(read_rows(out)) >= 1 and is_running(victim))
    victim.send_signal(signal.SIGKILL)
    said = process.communicate()[1]
    assert process.returncode == 0, said
    assert workers[1].poll() is None
    assert len(keys(out)) == len(set(keys(out))) == 8

    alone = tmp_path / "alone"
    assert sweep.main([str(file), "--out", str(alone)]) == 0
    assert tables(out) == tables(alone)


def is_running(worker):
    """Whether a worker has a scenario under way."""
    names = [child.name() for child in worker.children(recursive=True)]
    return any(name.startswith(("manet-mutex", "setpriv")) for name in names)


def test_a_worker_with_another_program_is_refused():
    with pytest.raises(worker.WrongVersion, match="the campaign needs commit c0 with ns-3 9.9"):
        worker.work({"preset": "ideal", "seed": 1}, ("c0", "9.9"))
