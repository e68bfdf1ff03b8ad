"""Soft trees: what they compute, how they learn, what they keep."""

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import shrubs
from shrubs.evaluation import evaluate
from shrubs.evaluation.rows import as_rows
from shrubs.experiments.registry import make_stream
from shrubs.learners.soft_tree_ensemble import SoftTreeEnsemble
from shrubs.protocols import Block
from tests.unit.evaluation.toys import ToyStream

SMALL = {"n_trees": 3, "depth": 2, "window_size": 8}


def trained(n=40, **options):
    learner = SoftTreeEnsemble(**{**SMALL, **options})
    evaluate(learner, ToyStream(n))
    return learner


def plain_outputs(learner, x):
    """Equation 1 of the paper, leaf by leaf; x has a leading 1 for the threshold."""
    n_inner, n_leaves = 2**learner.depth - 1, 2**learner.depth
    splits = learner._splits.numpy().astype(np.float64)
    leaves = learner._leaves.numpy().astype(np.float64)
    total = 0
    for tree in range(learner.n_trees):
        for leaf in range(n_leaves):
            node, probability = 0, 1.0
            for level in reversed(range(learner.depth)):
                right = 1 / (1 + np.exp(-(x @ splits[:, tree * n_inner + node])))
                goes_right = (leaf >> level) & 1
                probability *= right if goes_right else 1 - right
                node = 2 * node + 1 + goes_right
            total = total + probability * leaves[tree * n_leaves + leaf]
    return total / learner.n_trees


def test_outputs_are_those_of_the_paper():
    learner = trained(depth=3)
    x = learner._window[0]
    outputs = learner._outputs(x[None])[0].numpy()
    np.testing.assert_allclose(outputs, plain_outputs(learner, x.numpy().astype(np.float64)),
                               rtol=1e-5, atol=1e-6)  # fmt: skip


@pytest.mark.parametrize("loss", ["cross_entropy", "mse"])
def test_a_plain_step_follows_the_gradient(loss):
    learner = trained(loss=loss, optimiser="sgd", step_size=0.1)
    inputs, labels = learner._window, learner._labels.numpy()

    def loss_of(other):
        outputs = np.array([plain_outputs(other, x) for x in inputs.numpy().astype(np.float64)])
        if loss == "mse":
            return ((outputs - np.eye(2)[labels]) ** 2).mean()
        shares = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
        return -np.log(shares[np.arange(len(labels)), labels]).mean()

    before = copy.deepcopy(learner)
    learner._take_step(inputs, learner._labels)
    for name, place in (("_splits", (1, 2)), ("_splits", (0, 4)), ("_leaves", (5, 1))):
        lower, upper = copy.deepcopy(before), copy.deepcopy(before)
        getattr(lower, name)[place] -= 1e-2
        getattr(upper, name)[place] += 1e-2
        gradient = (loss_of(upper) - loss_of(lower)) / 2e-2
        step = float(getattr(learner, name)[place] - getattr(before, name)[place])
        assert step == pytest.approx(-0.1 * gradient, rel=2e-3, abs=1e-6)


def test_rows_and_blocks_give_the_same_bits():
    stream = ToyStream(60)
    block = next(stream.blocks(60))
    by_block, by_row = SoftTreeEnsemble(**SMALL), SoftTreeEnsemble(**SMALL)
    for learner in (by_block, by_row):
        learner.prepare(stream.schema)
    outcome = by_block.interleave(block, block)
    for i, row in enumerate(as_rows(stream.schema, block)):
        label = stream.schema.classes[block.y[i]]
        assert by_row.predict_proba_one(row)[label] == outcome.p_true[i]
        by_row.learn_one(row, label)
    assert torch.equal(by_block._splits, by_row._splits)
    assert torch.equal(by_block._leaves, by_row._leaves)


