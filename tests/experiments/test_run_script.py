"""scripts/run, as people call it."""

import json
import subprocess

from conftest import ROOT


def run(*arguments):
    command = [str(ROOT / "scripts/run"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_run_leaves_a_report(tmp_path):
    out = tmp_path / "a run"
    done = run("--preset", "ideal", "--duration", 8, "--out", out, "--netanim", tmp_path / "x.xml")
    assert done.returncode == 0, done.stderr
    assert f"results in {out}" in done.stdout
    assert f"report in {out}/report.html" in done.stderr
    summary = json.loads((out / "summary.json").read_text())
    assert summary["options"]["duration"] == 8
    assert f"<title>rl on {summary['nodes']} nodes</title>" in (out / "report.html").read_text()
    assert (tmp_path / "x.xml").read_text().startswith("<?xml")


def test_json_goes_to_standard_output_alone(tmp_path):
    out = tmp_path / "run"
    done = run("--preset=ideal", "--duration=6", f"--out={out}", "--format=json")
    assert json.loads(done.stdout)["options"]["out"] == str(out)
    assert (out / "report.html").exists()


def test_without_a_report(tmp_path):
    for option in ("--no-report", "--events=false"):
        done = run("--preset=ideal", "--duration=6", f"--out={tmp_path}", option)
        assert done.returncode == 0, done.stderr
        assert not (tmp_path / "report.html").exists()


def test_broken_promises_have_a_report_and_their_exit_code(tmp_path):
    done = run(
        *("--preset=ideal", "--duration=6", "--think=0.01", "--grace=0", f"--out={tmp_path}")
    )
    assert done.returncode == 1
    assert "unserved requests:" in (tmp_path / "report.html").read_text()
