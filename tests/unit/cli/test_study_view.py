import io

import pytest

pytest.importorskip("rich")

from rich.console import Console

from shrubs.cli.study_view import StudyView, summary
from shrubs.experiments.job import Job, do_job
from shrubs.runners.child import Standing
from shrubs.runners.study import Running

JOBS = [Job("no-change", "sea", {}, {"n_examples": 500}, seed) for seed in range(4)]


def seen(terminal, running):
    """What is written after one run went well, one failed, and one is lost."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=120, color_system=None)
    kept = []
    with StudyView(JOBS, 2, console, kept.append) as view:
        view.on_record(JOBS[0], do_job(JOBS[0]))
        view.on_record(JOBS[1], JOBS[1].failed("time", "took more than [5] seconds"))
        view.on_lost(JOBS[2], "no room")
        view.on_tick(running)
    assert [record.failure for record in kept] == [None, "time"]
    assert view.lost == 1
    return file.getvalue()


def test_a_terminal_shows_done_running_failed_and_the_time_left():
    standing = Standing(300, 500, {"accuracy": 0.625})
    shown = seen(True, [Running(JOBS[3], 7.2, standing)])
    assert "4 of 6 done, 1 running, 1 failed (1 time), 0 s left" in shown
    assert "NC on sea  300 of 500 examples  62.50% right  7 s" in shown


def test_a_cluster_shows_how_many_run():
    assert "4 of 6 done, 2 running, 1 failed (1 time)" in seen(True, 16)


def test_a_pipe_gets_a_line_for_each_run():
    lines = seen(False, ()).splitlines()
    assert lines[0].split()[:4] == ["3/6", "NC", "on", "sea"]
    assert lines[1].startswith("      4/6  NC on sea  failed (time): took more than [5] seconds")
    assert lines[2] == "lost NC on sea: no room"
    assert len(lines) == 3


def test_the_summary_counts_what_became_of_the_runs():
    console = Console(file=io.StringIO(), width=80)
    records = [JOBS[0].failed("time", ""), JOBS[1].failed("crash", ""), do_job(JOBS[2])]
    console.print(summary(records, 4))
    rows = [line.split() for line in console.file.getvalue().splitlines()]
    assert rows[1:] == [["no-change", "1", "1", "1"], ["3", "of", "4", "runs", "1", "1", "1"]]
