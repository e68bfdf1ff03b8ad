"""What every learner of the registry must do, whichever library it comes from.

A new learner joins with its line in the registry. One whose size stays is listed in `STAYS`.
"""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shrubs.evaluation.rows import as_rows, interleave_rows
from shrubs.experiments.registry import LEARNERS, make_learner
from shrubs.protocols import Block, BlockLearner, Feature, Schema

INSTALLED = [name for name, entry in LEARNERS.items() if entry.is_installed]
CLASSIFIERS = [name for name in INSTALLED if LEARNERS[name].classification]
REGRESSORS = [name for name in INSTALLED if LEARNERS[name].regression]
# After the window is full; the others may grow.
STAYS = ("shrubs", "shrubs-paper", "shrubs-paper-rho", "windowed-tree", "no-change",
         "majority-class", "soft-trees", "river:gaussian-nb", "sklearn:sgd",
         "sklearn:gaussian-nb")  # fmt: skip

PEERS = Path(__file__).parents[2] / "docs/peers.md"
FEATURES = (Feature("a"), Feature("b"), Feature("c", True, ("red", "green", "blue")))
CLASSES = Schema(FEATURES, ("no", "yes", "maybe"))
TARGETS = Schema(FEATURES, None)

each = functools.partial(pytest.mark.parametrize, "name")


@dataclass
class Trial:
    """What a learner predicted for a block, and the learner afterwards."""

    learner: Any
    predicted: Any
    p_true: Any


def examples(n: int = 100, seed: int = 0) -> Block:
    """Two of the three classes, by a numeric and a nominal feature; the third is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    X[:, 2] = rng.integers(0, 3, n)
    return Block(X, (X[:, 0] + (X[:, 2] == 1) > 0.3).astype(np.int64))


def learn(name: str, block: Block, schema: Schema = CLASSES, seed: int = 1) -> Trial:
    return go_on(make_learner(name, schema, {}, seed), block, schema)


def go_on(learner: Any, block: Block, schema: Schema = CLASSES) -> Trial:
    if isinstance(learner, BlockLearner):
        learner.prepare(schema)
        outcome = learner.interleave(block, block)
    else:
        outcome = interleave_rows(learner, schema, block, block)
    return Trial(learner, outcome.predicted, outcome.p_true)


@functools.cache
def plain(name: str) -> Trial:
    """Nothing special; made once, changed by nobody."""
    return learn(name, examples())


def assert_valid(trial: Trial, n: int) -> None:
    assert trial.predicted.shape == (n,)
    assert set(trial.predicted.tolist()) <= {-1, 0, 1, 2}
    assert (trial.predicted[1:] >= 0).mean() > 0.9
    known = trial.p_true[~np.isnan(trial.p_true)]
    assert ((known >= 0) & (known <= 1 + 1e-9)).all()


def test_no_two_learners_share_a_label():
    labels = [entry.label for entry in LEARNERS.values()]
    assert len(set(labels)) == len(labels)


@each([name for name, entry in LEARNERS.items() if entry.extra != "moa"])
def test_the_documents_describe_it(name):
    lines = PEERS.read_text(encoding="utf-8").splitlines()
    row = next(line for line in lines if line.startswith(f"| `{name}` | {LEARNERS[name].label} |"))
    tasks, needs, size = [cell.strip() for cell in row.split("|")[3:6]]
    assert tasks == LEARNERS[name].tasks
    assert needs == (f"`shrubs[{LEARNERS[name].extra}]`" if LEARNERS[name].extra else "")
    assert size.startswith("stays") == (name in STAYS)


@each(CLASSIFIERS)
def test_same_seed_same_predictions(name):
    again = learn(name, examples())
    np.testing.assert_array_equal(again.predicted, plain(name).predicted)
    np.testing.assert_array_equal(again.p_true, plain(name).p_true)


@each(CLASSIFIERS)
def test_a_new_instance_knows_nothing_of_an_older_one(name):
    expected = plain(name)
    opposite = examples(seed=1)
    learn(name, Block(opposite.X, 1 - opposite.y))
    block = examples()
    fresh = learn(name, Block(block.X[:20], block.y[:20]))
    np.testing.assert_array_equal(fresh.predicted, expected.predicted[:20])


@each(CLASSIFIERS)
def test_a_class_that_comes_late_is_survived(name):
    block = examples()
    y = np.where((np.arange(len(block)) >= 50) & (block.X[:, 1] > 0), 2, block.y)
    assert_valid(learn(name, Block(block.X, y)), len(block))


@each(CLASSIFIERS)
def test_a_class_that_was_not_announced_is_survived(name):
    learner = make_learner(name, CLASSES, {}, 1)
    if not hasattr(learner, "learn_one"):
        pytest.skip("takes blocks only; their schema announces every class")
    for i, x in enumerate(as_rows(CLASSES, examples(30))):
        learner.learn_one(x, f"label {i // 10}")
    assert learner.predict_one(x) in {"label 0", "label 1", "label 2"}


@each(CLASSIFIERS)
def test_a_constant_feature_is_survived(name):
    block = examples()
    block.X[:, 1] = 7
    assert_valid(learn(name, block), len(block))


@each(CLASSIFIERS)
def test_missing_values_are_survived(name):
    block = examples()
    block.X[np.random.default_rng(2).random(block.X.shape) < 0.2] = np.nan
    block.X[40] = np.nan
    assert_valid(learn(name, block), len(block))


@each(CLASSIFIERS)
def test_probabilities_sum_to_one(name):
    learner = plain(name).learner
    if not hasattr(learner, "predict_proba_one"):
        pytest.skip("gives no probabilities one by one")
    for x in as_rows(CLASSES, examples(20, seed=3)):
        shares = learner.predict_proba_one(x)
        assert all(share >= 0 for share in shares.values())
        assert sum(shares.values()) == pytest.approx(1, abs=1e-6)


@each(CLASSIFIERS)
def test_size_is_counted(name):
    assert plain(name).learner.memory_bytes > 0


@each([name for name in CLASSIFIERS if name in STAYS])
def test_size_stays(name):
    # The first examples fill the largest default window; both numbers leave none waiting for a fit.
    learner = learn(name, examples(600)).learner
    before = learner.memory_bytes
    go_on(learner, examples(104, seed=4))
    assert learner.memory_bytes == pytest.approx(before, rel=0.01, abs=64)


@each(REGRESSORS)
def test_targets_are_learned(name):
    block = examples()
    targets = Block(block.X, block.X[:, 0].astype(np.float64) + 10)
    first, second = (learn(name, targets, TARGETS) for _ in range(2))
    np.testing.assert_array_equal(first.predicted, second.predicted)
    assert np.isfinite(first.predicted).all()
    errors = np.abs(first.predicted - targets.y)
    assert errors[-20:].mean() < errors[0]  # 0 is predicted for the first example


@each(sorted(set(INSTALLED) - set(CLASSIFIERS)))
def test_classes_are_refused_by_what_learns_targets_alone(name):
    with pytest.raises(ValueError, match="takes targets, but this stream has classes"):
        make_learner(name, CLASSES, {}, 1)
