"""A real cluster on this machine: a scheduler and two workers, each in a process of its own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from shrubs.experiments.job import Job, do_job
from shrubs.experiments.study import Limits
from shrubs.results import read
from shrubs.runners.study import run_study
from tests.unit.runners.records import comparable
from tests.unit.runners.waiting import wait_for

pytest.importorskip("distributed")

from shrubs.runners.cluster import Cluster

ROOT = Path(__file__).parents[3]
LIMITS = Limits(max_seconds=5)


class Node:
    """A process of the cluster, ended at the end."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]],
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )

    def wait_for(self, pattern):
        for line in self.process.stderr:
            found = re.search(pattern, line)
            if found:
                return found.group(1)
        raise AssertionError("the process of the cluster ended")

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()


@contextlib.contextmanager
def started(directory):
    with contextlib.ExitStack() as nodes:

        def start(*command):
            node = Node(*command)
            nodes.callback(node.close)
            return node

        scheduler = start(
            "dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--dashboard-address",
            "127.0.0.1:0",
        )
        address = scheduler.wait_for(r"Scheduler at: +(tcp://\S+)")
        options = (
            "--no-nanny",
            "--nthreads",
            "1",
            "--no-dashboard",
            "--local-directory",
            str(directory),
        )
        workers = [start("dask_worker", address, *options) for _ in range(2)]
        for worker in workers:
            worker.wait_for(r"(Registered to)")
        yield address, workers


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with started(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.fixture
def fragile_cluster(tmp_path):
    with started(tmp_path / "dask") as found:
        yield found


class Listener:
    def __init__(self, on_record=lambda: None):
        self.records, self.lost, self._on_record = {}, [], on_record

    def on_record(self, job, record):
        self.records[job.run_id] = record
        self._on_record()

    def on_lost(self, job, message):
        self.lost.append((job, message))

    def on_tick(self, running):
        pass

    def on_interrupt(self):
        pass


def job(kind, **options):
    return Job(f"tests.unit.experiments.bad_learners:{kind}", "sea", options, {"n_examples": 1000})


def test_a_cluster_that_loses_a_worker_gives_the_same_records(fragile_cluster, tmp_path):
    address, workers = fragile_cluster
    notes, gate = str(tmp_path / "notes"), tmp_path / "gate"
    gate.write_text("2")
    jobs = [
        *(job("Notes", file=notes, name=name, gate=str(gate)) for name in range(6)),
        Job("shrubs-paper", "sea", {"max_shrubs": 4, "window_size": 32}, {"n_examples": 1000}),
        job("Raises"),
        job("Segfaults"),
        job("Computes"),
    ]

    def kill_a_worker():
        if len(listener.records) == 2:
            os.killpg(workers[0].process.pid, signal.SIGKILL)
            gate.write_text("6")

    listener = Listener(kill_a_worker)
    run_study(jobs, LIMITS, Cluster(address), listener)
    assert not listener.lost
    assert workers[0].process.wait() == -signal.SIGKILL
    for each in jobs[:7]:
        assert comparable(listener.records[each.run_id]) == comparable(do_job(each))
    assert [listener.records[each.run_id].failure for each in jobs[7:]] == [
        "error",
        "crash",
        "time",
    ]


WAITING = """
import sys, time
from tests.unit.runners.test_cluster import Cluster, Limits, job
place = Cluster(sys.argv[1])
place.submit(job("Sleeps"), Limits(max_wall_seconds=1000))
sys.stdin.read()
place.close()
"""


@pytest.mark.parametrize("end", ["close", "kill"])
def test_a_run_ends_soon_after_the_study_that_wants_it(cluster, end):
    address, workers = cluster
    study = subprocess.Popen([sys.executable, "-c", WAITING, address], stdin=subprocess.PIPE)
    wait_for(lambda: any(_runs(worker) for worker in workers))
    if end == "kill":
        study.kill()
    study.communicate()
    wait_for(lambda: not any(_runs(worker) for worker in workers))


def test_the_same_command_works_on_a_cluster(cluster, tmp_path):
    pytest.importorskip("typer")
    address, _ = cluster
    command = [sys.executable, "-c", "from shrubs.cli import main; main()", "study"]
    done = subprocess.run(
        [*command, "smoke", "--on", address, "-o", str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    records = read(tmp_path / "out/results.jsonl")
    assert len(records) == 12
    assert all(record.finished for record in records)


def test_an_address_without_a_scheduler_is_named():
    with pytest.raises(ValueError, match="no Dask scheduler answers at"):
        Cluster("tcp://127.0.0.1:1", timeout=0.1)


def _runs(worker):
    return psutil.Process(worker.process.pid).children()