def test_late_labels_are_learned_late():
    stream = ToyStream(60)
    block = next(stream.blocks(60))
    late, plain = SoftTreeEnsemble(**SMALL), SoftTreeEnsemble(**SMALL)
    for learner in (late, plain):
        learner.prepare(stream.schema)
    outcome = late.interleave(block, Block(block.X[:50], block.y[:50]))
    first = Block(block.X[:30], block.y[:30])
    plain.interleave(first, first)
    row = as_rows(stream.schema, block)[40]  # predicted when 30 labels have come
    label = stream.schema.classes[block.y[40]]
    assert plain.predict_proba_one(row)[label] == outcome.p_true[40]


def test_a_pickled_learner_goes_on_the_same():
    stream = ToyStream(60)
    learner = trained()
    again = pickle.loads(pickle.dumps(learner))
    block = next(stream.blocks(60))
    first, second = learner.interleave(block, block), again.interleave(block, block)
    np.testing.assert_array_equal(first.p_true, second.p_true)


def test_another_seed_gives_other_trees():
    assert not torch.equal(trained(seed=1)._splits, trained(seed=2)._splits)


def test_the_first_prediction_is_uniform():
    learner = SoftTreeEnsemble()
    assert learner.predict_one({"a": 1.0}) is None
    learner.prepare(ToyStream().schema)
    assert learner.predict_proba_one({"a": 1.0}) == {"no": 0.5, "yes": 0.5}


def test_a_new_class_and_a_new_feature_change_nothing_else():
    learner = trained(step_size=1e-12, optimiser="sgd")
    before = learner._outputs(learner._window)
    learner.learn_one({"a": 0.0, "new": 3.0}, "perhaps")
    after = learner._outputs(learner._window)[:, :2]
    kept = [i for i in range(8) if i != 40 % 8]  # one row of the window was replaced
    np.testing.assert_allclose(after[kept], before[kept], atol=1e-6)


def test_every_kept_number_is_counted():
    # 3 trees of 3 splits x (1 + 5 columns) and 4 leaves x 2 classes, window of 8 x (1 + 5) and 8
    # labels of 8 bytes
    parameters = 4 * (3 * 3 * 6 + 3 * 4 * 2)
    window = 4 * 8 * 6 + 8 * 8
    plain, adam = trained(optimiser="sgd"), trained()
    assert plain.memory_bytes > parameters + window
    four_more_tensors = adam.memory_bytes - plain.memory_bytes - 2 * parameters
    assert 0 < four_more_tensors < 4 * 200
    wider = trained(optimiser="sgd", window_size=108)
    assert wider.memory_bytes - plain.memory_bytes == pytest.approx(100 * (4 * 6 + 8), abs=64)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_trees": 0}, "n_trees must be at least 1, got 0"),
        ({"depth": 13}, "depth must be at most 12, got 13"),
        ({"step_size": 0.0}, "step_size must be above 0, got 0.0"),
        ({"loss": "ce"}, "loss must be one of ('cross_entropy', 'mse'), got 'ce'"),
        ({"optimiser": "lbfgs"}, "optimiser must be one of ('adam', 'sgd'), got 'lbfgs'"),
    ],
)
def test_a_wrong_option_is_named(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        SoftTreeEnsemble(**options)


def test_the_number_of_threads_is_left_as_it_was():
    before = torch.get_num_threads()
    trained()
    assert torch.get_num_threads() == before


def test_only_the_soft_trees_import_pytorch():
    root = Path(shrubs.__file__).parent
    pattern = re.compile(r"^\s*(import|from) torch\b", re.MULTILINE)
    users = [path.name for path in root.rglob("*.py") if pattern.search(path.read_text())]
    assert users == ["soft_tree_ensemble.py"]


SMOKE = [
    ({}, "agrawal_a"),
    ({}, "led_a"),
    ({}, "rbf_f"),
    ({}, "sea"),
    ({"loss": "mse"}, "rbf_f"),
    ({"optimiser": "sgd", "step_size": 4.0}, "rbf_f"),
]


@pytest.mark.parametrize(("options", "stream"), SMOKE)
def test_smoke_it_beats_the_majority_class(options, stream):
    evaluation = evaluate(SoftTreeEnsemble(**options), make_stream(stream, n_examples=1500, seed=1))
    assert evaluation.values()["kappa_m"] > 0.2
