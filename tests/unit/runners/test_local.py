import pytest

from shrubs.experiments.job import Job, do_job
from shrubs.runners import run_all
from tests.unit.runners.records import comparable

SMALL = {"max_shrubs": 4, "window_size": 32}


class Listener:
    def __init__(self):
        self.progress, self.records, self.failures = [], {}, {}

    def on_progress(self, progress):
        self.progress.append(progress)

    def on_record(self, job, record):
        self.records[job] = record

    def on_failure(self, job, message):
        self.failures[job] = message


def test_processes_give_the_same_records_as_this_one():
    jobs = [
        Job("shrubs-paper", "sea", SMALL, {"n_examples": 3000}),
        Job("no-change", "agrawal_a", {}, {"n_examples": 2000}),
        Job("windowed-tree", "led_a", {"window_size": 32}, {"n_examples": 2000}, seed=2, delay=5),
    ]
    listener = Listener()
    run_all(jobs, listener, workers=2)
    assert not listener.failures
    for index, job in enumerate(jobs):
        assert comparable(listener.records[index]) == comparable(do_job(job))


def test_a_run_that_fails_does_not_stop_the_others():
    jobs = [Job("nothing", "sea"), Job("no-change", "sea", {}, {"n_examples": 1000})]
    listener = Listener()
    run_all(jobs, listener, workers=1)
    assert listener.failures[0].startswith("unknown learner 'nothing'")
    assert listener.records[1].n_examples == 1000


def test_a_shorter_stream_of_the_paper_keeps_its_drifts():
    record = do_job(Job("no-change", "led_a", {}, {"n_examples": 4000}))
    assert record.known_drifts == (1000, 2000, 3000)


def test_a_regression_refuses_a_learner_of_classes(tmp_path):
    file = tmp_path / "targets.csv"
    file.write_text("a,target\n" + "".join(f"{i},{i / 7:.3f}\n" for i in range(60)))
    with pytest.raises(ValueError, match="'majority-class' takes classes, but this stream has"):
        do_job(Job("majority-class", str(file)))
    assert do_job(Job("shrubs-paper", str(file), SMALL)).metrics["r2"] is not None
