import subprocess
import sys

import pytest

from shrubs.experiments.job import Job
from shrubs.results import StudyDirectory

DONE = Job("shrubs", "sea")


@pytest.fixture
def directory(tmp_path):
    return StudyDirectory(tmp_path / "study-x")


def test_records_are_found_by_their_run(directory):
    record = DONE.failed("time", "too slow")
    with directory:
        assert directory.records() == {}
        directory.add(record)
    with directory:
        assert directory.records() == {DONE.run_id: record}


def test_half_a_record_is_forgotten(directory):
    with directory:
        directory.add(DONE.failed("time", "too slow"))
    with directory.results.open("a") as file:
        file.write('{"learner": "shr')
    with directory:
        assert list(directory.records()) == [DONE.run_id]


def test_failures_are_forgotten_and_nothing_else(directory):
    failed = Job("no-change", "sea").failed("crash", "gone")
    well = (
        Job("no-change", "sine")
        .failed("error", "")
        .__class__(**{**vars(Job("no-change", "sine").failed("error", "")), "failure": None})
    )
    with directory:
        directory.add(failed)
        directory.add(well)
        directory.forget_failures()
        assert list(directory.records().values()) == [well]


def test_forgetting_needs_no_results(directory):
    with directory:
        directory.forget_failures()
        assert directory.records() == {}


def test_the_study_is_kept(directory, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text("name = 'a'\n")
    with directory:
        directory.keep_study(file)
        directory.keep_study(directory.study)  # also from its own copy
    assert directory.study.read_text() == "name = 'a'\n"


def test_a_second_process_is_refused_until_the_first_ends(directory):
    program = f"""
from shrubs.results import StudyDirectory
try:
    with StudyDirectory({str(directory.path)!r}):
        print("in")
except ValueError as error:
    print(error)
"""

    def other():
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    with directory:
        assert other().startswith(f"another study is running in {directory.path}")
    assert other() == "in"
