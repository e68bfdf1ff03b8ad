"""The command `shrubs study`, as people start it: in a process of its own, killed now and then."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest

from shrubs.experiments.study_file import named_studies
from shrubs.results import read
from tests.unit.runners.records import comparable
from tests.unit.runners.waiting import PATIENCE, lines, wait_for, wait_for_end

pytest.importorskip("typer")

ROOT = Path(__file__).parents[3]
SHRUBS = [sys.executable, "-c", "from shrubs.cli import main; main()"]

# One run ends, the other never does.
ENDLESS = """
name = "endless"
[[streams]]
names = ["agrawal_a"]
n_examples = 1000
[[streams]]
names = ["sea"]
n_examples = 1_000_000_000
[[methods]]
learner = "tests.unit.experiments.bad_learners:Notes"
options.file = "{folder}/notes"
"""

BAD = """
name = "bad"
[limits]
max_seconds = 3
max_model_bytes = 900_000
[[streams]]
names = ["sea"]
n_examples = 1000
"""


def start(*arguments, cwd=ROOT):
    return subprocess.Popen(
        [*SHRUBS, "study", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        start_new_session=True,
    )


def study(*arguments, cwd=ROOT):
    process = start(*arguments, cwd=cwd)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def outcomes(directory):
    return sorted(map(repr, map(comparable, read(directory / "results.jsonl"))))


@pytest.fixture
def endless(tmp_path):
    file = tmp_path / "endless.toml"
    file.write_text(ENDLESS.format(folder=tmp_path))
    return file


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    directory = tmp_path_factory.mktemp("smoke") / "study-smoke"
    code, _, err = study("smoke", "--output", directory)
    assert code == 0, err
    return directory


def test_the_smoke_study_does_all_of_its_runs(smoke):
    records = read(smoke / "results.jsonl")
    assert Counter(record.learner for record in records) == {
        "shrubs-paper": 4, "windowed-tree": 4, "no-change": 2, "majority-class": 2
    }  # fmt: skip
    assert all(record.finished and record.failure is None for record in records)
    assert (smoke / "study.toml").read_bytes() == named_studies()["smoke"].read_bytes()


def test_a_study_ends_with_its_report(smoke):
    page = (smoke / "report.html").read_text(encoding="utf-8")
    assert "12 runs of 4 methods on 2 streams" in page
    assert "shrubs study smoke" in page
    assert (smoke / "tables/best.md").exists()


def test_a_finished_study_is_not_done_again(smoke):
    before = (smoke / "results.jsonl").read_bytes()
    code, out, err = study(smoke / "study.toml", "--output", smoke, "--json")
    assert (code, out) == (0, "")
    assert "12 runs, 12 of them done before" in err
    assert (smoke / "results.jsonl").read_bytes() == before


def test_another_study_does_not_mix_with_it(smoke, endless):
    code, _, err = study(endless, "--allow-imports", "-o", smoke)
    assert code == 1
    assert f"{smoke} holds the study 'smoke', not 'endless'; choose another directory" in err


def test_one_worker_gives_the_same_as_many(smoke, tmp_path):
    code, out, _ = study("smoke", "-o", tmp_path / "one", "--workers", 1, "--json")
    assert code == 0
    assert outcomes(tmp_path / "one") == outcomes(smoke)
    assert len([json.loads(line)["learner"] for line in out.splitlines()]) == 12


def test_the_best_of_a_study_go_on_in_another_and_are_not_done_twice(smoke, tmp_path):
    # agrawal_a is as long in both, so its runs are taken over; led_g is not.
    file = tmp_path / "final.toml"
    text = 'name = "final"\n[[finalists]]\nbest = 1\n[[methods]]\nlearner = "no-change"\n'
    for name, n in (("agrawal_a", 1000), ("led_g", 1100)):
        text += f'[[streams]]\nnames = ["{name}"]\nn_examples = {n}\none_hot = true\n'
    file.write_text(text)
    code, out, err = study(file, "-o", tmp_path / "out", "--best-of", smoke, "--json")
    assert code == 0, err
    done = Counter(record.stream for record in read(tmp_path / "out"))
    assert done == {"agrawal_a": 4, "led_g": 4}  # the best of SE, WT and MC, and no-change
    assert {json.loads(line)["stream"] for line in out.splitlines()} == {"led_g"}
    assert "8 runs, 4 of them done before" in err


def test_by_default_the_directory_has_the_name_of_the_study(tmp_path):
    file = tmp_path / "tiny.toml"
    file.write_text('name = "tiny"\n[[streams]]\nnames = ["sea"]\nn_examples = 100\n'
                    '[[methods]]\nlearner = "no-change"\n')  # fmt: skip
    code, _, err = study(file, cwd=tmp_path)
    assert code == 0
    assert "shrubs report study-tiny" in err
    assert (tmp_path / "study-tiny/results.jsonl").exists()


def test_bad_runs_are_told_apart_and_stop_nothing(tmp_path):
    names = ("Computes", "Raises", "Segfaults", "Exits", "Grows")
    paths = [f"tests.unit.experiments.bad_learners:{name}" for name in names]
    methods = "".join(f'[[methods]]\nlearner = "{path}"\n' for path in (*paths, "no-change"))
    file = tmp_path / "bad.toml"
    file.write_text(BAD + methods)
    code, _, err = study(file, "--allow-imports", "-o", tmp_path / "bad")
    assert code == 0
    failures = {r.learner.split(":")[-1]: r.failure for r in read(tmp_path / "bad/results.jsonl")}
    assert failures == {
        "Computes": "time",
        "Raises": "error",
        "Segfaults": "crash",
        "Exits": "crash",
        "Grows": "memory",
        "no-change": None,
    }
    assert "failed (crash): the process ended with signal SIGSEGV" in err
    # Failed runs are done again only on request.
    _, out, _ = study(file, "--allow-imports", "-o", tmp_path / "bad", "--json")
    assert out == ""
    _, out, _ = study(file, "--allow-imports", "-o", tmp_path / "bad", "--json", "--retry-failed")
    assert len(out.splitlines()) == 5
    assert len(read(tmp_path / "bad/results.jsonl")) == 6


def test_a_study_without_a_name_goes_on(tmp_path):
    text = '[[streams]]\nnames = ["sea"]\nn_examples = 100\n[[methods]]\nlearner = "no-change"\n'
    (tmp_path / "mine.toml").write_text(text)
    (tmp_path / "named.toml").write_text('name = "named"\n' + text)
    for _ in range(2):
        assert study(tmp_path / "mine.toml", "-o", tmp_path / "out")[0] == 0
    assert len(read(tmp_path / "out")) == 1
    code, _, err = study(tmp_path / "named.toml", "-o", tmp_path / "out")
    assert (code, "holds a study without a name, not 'named'" in err) == (1, True)


def test_runs_end_with_a_study_that_is_killed_alone(endless, tmp_path):
    process = start(endless, "--allow-imports", "-o", tmp_path / "killed")
    wait_for(lambda: lines(tmp_path / "notes") == 2)
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    process.kill()
    process.communicate()
    wait_for_end(children)


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(endless, tmp_path):
    process = start(endless, "--allow-imports", "-o", tmp_path / "out")
    wait_for(lambda: lines(tmp_path / "notes") == 2 and lines(tmp_path / "out/results.jsonl") == 1)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "not all runs are done; the same command goes on" in err
    assert f"The results are in {tmp_path / 'out/results.jsonl'}" in err
    assert "the runs under way end early; Ctrl-C again gives them up at once" in err
    # What ended early is not kept: it is done again from its beginning.
    assert [record.stream for record in read(tmp_path / "out/results.jsonl")] == ["agrawal_a"]


def test_two_studies_in_one_directory_are_refused(endless, tmp_path):
    process = start(endless, "--allow-imports", "-o", tmp_path / "out")
    wait_for(lambda: lines(tmp_path / "notes") >= 1)
    code, _, err = study(endless, "--allow-imports", "-o", tmp_path / "out")
    assert code == 1
    assert "error another study is running in" in err
    process.kill()
    process.communicate()


def test_a_file_is_a_stream(tmp_path):
    (tmp_path / "mine.csv").write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(40)))
    file = tmp_path / "files.toml"
    file.write_text('[[streams]]\nfile = "mine.csv"\ntarget = "y"\n'
                    '[[methods]]\nlearner = "no-change"\n')  # fmt: skip
    code, _, err = study(file, "-o", tmp_path / "out")
    assert code == 0, err
    (record,) = read(tmp_path / "out/results.jsonl")
    assert (record.stream, record.n_examples, record.classes) == ("mine", 40, ("0", "1"))
    assert str(tmp_path) not in record.to_json()
    (tmp_path / "mine.csv").unlink()
    code, _, err = study(file, "-o", tmp_path / "out")
    assert code == 1
    assert err.strip() == f"error {tmp_path / 'mine.csv'}: no such file"


def test_a_mistake_in_the_file_gets_one_line(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text('[[streams]]\nnames = ["seaa"]\n[[methods]]\nlearner = "shrubs"\n')
    code, out, err = study(file)
    assert (code, out) == (1, "")
    assert err.strip() == (
        f"error {file}, streams[0]: unknown stream 'seaa'; did you mean 'sea'? `shrubs streams` "
        "lists all of them"
    )


def test_a_missing_file_gets_one_line():
    code, _, err = study("nothing.toml")
    assert code == 1
    assert err.strip() == "error nothing.toml: No such file or directory"
