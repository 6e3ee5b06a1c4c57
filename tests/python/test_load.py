"""Loading: quick, quiet, and clear about what is missing."""

import importlib.util
import os
import subprocess
import sys

import pytest
from conftest import ROOT
from manet_mutex import NotReady, load


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_quick_and_quiet():
    done = python("from manet_mutex import load; load(); import time; print(time.process_time())")
    assert done.stderr == "" and done.returncode == 0
    # About 2 s of the processor. The stock import takes more than 10 s.
    assert float(done.stdout) < 8


def test_again_and_more(ns):
    assert load() is ns
    assert load("csma") is ns
    assert ns.CsmaHelper()


def test_unknown_module():
    with pytest.raises(NotReady, match="ns-3 has no module 'warp'"):
        load("warp")


def test_module_not_built(tmp_path):
    done = python("from manet_mutex import load; load()", MANET_MUTEX_BUILD=str(tmp_path))
    last = done.stderr.splitlines()[-1]
    assert "NotReady: manet-mutex is not built" in last and "Run scripts/setup" in last
    assert done.returncode == 1


def test_without_cppyy():
    done = python("import sys; sys.modules['cppyy'] = None; from manet_mutex import load; load()")
    last = done.stderr.splitlines()[-1]
    assert "NotReady: the Python package cppyy is not installed" in last
    assert "run scripts/setup python" in last


def test_without_ns3(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NotReady, match="package ns3 is not installed.*scripts/setup python"):
        load()


def test_containers_are_python_sequences(ns):
    nodes = ns.NodeContainer(3)
    assert len(nodes) == 3
    assert [node.GetId() for node in nodes] == [0, 1, 2]


def test_connecting_before_loading():
    done = python("from manet_mutex import connect; connect([], 'Enter', print)")
    assert "RuntimeError: ns-3 is not loaded: call load() first" in done.stderr
