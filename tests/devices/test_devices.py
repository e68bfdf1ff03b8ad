"""The learners on small machines, in an emulator: they predict and know what Python gets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shrubs import PaperShrubClassifier, ShrubClassifier, _core
from shrubs.learners._engine.window_parameters import Splitter
from shrubs.learners.loading import from_bytes
from tests.devices.drifting_stream import draws, drifting_stream
from tests.devices.targets import EXAMPLES, ONE_QUICK, Target, build, missing, run

N_EXAMPLES = 600


@dataclass(frozen=True)
class Outcome:
    """What the example prints."""

    right: int
    predictions: int
    n_bytes: int
    state: bytes

    @classmethod
    def of(cls, output: str) -> Outcome:
        said = dict(line.split(" ", 1) for line in output.splitlines())
        return cls(
            int(said["right"]),
            int(said["predictions"]),
            int(said["bytes"]),
            bytes.fromhex(said["state"]),
        )


def learned_in_python(engine: Any) -> tuple[int, int]:
    """How often it was right on the stream, and the digest of its predictions."""
    right, hashed = 0, 0xCBF29CE484222325
    for x, y in drifting_stream(N_EXAMPLES, drifts_after=N_EXAMPLES // 2):
        row = np.array([x], dtype=np.float32)
        (f,) = engine.predict_many(row)
        for byte in f.tobytes():
            hashed = ((hashed ^ byte) * 0x100000001B3) % 2**64
        right += int(np.argmax(f)) == y
        engine.learn_many(row, np.array([y]))
    return right, hashed


@pytest.fixture(params=ONE_QUICK)
def target(request: pytest.FixtureRequest) -> Target:
    wanted: Target = request.param
    reason = missing(wanted)
    if reason:
        pytest.skip(reason)
    return wanted


def learn_on(target: Target, directory: Path, *flags: str) -> Outcome:
    program = build(
        target,
        [EXAMPLES / "learn.c"],
        directory,
        f"-DEXAMPLES={N_EXAMPLES}",
        *flags,
        learners=True,
    )
    return Outcome.of(run(target, program))


@pytest.mark.parametrize("limit", [8192, 65536])
def test_without_tuning_the_bits_are_those_of_python(
    target: Target, limit: int, tmp_path: Path
) -> None:
    outcome = learn_on(target, tmp_path, f"-DLIMIT={limit}")
    assert outcome.n_bytes <= limit
    loaded = from_bytes(outcome.state)
    assert isinstance(loaded, ShrubClassifier)
    assert isinstance(loaded._engine, _core.AutoLearner)
    arena_bytes = loaded._engine.arena_bytes
    engine = _core.AutoLearner(_core.Task.classification, arena_bytes, 0, 2, bytes(4))
    assert learned_in_python(engine) == (outcome.right, outcome.predictions)
    assert engine.to_state(b"") == outcome.state
    assert loaded.examples_seen == N_EXAMPLES


def test_the_paper_in_four_kilobytes_has_the_bits_of_python(target: Target, tmp_path: Path) -> None:
    outcome = learn_on(target, tmp_path)
    assert outcome.n_bytes <= 4096
    learner = PaperShrubClassifier(
        window_size=32, max_shrubs=8, max_depth=4, step_size=0.1, cache="none"
    )
    learner.partial_fit(np.empty((0, 4)), [], classes=[0, 1])
    assert learned_in_python(learner._engine) == (outcome.right, outcome.predictions)
    assert learner._engine is not None
    assert learner._engine.to_state(b"") == outcome.state
    assert from_bytes(outcome.state).to_bytes() == learner.to_bytes()


@pytest.mark.parametrize(
    ("max_features", "splitter"), [(None, "random"), (4, "random"), (None, "best")]
)
def test_small_code_grows_the_same_shrubs(
    target: Target, max_features: int | None, splitter: Splitter, tmp_path: Path
) -> None:
    flags = (f"-DTRIED={max_features or 0}", f"-DRANDOM={int(splitter == 'random')}")
    output = run(
        target, build(target, [Path(__file__).parent / "wide.c"], tmp_path, *flags, learners=True)
    )
    learner = PaperShrubClassifier(
        window_size=64, max_shrubs=8, max_features=max_features, splitter=splitter, cache="none"
    )
    drawn = draws()
    X = np.array([[next(drawn) % 16 for _ in range(9)] for _ in range(200)], dtype=np.float64)
    learner.partial_fit(X, (X[:, 0] > X[:, 8]).astype(np.int64), classes=[0, 1])
    assert learner._engine is not None
    assert learner._engine.to_state(b"").hex() == output.split()[1]


@pytest.mark.parametrize(
    "learner",
    [ShrubClassifier(memory_limit="20KB"), PaperShrubClassifier(window_size=40, max_shrubs=6)],
)
def test_a_device_goes_on_with_what_python_has_saved(
    target: Target, learner: ShrubClassifier | PaperShrubClassifier, tmp_path: Path
) -> None:
    learner = type(learner)(**learner.get_params())
    examples = list(drifting_stream(150, drifts_after=100))

    def learn(start: int, stop: int) -> bytes:
        for x, y in examples[start:stop]:
            learner.learn_one(dict(zip("abcd", x, strict=True)), "yes" if y else "no")
        return learner.to_bytes()

    saved = ",".join(map(str, learn(0, 100)))
    (tmp_path / "saved.h").write_text(f"static const unsigned char saved[] = {{{saved}}};\n")
    first = int(learner.classes_[0] == "yes")
    flags = (f"-DFIRST_CLASS={first}", f"-I{tmp_path}")
    source = Path(__file__).parent / "resume.c"
    output = run(target, build(target, [source], tmp_path, *flags, learners=True))
    assert bytes.fromhex(output.split()[1]) == learn(100, 150)
