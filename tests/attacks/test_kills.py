"""A study that is killed at any moment, again and again, ends with the records of a whole one."""

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from shrubs.results import read
from tests.attacks.budget import rounds
from tests.unit.runners.records import comparable
from tests.unit.runners.waiting import lines, wait_for

pytest.importorskip("typer")

ROOT = Path(__file__).parents[2]
SHRUBS = [sys.executable, "-c", "from shrubs.cli import main; main()", "study"]
N_RUNS = 24
STUDY = """
configurations = {n_runs}
[[streams]]
names = ["agrawal_a"]
n_examples = 1000
[[methods]]
learner = "tests.unit.experiments.bad_learners:Notes"
options.file = "{notes}"
ranges.name = {names}
"""


class Study:
    """A study whose runs note when they begin, and its directory."""

    def __init__(self, folder):
        folder.mkdir()
        self.notes, self.file, self.directory = folder / "notes", folder / "s.toml", folder / "out"
        names = list(range(N_RUNS))
        self.file.write_text(STUDY.format(n_runs=N_RUNS, notes=self.notes, names=names))
        self.results = self.directory / "results.jsonl"

    def start(self):
        command = [*SHRUBS, self.file, "--allow-imports", "-o", self.directory]
        return subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def finish(self):
        process = self.start()
        _, said = process.communicate()
        assert process.returncode == 0, said

    def kill_at(self, n_done, draw):
        """Start it, and kill it soon after so many runs are done."""
        process = self.start()
        wait_for(lambda: process.poll() is not None or lines(self.results) >= n_done)
        time.sleep(draw.choice((0.0, 0.01, 0.3)) * draw.random())
        kill(process, draw)

    def tear(self, rest):
        """Leave what a power cut leaves of a record; there is one at most, since writers mend."""
        if lines(self.results) and self.results.read_bytes().endswith(b"\n"):
            with self.results.open("ab") as file:
                file.write(rest)

    def begun(self):
        return self.notes.read_text().split() if self.notes.exists() else []

    def done(self):
        """The whole lines of the results."""
        content = self.results.read_bytes() if self.results.exists() else b""
        return content[: content.rfind(b"\n") + 1]

    def outcomes(self):
        """What came of each run; where the notes are is no part of it."""
        found = {}
        for record in read(self.results):
            name = record.configuration["name"]
            assert name not in found
            record.configuration.pop("file")
            found[name] = comparable(record)
        return found


def kill(process, draw):
    """Kill the study alone, or with all of its processes, in any order."""
    with contextlib.suppress(psutil.NoSuchProcess):  # it may have ended by itself
        victims = [psutil.Process(process.pid)]
        if draw.random() < 0.7:
            victims += victims[0].children(recursive=True)
            draw.shuffle(victims)
        for victim in victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()
    process.communicate()


def test_a_killed_study_loses_no_run_and_does_none_twice(tmp_path):
    whole, killed = Study(tmp_path / "whole"), Study(tmp_path / "killed")
    whole.finish()
    for draw in rounds(4):
        done, n_begun = killed.done(), len(killed.begun())
        killed.kill_at(draw.randint(0, N_RUNS - 1), draw)
        if draw.random() < 0.3:
            killed.tear(draw.choice((b'{"learner', b'{"learner":"x","metr', bytes(99))))
        assert killed.done().startswith(done)
        names = {json.loads(line)["configuration"]["name"] for line in done.splitlines()}
        assert names.isdisjoint(map(int, killed.begun()[n_begun:]))
        if draw.random() < 0.3:
            killed.finish()
            assert killed.outcomes() == whole.outcomes()
            killed = Study(tmp_path / f"killed {draw.random()}")
    killed.finish()
    assert killed.outcomes() == whole.outcomes()
