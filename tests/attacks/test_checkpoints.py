"""A checkpoint is data: whatever its file holds, opening it runs nothing and fails in one line."""

import hashlib
import json
import os
import pickle
import re
import subprocess
import sys

import pytest

from shrubs import MajorityClass, NoChange, PaperShrubClassifier, PaperShrubRegressor
from shrubs.evaluation import evaluate
from tests.attacks.budget import rounds
from tests.attacks.json_trees import spoiled
from tests.unit.evaluation.toys import ToyStream

SHRUBS = [sys.executable, "-c", "from shrubs.cli import main; main()"]
SMALL = {"max_shrubs": 4, "window_size": 32}
MAKERS = {
    "paper": lambda: PaperShrubClassifier(**SMALL),
    "target": lambda: PaperShrubRegressor(**SMALL),
    "majority": MajorityClass,
    "last": NoChange,
}


def stop_at_1500(evaluation):
    if evaluation.n_examples >= 1500:
        raise KeyboardInterrupt


def resume(name, file, progress=None):
    stream = ToyStream(2000, regression=name == "target")
    return evaluate(MAKERS[name](), stream, delay=5, checkpoint=file, progress=progress)


def refusal(name, file):
    """The message of the error; None if there is none."""
    try:
        resume(name, file)
    except ValueError as error:
        return str(error)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.checkpoint"


def signed(data):
    return b"shrubs checkpoint 2 " + hashlib.sha256(data).hexdigest().encode() + b"\n" + data


class Trap:
    """Runs a command where it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.system, (f"touch {self.trace}",)


def test_a_pickle_is_not_opened(file, tmp_path):
    for head in (b"", b"shrubs checkpoint 2 ", b"shrubs checkpoint 1\n"):
        file.write_bytes(head + pickle.dumps(Trap(tmp_path / "trace")))
        with pytest.raises(ValueError, match=re.escape(str(file))):
            resume("paper", file)
    file.write_bytes(signed(pickle.dumps(Trap(tmp_path / "trace"))))
    with pytest.raises(ValueError, match="is a damaged checkpoint"):
        resume("paper", file)
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no checkpoint of shrubs; choose another file"),
        (b"\x80\x04.", "is no checkpoint of shrubs"),
        (b"name,value\n1,2\n", "is no checkpoint of shrubs"),
        (b"shrubs checkpoint 1 abc\n{}", "is a checkpoint of another version of shrubs"),
        (b"shrubs checkpoint 2 abc\n{}", "is a damaged checkpoint; remove it to begin again"),
        (signed(b""), "is a damaged checkpoint"),
        (signed(b"[]"), "is a damaged checkpoint"),
        (signed(b"[" * 500_000), "is a damaged checkpoint"),
        (signed(b"{}"), "was written with stream=None, not 'toy'"),
    ],
)
def test_what_is_no_checkpoint_is_named(file, content, message):
    file.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(f"{file} {message}")):
        resume("paper", file)
    assert file.read_bytes() == content


@pytest.mark.parametrize("name", MAKERS)
def test_a_damaged_checkpoint_is_refused(file, name):
    resume(name, file, stop_at_1500)
    whole = file.read_bytes()
    for draw in rounds(60):
        at = draw.randrange(len(whole))
        changed = bytes([whole[at] ^ 1 << draw.randrange(8)])
        for damaged in (whole[:at], whole[:at] + changed + whole[at + 1 :]):
            file.write_bytes(damaged)
            with pytest.raises(ValueError, match=f"^{re.escape(str(file))} is [^\\n]*checkpoint"):
                resume(name, file)
    file.write_bytes(whole)
    assert resume(name, file).finished


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # nonsense in, nonsense out
def test_a_forged_checkpoint_is_refused_or_harmless(file):
    """With a right digest: then the values themselves must fit."""
    wholes = {}
    for name in MAKERS:
        file.unlink(missing_ok=True)
        resume(name, file, stop_at_1500)
        wholes[name] = json.loads(file.read_bytes().partition(b"\n")[2])
    for draw in rounds(400):
        name = draw.choice(list(MAKERS))
        file.write_bytes(signed(json.dumps(spoiled(wholes[name], draw)).encode()))
        message = refusal(name, file)
        assert message is None or (str(file) in message and "\n" not in message)


class Rows:
    """A learner of a user, without a byte state."""

    memory_bytes = 1

    def learn_one(self, x, y):
        raise AssertionError("it is refused before")

    predict_one = learn_one


def test_a_learner_without_a_byte_state_is_refused_before_the_run(file):
    with pytest.raises(ValueError, match="a learner with to_bytes and from_bytes, which Rows does"):
        evaluate(Rows(), ToyStream(100), checkpoint=file)
    assert not file.exists()


def test_a_file_that_cannot_be_written_is_named_before_the_run(tmp_path):
    class Unused(NoChange):
        def interleave(self, block, learned):
            raise AssertionError("it is refused before")

    with pytest.raises(FileNotFoundError, match="nowhere"):
        evaluate(Unused(), ToyStream(100), checkpoint=tmp_path / "nowhere/run.checkpoint")


@pytest.mark.parametrize("content", [b"", b"garbage", pickle.dumps({})])
def test_the_command_line_says_it_in_one_line(file, content):
    file.write_bytes(content)
    command = ["run", "no-change", "sea", "-n", "100", "--checkpoint", str(file)]
    done = subprocess.run([*SHRUBS, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"error {file} is no checkpoint of shrubs; choose another file\n"
