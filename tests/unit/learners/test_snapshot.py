"""Snapshots: other threads predict from them while the learner goes on."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier, ShrubRegressor

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(4000, 3))
Y = (X[:, 0] > X[:, 1]).astype(int)


def learned(n=500):
    return PaperShrubClassifier(max_shrubs=8, window_size=64, max_depth=5).partial_fit(X[:n], Y[:n])


def test_a_snapshot_predicts_what_its_learner_predicts():
    learner = learned()
    assert learner.snapshot().predict_proba(X).tolist() == learner.predict_proba(X).tolist()


def test_a_snapshot_predicts_one_row_like_its_learner():
    learner = learned()
    snapshot = learner.snapshot()
    assert [snapshot.predict_proba_one(x) for x in X[:50]] == [
        learner.predict_proba_one(x) for x in X[:50]
    ]


def test_a_snapshot_of_a_regression_predicts_like_its_learner():
    learner = PaperShrubRegressor(max_shrubs=8, window_size=64).partial_fit(X[:500], X[:500, 0])
    assert learner.snapshot().predict(X).tolist() == learner.predict(X).tolist()


def test_a_snapshot_of_names_and_texts_predicts_like_its_learner():
    frame = pd.DataFrame({"a": X[:200, 0], "b": np.where(X[:200, 1] > 0.5, "red", "blue")})
    learner = PaperShrubClassifier(max_shrubs=4, window_size=32).partial_fit(frame, Y[:200])
    assert learner.snapshot().predict(frame).tolist() == learner.predict(frame).tolist()


def test_a_snapshot_does_not_change_when_its_learner_learns():
    learner = learned()
    snapshot = learner.snapshot()
    before = snapshot.predict_proba(X).tolist()
    learner.partial_fit(X, 1 - Y)
    assert snapshot.predict_proba(X).tolist() == before


def test_a_snapshot_does_not_change_when_its_learner_plans_anew():
    learner = learned()
    snapshot = learner.snapshot()
    before = snapshot.predict_proba(X).tolist()
    learner.learn_one([0.0, 0.0, 0.0], "a new class")
    assert snapshot.predict_proba(X).tolist() == before


def test_a_snapshot_outlives_its_learner():
    snapshot = learned().snapshot()
    assert snapshot.predict(X[:10]).shape == (10,)


def test_there_is_no_snapshot_before_the_first_example():
    with pytest.raises(ValueError, match="has not seen an example yet"):
        ShrubClassifier().snapshot()


def test_a_snapshot_of_a_regression_has_no_probabilities():
    snapshot = ShrubRegressor().learn_one([1.0], 1.0).snapshot()
    with pytest.raises(TypeError, match=r"^a regression has no probabilities; use predict_one$"):
        snapshot.predict_proba_one([1.0])


def test_threads_predict_from_a_snapshot_while_another_learns():
    learner = learned()
    snapshot = learner.snapshot()
    expected = snapshot.predict_proba(X)
    stop = threading.Event()

    def predict():
        rounds = 0
        while not stop.is_set():
            assert (snapshot.predict_proba(X) == expected).all()
            rounds += 1
        return rounds

    with ThreadPoolExecutor(2) as threads:
        predicting = [threads.submit(predict) for _ in range(2)]
        for _ in range(5):
            learner.partial_fit(X, Y)
        stop.set()
        assert all(future.result() > 0 for future in predicting)


def test_learning_is_not_disturbed_by_threads_that_predict_from_a_snapshot():
    learner, alone = learned(), learned()
    snapshot = learner.snapshot()
    with ThreadPoolExecutor(2) as threads:
        predicting = [threads.submit(snapshot.predict, X) for _ in range(10)]
        learner.partial_fit(X, Y)
        for future in predicting:
            future.result()
    assert learner.to_bytes() == alone.partial_fit(X, Y).to_bytes()


IN_USE = r"^this learner is in use: it cannot be called from within its own call, by a value, "

ACTIONS = {
    "learn_one": lambda learner: learner.learn_one(X[0], 0),
    "partial_fit": lambda learner: learner.partial_fit(X[:2], Y[:2]),
    "prequential": lambda learner: learner.prequential(X[:2], Y[:2]),
    "a new class": lambda learner: learner.learn_one(X[0], "new"),
    "predict_one": lambda learner: learner.predict_one(X[0]),
    "predict_proba_one": lambda learner: learner.predict_proba_one(X[0]),
    "predict": lambda learner: learner.predict(X[:2]),
    "to_bytes": lambda learner: learner.to_bytes(),
    "snapshot": lambda learner: learner.snapshot(),
    "weights": lambda learner: learner.weights,
    "shrubs": lambda learner: learner.shrubs,
    "feature_importances_": lambda learner: learner.feature_importances_,
}


class Meddling:
    """A value that uses the learner in the middle of a step, when it is read."""

    def __init__(self, learner, action):
        self._learner, self._action = learner, action

    def __float__(self):
        self._action(self._learner)
        return 0.5


@pytest.mark.parametrize("name", ACTIONS)
def test_a_learner_refuses_to_be_used_in_the_middle_of_a_step(name):
    learner = learned()
    before = learner.to_bytes()
    with pytest.raises(RuntimeError, match=IN_USE):
        learner.learn_one([Meddling(learner, ACTIONS[name]), *X[0, 1:]], 0)
    assert learner.to_bytes() == before


@pytest.mark.parametrize("name", ACTIONS)
def test_an_array_may_use_the_learner_before_its_turn(name):
    class Array:
        def __array__(self, dtype=None, copy=None):
            ACTIONS[name](learner)
            return X[:3]

    learner = learned()
    assert learner.predict(Array()).shape == (3,)
    assert learner.partial_fit(Array(), Y[:3]) is learner


def test_threads_on_one_learner_wait_for_each_other():
    learner = learned()
    actions = [
        lambda: learner.partial_fit(X, Y),
        lambda: learner.predict(X),
        lambda: [learner.predict_one(x) for x in X[:50]],
    ]

    def work(action):
        for _ in range(60):
            action()

    with ThreadPoolExecutor(3) as threads:
        for future in [threads.submit(work, action) for action in actions]:
            future.result()
    alone = learned()
    for _ in range(60):
        alone.partial_fit(X, Y)
    assert learner.to_bytes() == alone.to_bytes()


def test_a_snapshot_says_what_it_is():
    learner = PaperShrubClassifier(max_shrubs=2).partial_fit([[1.0], [2.0]], ["a", "b"])
    snapshot = learner.snapshot()
    shown = f"Snapshot({snapshot.n_shrubs} shrubs, 2 classes, {snapshot.memory_bytes} bytes)"
    assert repr(snapshot) == shown


def test_a_second_batch_of_a_snapshot_is_as_the_first_and_its_preparation_is_counted():
    draw = np.random.default_rng(0)
    X = draw.random((600, 3))
    learner = ShrubClassifier(memory_limit="64KB").partial_fit(X, X[:, 0] > 0.5)
    snapshot = learner.snapshot()
    before = snapshot.memory_bytes
    first = snapshot.predict_proba(X)
    assert snapshot.memory_bytes > before
    assert np.array_equal(snapshot.predict_proba(X), first)
    assert np.array_equal(learner.predict_proba(X), first)
