import io
import re
from types import SimpleNamespace

import pytest

pytest.importorskip("rich")

from shrubs.cli import view
from shrubs.cli.console import Terminal
from shrubs.cli.view import View
from shrubs.experiments.job import Job, do_job
from shrubs.runners.process.child import Standing
from shrubs.runners.study import Running

JOBS = [Job("no-change", "sea", {}, {"n_examples": 500}, seed) for seed in range(4)]
RECORD = do_job(JOBS[0])
STANDING = Standing(
    300,
    500,
    {"accuracy": 0.625, "memory_bytes": 2048, "predict_seconds": 0.001, "learn_seconds": 0.002},
)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Time stands still."""
    monkeypatch.setattr(view, "time", SimpleNamespace(monotonic=lambda: 7.0))


def seen(terminal, running, height=25):
    """What is written after one run went well, one failed, and one is lost."""
    file = io.StringIO()
    console = Terminal(
        file=file, force_terminal=terminal, width=80, height=height, color_system=None
    )
    kept = []
    with View(JOBS, console, kept.append, done=2) as shown:
        shown.on_record(JOBS[0], RECORD)
        shown.on_record(JOBS[1], JOBS[1].failed("time", "took more than [5] seconds"))
        shown.on_lost(JOBS[2], "no room")
        shown.on_tick(running)
    assert [record.failure for record in kept] == [None, "time"]
    assert len(shown.lost) == 1
    return re.sub(r"\x1b\[[?\d]*[A-Za-z]", "", file.getvalue())


def test_a_terminal_shows_a_line_for_every_run_if_they_fit():
    shown = seen(True, [Running(JOBS[3], 6.0, STANDING)])
    lines = [line.split() for line in shown.splitlines()]
    assert ["stream", "learner", "score", "memory", "µs/example", "progress"] in lines
    assert lines.count(["sea", "NC", "-", "0", "B", "0.0", "failed", "(time)"]) >= 1
    assert any(line[:2] == ["sea", "NC"] and line[-1] == "done" for line in lines)
    bar = "━" * 14
    assert ["sea", "NC", "62.50%", "2.0", "KB", "10.0", bar, "4", "s", "left"] in lines
    assert "NC on sea  failed (time): took more than [5] seconds" in shown
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80


def test_a_regression_is_told_as_an_error():
    errors = {"mae": 1.5762, "r2": 0.972, "memory_bytes": 2048}
    shown = seen(True, [Running(JOBS[3], 6.0, Standing(300, 500, errors))])
    assert "MAE 1.576" in shown
    assert "97.2" not in shown


def test_a_small_terminal_shows_one_bar_and_what_runs():
    shown = seen(True, [Running(JOBS[3], 6.0, STANDING)], height=5)
    assert "4 of 6 done, 1 running, 1 failed (1 time), 0 s left" in " ".join(shown.split())
    assert f"NC on sea  62.50%  2.0 KB        10.0  {'━' * 14} 4 s left" in shown
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80


def test_a_cluster_shows_how_many_run():
    assert "4 of 6 done, 2 running, 1 failed (1 time)" in " ".join(seen(True, 16).split())


def test_a_pipe_gets_a_line_for_each_run():
    lines = seen(False, ()).splitlines()
    assert lines[0].split()[:4] == ["3/6", "NC", "on", "sea"]
    assert lines[1].startswith("      4/6  NC on sea  failed (time): took more than [5] seconds")
    assert lines[2] == "lost NC on sea: no room"
    assert len(lines) == 3


def test_80_columns_cut_no_name():
    label = "the-largest-of-all-adaptive-random-forests"
    jobs = [Job("no-change", "gas-sensor-8of10", label=label)]
    file = io.StringIO()
    console = Terminal(file=file, force_terminal=True, width=80, height=25, color_system=None)
    with View(jobs, console, lambda record: None) as shown:
        shown.on_tick([Running(jobs[0], 6.0, STANDING)])
    lines = re.sub(r"\x1b\[[?\d]*[A-Za-z]", "", file.getvalue()).splitlines()
    at = max(i for i, line in enumerate(lines) if line.startswith("stream"))
    start = lines[at].index("learner")
    end = start + max(len(line[start:].split("  ")[0]) for line in lines[at + 1 :])
    assert "".join(line[start:end].strip() for line in lines[at + 1 :]) == label
    assert "…" not in file.getvalue()
    assert max(map(len, map(str.rstrip, lines))) <= 80


def test_a_pipe_hears_of_long_runs_now_and_then(monkeypatch):
    now = iter(range(0, 1000, 20))
    monkeypatch.setattr(view, "time", SimpleNamespace(monotonic=lambda: float(next(now))))
    file = io.StringIO()
    console = Terminal(file=file, force_terminal=False, width=80)
    with View(JOBS, console, lambda record: None) as shown:
        for _ in range(6):
            shown.on_tick([Running(JOBS[0], 6.0, STANDING)])
    lines = file.getvalue().splitlines()
    assert len(lines) == 3  # of 6 ticks
    assert {line.strip() for line in lines} == {"0 of 4 done, 1 running, 0 failed"}
