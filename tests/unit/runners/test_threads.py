import os
import signal

import pytest

from shrubs.experiments.job import Job, do_job
from shrubs.experiments.study import Limits
from shrubs.runners.study import run_study
from shrubs.runners.threads import Threads
from tests.unit.runners.records import comparable


class Listener:
    """Keeps what it hears; ``on_running`` is called when that many runs are under way."""

    def __init__(self, n_running=0, on_running=lambda: None):
        self.records, self.lost, self.interrupts = {}, [], 0
        self.n_running, self.on_running = n_running, on_running

    def on_record(self, job, record):
        self.records[job.run_id] = record

    def on_lost(self, job, message):
        self.lost.append((job, message))

    def on_tick(self, running):
        heard_of = [run for run in running if run.standing is not None]
        if self.n_running and len(heard_of) == self.n_running:
            self.on_running()

    def on_interrupt(self):
        self.interrupts += 1


def endless(seed):
    return Job("no-change", "sea", {}, {"n_examples": 10**9}, seed)


def test_processes_give_the_same_records_as_this_one():
    jobs = [
        Job("windowed-tree", "sea", {"window_size": 16}, {"n_examples": 3000}),
        Job("no-change", "agrawal_a", {}, {"n_examples": 2000}),
        Job("windowed-tree", "led_a", {"window_size": 32}, {"n_examples": 2000}, seed=2, delay=5),
    ]
    listener = Listener()
    run_study(jobs, Limits(), Threads(2), listener)
    assert not listener.lost
    for job in jobs:
        assert comparable(listener.records[job.run_id]) == comparable(do_job(job))


def test_a_run_that_fails_does_not_stop_the_others():
    jobs = [Job("no-change", "nothing"), Job("no-change", "sea", {}, {"n_examples": 1000})]
    listener = Listener()
    run_study(jobs, Limits(), Threads(1), listener)
    failed, good = (listener.records[job.run_id] for job in jobs)
    assert failed.message.startswith("ValueError: unknown stream 'nothing'")
    assert good.n_examples == 1000


def test_ctrl_c_ends_runs_early_and_begins_no_others():
    jobs = [endless(seed) for seed in range(4)]
    listener = Listener(2, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        run_study(jobs, Limits(), Threads(2), listener)
    assert listener.interrupts == 1
    assert set(listener.records) == {job.run_id for job in jobs[:2]}
    for record in listener.records.values():
        assert (record.finished, record.failure) == (False, None)
        assert record.n_examples > 0


def test_a_second_ctrl_c_gives_runs_up_at_once():
    class Impatient(Listener):
        def on_interrupt(self):
            raise KeyboardInterrupt

    sleeps = Job("tests.unit.experiments.bad_learners:Sleeps", "sea", {}, {"n_examples": 1000})
    listener = Impatient(1, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        run_study([sleeps], Limits(), Threads(1), listener)
    assert not listener.records
