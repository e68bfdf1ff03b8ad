"""The command `shrubs race`, as people start it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shrubs.experiments.registry import LEARNERS
from shrubs.results import read
from tests.unit.runners.waiting import PATIENCE, lines, wait_for

pytest.importorskip("typer")

ROOT = Path(__file__).parents[3]
UNTUNED = next(name for name, entry in LEARNERS.items() if entry.label == "SE auto")
NOTES = "tests.unit.experiments.bad_learners:Notes"


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", "from shrubs.cli import main; main()", "race", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )


def race(*arguments):
    process = start(*arguments)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def test_a_race_names_the_winner_and_the_report(tmp_path):
    code, out, err = race("sea", "-l", "shrubs,no-change", "-n", 2000, "-o", tmp_path / "out")
    assert code == 0, err
    assert f"{LEARNERS['shrubs'].label} wins over one stream" in out
    assert f"The report is in {tmp_path}/out/report.html" in out
    assert (tmp_path / "out/report.html").stat().st_size > 10_000


def test_64_kb_race_1_mb_in_one_command(tmp_path):
    code, out, err = race(
        "sea", "-l", f"large={UNTUNED}", "-l", f"small={UNTUNED}", "-n", 2000, "--set",
        "large.memory_limit=1MB", "--set", "small.memory_limit=64KB", "-o", tmp_path, "--json",
    )  # fmt: skip
    assert code == 0, err
    records = [json.loads(line) for line in out.splitlines()]
    limits = {record["label"]: record["configuration"]["memory_limit"] for record in records}
    assert limits == {"large": "1MB", "small": "64KB"}
    memory = {record["label"]: record["metrics"]["max_memory_bytes"] for record in records}
    assert memory["small"] <= 64 * 1024 < memory["large"] <= 1024**2
    assert {record.label for record in read(tmp_path / "results.jsonl")} == {"large", "small"}


def test_a_learner_that_is_stopped_is_reported_and_the_others_go_on(tmp_path):
    names = ("Computes", "Grows", "Raises", "Segfaults")
    paths = [f"tests.unit.experiments.bad_learners:{name}" for name in names]
    code, out, err = race(
        "sea", "-l", ",".join([*paths, "no-change", "majority-class"]), "-n", 2000,
        "--max-seconds", 3, "--max-memory", "900KB", "-o", tmp_path,
    )  # fmt: skip
    assert code == 1
    failures = {r.label: r.failure for r in read(tmp_path / "results.jsonl")}
    assert failures == {
        "Computes": "time", "Grows": "memory", "Raises": "error", "Segfaults": "crash",
        "NC": None, "MC": None,
    }  # fmt: skip
    assert "Computes on sea  failed (time): took more than 3 seconds of computing" in err
    assert "Grows (failed: memory)" in out
    assert "MC wins over one stream" in out
    assert f"The report is in {tmp_path}/report.html" in out


def test_a_race_of_failures_has_no_report(tmp_path):
    code, out, _ = race("sea", "-l", "tests.unit.experiments.bad_learners:Raises", "-o", tmp_path)
    assert code == 1
    assert "Too few finished runs" in out
    assert not (tmp_path / "report.html").exists()


def test_an_interrupted_race_reports_what_there_is(tmp_path):
    table, notes, results = (tmp_path / name for name in ("small.csv", "notes", "results.jsonl"))
    table.write_text("x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60)))
    endless = 10**9
    process = start("sea", table, "-l", NOTES, "-s", f"{NOTES}.file={notes}", "-n", endless,
                    "--workers", 2, "-o", tmp_path)  # fmt: skip
    wait_for(lambda: lines(notes) == 2 and lines(results) == 1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert {r.stream: r.finished for r in read(results)} == {"small": True, "sea": False}
    assert "Notes (interrupted)" in out
    assert (tmp_path / "report.html").exists()
