import os
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from shrubs.experiments.job import Job, do_job
from shrubs.experiments.registry import LEARNERS
from shrubs.experiments.study import Limits
from shrubs.runners.watched import Stopped, WatchedProcess
from tests.unit.runners.records import comparable

LIMITS = Limits(max_seconds=30, max_model_bytes=10**8, max_process_bytes=10**9)
OPTIONS = {"n_examples": 2000}


def bad(name):
    return Job(f"tests.unit.experiments.bad_learners:{name}", "sea", {}, OPTIONS)


GOOD = Job("shrubs-paper", "sea", {"max_shrubs": 4, "window_size": 32}, OPTIONS)


@pytest.fixture
def process():
    process = WatchedProcess()
    yield process
    process.close()


def test_a_watched_run_gives_the_same_record_as_one_in_this_process(process):
    record = process.do(GOOD, LIMITS)
    assert comparable(record) == comparable(do_job(GOOD))
    assert record.run_id == GOOD.run_id


@pytest.mark.parametrize(
    ("name", "limits", "failure", "message"),
    [
        ("Sleeps", {"max_wall_seconds": 2}, "time", "took more than 2 seconds"),
        ("HoldsTheInterpreter", {"max_wall_seconds": 2}, "time", "took more than 2 seconds"),
        ("Computes", {"max_seconds": 1}, "time", "took more than 1 seconds of computing"),
        ("Leaks", {"max_process_bytes": 10**8}, "memory", "the process has grown by"),
        ("LeaksInAChild", {"max_process_bytes": 10**8}, "memory", "the process has grown by"),
        ("Grows", {"max_model_bytes": 800_000}, "memory", "more than 800,000"),
        ("GrowsAtOnce", {"max_model_bytes": 800_000}, "memory", "2,000,000 bytes, more than"),
        ("Segfaults", {}, "crash", "the process ended with signal SIGSEGV"),
        ("Exits", {}, "crash", "the process ended with exit code 7: no more"),
        ("Raises", {}, "error", "RuntimeError: out of luck"),
    ],
)
def test_a_run_that_goes_wrong_has_a_record_and_the_next_run_goes_well(
    process, name, limits, failure, message
):
    job = bad(name)
    record = process.do(job, Limits(**{**vars(LIMITS), **limits}))
    assert record.failure == failure
    assert message in record.message
    assert record.run_id == job.run_id
    assert not record.finished
    assert process.do(GOOD, LIMITS).failure is None


@pytest.mark.skipif(not LEARNERS["moa:efdt"].is_installed, reason="needs Java and MOA")
def test_the_end_of_the_java_machine_is_a_crash(process):
    assert process.do(Job("moa:efdt", "sea", {}, OPTIONS), LIMITS).failure is None
    record = process.do(bad("HaltsJava"), LIMITS)
    assert (record.failure, record.message) == ("crash", "the process ended with exit code 3")
    assert process.do(Job("moa:efdt", "sea", {}, OPTIONS), LIMITS).failure is None


def test_what_was_known_of_a_dropped_run_is_kept(process):
    record = process.do(bad("Sleeps"), Limits(max_wall_seconds=2))
    assert 0 < record.n_examples <= 600
    assert record.metrics["accuracy"] == 0.0


def test_what_a_learner_prints_does_no_harm(process):
    assert process.do(bad("Prints"), LIMITS).failure is None


def test_a_run_that_nobody_wants_is_given_up_soon(process):
    start = time.monotonic()
    with pytest.raises(Stopped):
        process.do(bad("Sleeps"), LIMITS, is_stopped=lambda: time.monotonic() - start > 1)
    assert time.monotonic() - start < 10


def test_what_a_run_started_ends_with_it(process):
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    process.do(bad("LeaksInAChild"), Limits(max_process_bytes=10**8))
    left = [child for child in psutil.process_iter() if _is_left(child, before)]
    assert not left


def _is_left(process, before):
    try:
        ours = "shrubs.runners.child" in " ".join(process.cmdline())
        return ours and process.ppid() in (1, os.getpid()) and process.pid not in before
    except psutil.Error:
        return False


def test_the_process_does_not_outlive_the_one_that_watches_it():
    program = """
        import os
        from tests.unit.runners.test_watched import LIMITS, WatchedProcess, bad
        process = WatchedProcess()
        def report(standing):
            print(process._child._process.pid, flush=True)
            os.kill(os.getpid(), 9)
        process.do(bad("Sleeps"), LIMITS, report=report)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 20
    while psutil.pid_exists(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(pid)
