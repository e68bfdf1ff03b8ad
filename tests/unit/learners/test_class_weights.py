"""Weights of classes: the same learning, other probabilities."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shrubs import MemoryFullWarning, PaperShrubClassifier, ShrubClassifier, WindowedTree, load
from shrubs.evaluation import evaluate
from shrubs.streams import Sine
from tests.reference.weights import balanced_weights, weighed
from tests.unit.learners.streams import tries

LEARNERS = {
    "untuned": lambda weight=None: ShrubClassifier(memory_limit="49KB", class_weight=weight),
    "paper": lambda weight=None: PaperShrubClassifier(
        max_shrubs=4, window_size=8, class_weight=weight
    ),
    "tree": lambda weight=None: WindowedTree(window_size=8, class_weight=weight),
}
each_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
GIVEN = {"a": 3, "b": 0.1, "c": 1e9}
each_weight = pytest.mark.parametrize("class_weight", ["balanced", GIVEN], ids=["balanced", "dict"])

ROWS = st.sampled_from([0.0, 0.25, 1.0, 2.0])
EXAMPLES = st.lists(st.tuples(ROWS, st.sampled_from("aaaabbc")), min_size=1, max_size=40)


def weights_of(learner, class_weight):
    """The weights of the classes of a learner."""
    labels = learner.classes_.tolist()
    if class_weight == "balanced":
        return balanced_weights(learner._engine.window()[1].tolist(), len(labels))
    return [float(class_weight[label]) for label in labels]


@each_learner
@each_weight
@given(examples=EXAMPLES)
@tries(25)
def test_probabilities_are_those_of_the_reference(make, class_weight, examples):
    learner, plain = make(class_weight), make()
    for value, y in examples:
        learner.learn_one([value, -value], y)
        plain.learn_one([value, -value], y)
        assume(learner._engine.to_state(b"") == plain._engine.to_state(b""))  # as much memory
        p = list(plain.predict_proba_one([value, 1.0]).values())
        expected = weighed(p, weights_of(plain, class_weight), plain._engine.n_examples)
        assert list(learner.predict_proba_one([value, 1.0]).values()) == expected


def a_stream(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.1, "c", np.where(rng.random(n) < 0.3, "b", "a"))
    return rng.normal(size=(n, 3)) + (y == "c")[:, None], y


@each_learner
@each_weight
def test_all_ways_of_predicting_agree(make, class_weight):
    X, y = a_stream()
    learner, twin = make(class_weight), make(class_weight)
    predicted = twin.prequential(X, y, classes=["a", "b", "c"])
    learner.partial_fit(X[:0], y[:0], classes=["a", "b", "c"])
    for i in range(len(y)):
        assert predicted[i] == learner.predict_one(X[i])
        learner.learn_one(X[i], y[i])
    assert twin.to_bytes() == learner.to_bytes()
    p = learner.predict_proba(X)
    np.testing.assert_array_equal(learner.predict(X), learner.classes_[p.argmax(axis=1)])
    np.testing.assert_array_equal(learner.snapshot().predict_proba(X), p)
    assert list(learner.predict_proba_one(X[0]).values()) == p[0].tolist()
    assert list(learner.snapshot().predict_proba_one(X[0]).values()) == p[0].tolist()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


@each_learner
@each_weight
def test_copies_and_saved_learners_go_on_the_same(make, class_weight, tmp_path):
    X, y = a_stream()
    learner = make(class_weight).fit(X[:200], y[:200])
    learner.save(tmp_path / "model")
    others = [load(tmp_path / "model"), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    expected = learner.prequential(X[200:], y[200:])
    for other in others:
        assert other.class_weight == class_weight
        np.testing.assert_array_equal(other.prequential(X[200:], y[200:]), expected)


@each_learner
def test_an_evaluation_scores_what_the_learner_says(make):
    stream = Sine(seed=1)
    found = evaluate(make("balanced"), stream, n_examples=2000)
    block = next(iter(stream.blocks(2000)))
    rows = make("balanced").prequential(block.X, block.y, classes=[0, 1])
    assert found.metrics.accuracy == np.mean(rows == block.y)


@each_learner
def test_a_snapshot_keeps_the_weights_of_its_moment(make):
    X, y = a_stream()
    learner = make("balanced").fit(X[:150], y[:150])
    before, snapshot = learner.predict_proba(X), learner.snapshot()
    learner.partial_fit(X[150:], y[150:])
    np.testing.assert_array_equal(snapshot.predict_proba(X), before)


@each_learner
def test_a_class_that_weighs_more_is_predicted_more_often(make):
    X, y = a_stream()
    often = [
        np.mean(make({"a": 1, "b": 1, "c": weight}).fit(X, y).predict(X) == "c")
        for weight in (0.01, 1, 100, 1e9)
    ]
    assert sorted(often) == often
    assert often[0] < often[-1] == 1.0


@pytest.mark.parametrize("class_weight", ["balanced", {f"label {i}": i + 1 for i in range(200)}])
def test_the_memory_limit_holds_where_classes_give_way(class_weight):
    limit = 60_000 if isinstance(class_weight, str) else 110_000
    learner = ShrubClassifier(memory_limit=limit, class_weight=class_weight)
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MemoryFullWarning)
        for i in range(200):
            learner.learn_one([rng.random(), i % 7], f"label {i}")
            assert learner.memory_bytes <= limit
    assert len(learner.classes_) < 200
    assert len(learner.predict_proba_one([0.5, 1])) == len(learner.classes_)


@each_learner
def test_parameters_set_later_count_from_the_next_fit(make):
    X, y = a_stream()
    learner = make().fit(X, y)
    before = learner.predict_proba(X)
    learner.set_params(class_weight="balanced")
    np.testing.assert_array_equal(learner.partial_fit(X[:0], y[:0]).predict_proba(X), before)
    expected = make("balanced").fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(learner.fit(X, y).predict_proba(X), expected)
