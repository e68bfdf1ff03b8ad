"""scikit-learn's incremental learners as peers."""

import functools
import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.linear_model import SGDClassifier

from shrubs.adapters import sklearn_peers
from shrubs.evaluation import evaluate
from shrubs.evaluation.rows import as_rows
from shrubs.learners.partial_fit_learner import PartialFitLearner
from shrubs.protocols import Block
from tests.unit.evaluation.toys import ToyStream


class Remembering:
    """Keeps what it was given and predicts the number of fits."""

    def __init__(self):
        self.fits = []

    def partial_fit(self, X, y, classes):
        self.fits.append((X.copy(), y.tolist(), classes.tolist()))

    def predict(self, X):
        return np.full(len(X), min(len(self.fits), 1))


def fed(n=20, delay=0, **options):
    peer = PartialFitLearner(Remembering, **options)
    evaluation = evaluate(peer, ToyStream(n), delay=delay)
    return peer, evaluation


def test_examples_come_one_by_one_with_all_classes():
    peer, _ = fed()
    assert len(peer.model.fits) == 20
    assert all(classes == [0, 1] for _, _, classes in peer.model.fits)
    # two numbers and three categories
    assert all(X.shape == (1, 5) for X, _, _ in peer.model.fits)


def test_examples_wait_until_enough_are_together():
    peer, _ = fed(examples_per_fit=8)
    assert [len(y) for _, y, _ in peer.model.fits] == [8, 8]
    assert len(peer._waiting_labels) == 4
    labels = next(ToyStream(20).blocks()).y.tolist()
    assert [y for _, batch, _ in peer.model.fits for y in batch] == labels[:16]


def test_a_fit_counts_from_the_next_example_on():
    stream = ToyStream(20)
    block = next(stream.blocks())
    peer = PartialFitLearner(Remembering, examples_per_fit=8)
    peer.prepare(stream.schema)
    outcome = peer.interleave(block, Block(block.X[:15], block.y[:15]))
    # The first five labels come late: eight of them are there after 13 predictions.
    assert outcome.predicted.tolist() == [0] * 13 + [1] * 7


@pytest.mark.parametrize("examples_per_fit", [1, 3])
def test_rows_and_blocks_are_the_same(examples_per_fit):
    stream = ToyStream(50)
    block = next(stream.blocks())
    make = functools.partial(SGDClassifier, loss="log_loss", random_state=1)
    by_block, by_row = (
        PartialFitLearner(make, examples_per_fit=examples_per_fit) for _ in range(2)
    )
    for peer in (by_block, by_row):
        peer.prepare(stream.schema)
    outcome = by_block.interleave(block, block)
    for i, row in enumerate(as_rows(stream.schema, block)):
        label = stream.schema.classes[block.y[i]]
        assert by_row.predict_proba_one(row)[label] == pytest.approx(outcome.p_true[i], abs=1e-12)
        by_row.learn_one(row, label)


def test_a_class_that_was_not_announced_begins_a_new_model():
    peer = sklearn_peers.sgd(regression=False, seed=1)
    for label in ("no", "yes", "no"):
        peer.learn_one({"a": 1.0}, label)
    first = peer.model
    peer.learn_one({"a": 2.0}, "perhaps")
    assert peer.model is not first
    assert peer.model.classes_.tolist() == [0, 1, 2]


def test_there_are_probabilities_where_the_estimator_has_them():
    assert not hasattr(sklearn_peers.sgd(regression=False, seed=1), "predict_proba_one")
    assert hasattr(sklearn_peers.sgd(regression=False, seed=1, loss="log_loss"),
                   "predict_proba_one")  # fmt: skip


def test_size_counts_model_waiting_examples_and_encoding():
    peer, _ = fed(n=15, examples_per_fit=8)
    model = len(pickle.dumps(peer.model, protocol=5))
    assert peer.memory_bytes > model + 7 * 5 * 8 + peer._encoder.memory_bytes


def test_a_pickled_peer_goes_on_the_same():
    stream = ToyStream(30)
    block = next(stream.blocks())
    peer = sklearn_peers.mlp(regression=False, seed=1, hidden_layer_sizes=(4,))
    peer.prepare(stream.schema)
    peer.interleave(block, block)
    again = pickle.loads(pickle.dumps(peer))
    first, second = peer.interleave(block, block), again.interleave(block, block)
    np.testing.assert_array_equal(first.p_true, second.p_true)


def test_a_fit_needs_an_example():
    with pytest.raises(ValueError, match="examples_per_fit must be at least 1, got 0"):
        sklearn_peers.gaussian_nb(regression=False, seed=1, examples_per_fit=0)
