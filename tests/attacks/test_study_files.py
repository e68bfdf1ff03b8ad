"""A study's file is data: reading it imports and calls nothing that it names."""

import re
import subprocess
import sys

import pytest

from shrubs.experiments.job import Job
from shrubs.experiments.study_file import read_study
from shrubs.report import write_study_report
from shrubs.results import append, read

# As the script that pip installs: without this directory on the path.
SHRUBS = [
    sys.executable,
    "-c",
    "import sys; sys.path.remove(''); from shrubs.cli import main; main()",
]
HEAD = 'name = "trap"\n[[streams]]\nnames = ["sea"]\nn_examples = 600\n'
CALLS = HEAD + '[[methods]]\nlearner = "subprocess:check_output"\noptions.args = {command}\n'
IMPORTS = HEAD + '[[methods]]\nlearner = "trap_of_a_stranger:Learner"\n'
HARMLESS = HEAD + '[[methods]]\nlearner = "no-change"\n'
MANY = list(range(1, 1002))
TRAP = """
import pathlib
pathlib.Path({trace!r}).touch()
class Learner:
    memory_bytes = 1
    def learn_one(self, x, y): pass
    def predict_one(self, x): return 0
"""


@pytest.fixture
def trace(tmp_path):
    return tmp_path / "trace"


@pytest.fixture
def folder(tmp_path, trace, monkeypatch):
    """A directory with a module that leaves a trace where it is imported."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "trap_of_a_stranger.py").write_text(TRAP.format(trace=str(trace)))
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.fixture(params=[CALLS, IMPORTS], ids=["calls", "imports"])
def file(request, folder, trace):
    file = folder / "study.toml"
    file.write_text(request.param.format(command=["touch", str(trace)]))
    return file


def shrubs(*arguments, cwd):
    command = [*SHRUBS, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_learner_outside_the_registry_is_refused(file, trace):
    with pytest.raises(
        ValueError, match=r"study\.toml, methods\[0\]: learner '.*' is imported cod"
    ):
        read_study(file)
    assert not trace.exists()


def test_a_learner_that_may_be_imported_is_not_called(folder, trace):
    file = folder / "study.toml"
    file.write_text(CALLS.format(command=["touch", str(trace)]))
    (job,) = read_study(file, allow_imports=True).jobs()
    assert job.configuration == {"args": ["touch", str(trace)]}
    assert not trace.exists()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("shrubs.learners:NoChnge", "'shrubs.learners' has no 'NoChnge'; did you mean 'NoChange'?"),
        ("no_such_module:Learner", "cannot import 'no_such_module': No module named"),
        ("json:dumps", "missing a required argument: 'obj'"),
        ("shrubs:ShrubClassifier", "got an unexpected keyword argument 'memry'"),
    ],
)
def test_mistakes_are_found_without_calling(folder, path, message):
    file = folder / "study.toml"
    option = "options.memry = 1\n" if path.startswith("shrubs:") else ""
    file.write_text(f'{HEAD}[[methods]]\nlearner = "{path}"\n{option}')
    with pytest.raises(ValueError, match=re.escape(f"methods[0]: learner '{path}': {message}")):
        read_study(file, allow_imports=True)


def test_the_command_needs_a_permission(file, trace):
    done = shrubs("study", file, "-o", "out", cwd=file.parent)
    assert done.returncode == 1
    assert re.fullmatch(r"error \S+study.toml, methods\[0\]: .* --allow-imports .*\n", done.stderr)
    assert not trace.exists()
    assert not (file.parent / "out").exists()


def test_with_permission_modules_of_this_directory_are_found(folder, trace):
    (folder / "study.toml").write_text(IMPORTS)
    done = shrubs("study", "study.toml", "--allow-imports", "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert read(folder / "out")[0].finished
    assert trace.exists()


def test_what_a_directory_names_is_not_imported(file, trace, tmp_path):
    """The directory of a study comes from a stranger; our own study has the same name."""
    append(file.parent / "results.jsonl", Job("no-change", "sine").failed("time", "slow"))
    (tmp_path / "mine.toml").write_text(HARMLESS)
    (tmp_path / "other.toml").write_text(HARMLESS.replace("trap", "other"))
    other = shrubs("study", "other.toml", "-o", file.parent, cwd=tmp_path)
    assert other.returncode == 1
    assert "holds the study 'trap', not 'other'" in other.stderr
    named = file.read_text()
    mine = shrubs("study", "mine.toml", "-o", file.parent, cwd=tmp_path)
    assert mine.returncode == 0, mine.stderr
    file.write_text(named)
    write_study_report(file.parent, figures=False)  # which `shrubs report` calls
    assert not trace.exists()


def test_modules_that_lie_about_are_not_imported(folder, trace):
    """Neither by the command nor by the processes of its runs, whatever they are called."""
    trap = (folder / "trap_of_a_stranger.py").read_text()
    for name in ("json", "numpy", "psutil", "pickle", "torch", "river", "typing", "tomllib"):
        (folder / f"{name}.py").write_text(trap)
    done = shrubs("race", "sea", "-l", "no-change,windowed-tree", "-n", 600, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not trace.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = " + 5000 * "[" + 5000 * "]", "study.toml is not TOML: "),
        (HEAD + '[[methods]]\nlearner = "no-change"\noptions.a = "{}"', "no range is called ''"),
        (
            HEAD + '[[methods]]\nlearner = "no-change"\noptions.a = "{b:>9999999999}"\n'
            "ranges.b = [1]",
            "methods[0]: options: '{b:>9999999999}' must hold names in braces alone",
        ),
        (HEAD + f'[[methods]]\nlearner = "{10**6 * "x"}"', "methods[0]: unknown learner 'xxxxxx"),
        (f"name = {[1] * 10**5}", "study.toml: name must be a text, got [1, 1, 1, 1, 1, 1, ...]"),
        (
            f"configurations = {10**12}\nseeds = {MANY}\n{HEAD}[[methods]]\n"
            f'learner = "windowed-tree"\nranges.window_size = {MANY}\n',
            "study.toml has more than 1,000,000 runs; divide it into several studies",
        ),
    ],
    ids=["deep", "braces", "width", "name", "list", "runs"],
)
def test_odd_files_get_one_short_line(folder, text, message):
    file = folder / "study.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read_study(file)
    assert len(str(caught.value)) < len(str(file)) + 300
