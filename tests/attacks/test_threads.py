"""Threads on one learner: each waits its turn, and nothing is lost, torn or written elsewhere."""

import functools
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier
from tests.attacks.budget import rounds

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.learners.FrozenEnsembleWarning")

KINDS = {
    "untuned": lambda: ShrubClassifier(memory_limit="1MB"),
    "paper": lambda: PaperShrubClassifier(max_shrubs=8, window_size=64),
}
EVERY_KIND = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
X = np.random.default_rng(0).uniform(size=(400, 3))


def together(*actions):
    """Run the actions at the same time; what one raises is raised."""
    start = threading.Barrier(len(actions))

    def run(action):
        start.wait()
        return action()

    with ThreadPoolExecutor(len(actions)) as threads:
        return [future.result() for future in [threads.submit(run, one) for one in actions]]


@EVERY_KIND
def test_predictions_while_classes_come(make):
    for draw in rounds(2):
        learner = make().partial_fit(X, np.arange(400) % 2)
        many = np.repeat(X, 5, axis=0)

        def predict(learner=learner, many=many):
            for _ in range(4):
                probabilities = learner.predict_proba(many)
                assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(many)))
                assert set(learner.predict(many)) <= set(range(200))

        def learn(learner=learner, draw=draw):
            for label in range(2, 60):
                learner.learn_one(X[draw.randrange(400)], label)

        together(predict, predict, learn)
        assert learner.classes_.tolist() == list(range(60))


@EVERY_KIND
def test_classes_that_come_while_the_rows_to_predict_are_read(make):
    class Array:
        def __array__(self, dtype=None, copy=None):
            for label in range(2, 402):
                learner.learn_one(X[0], label)
            return X

    learner = make().partial_fit(X, np.arange(400) % 2)
    assert learner.predict_proba(Array()).shape == (400, 402)
    assert learner.predict(X).shape == (400,)


class Slow(Fraction):
    """A number that lets other threads run while it is read."""

    def __float__(self):
        for _ in range(50):
            threading.Event().wait(0)
        return 0.5


@EVERY_KIND
def test_categories_that_come_while_a_row_is_read(make):
    learner = make().learn_one({"text": "a", "number": 1.0}, 0)
    n_rows = 40

    def rows():
        for i in range(n_rows):
            learner.learn_one({"number": Slow(1, 2), "text": "a" if i % 2 else "b"}, i % 2)

    def frames():
        for i in range(n_rows):
            frame = pd.DataFrame({"text": [f"new {i}", "a"], "number": [0.0, 1.0]})
            learner.partial_fit(frame, [0, 1])

    together(rows, frames)
    assert learner.examples_seen == 1 + 3 * n_rows
    assert set(learner._owner.tables.categories()[1]) == {
        "a",
        "b",
        *(f"new {i}" for i in range(n_rows)),
    }


def test_importances_while_another_thread_learns():
    learner = PaperShrubRegressor(max_shrubs=8, window_size=256).partial_fit(X[:5], X[:5, 0])

    def look():
        for _ in range(15):
            assert learner.feature_importances_.shape[0] >= 3

    def learn():
        for _ in range(4):
            learner.partial_fit(X, X[:, 0])

    together(look, learn)


@EVERY_KIND
def test_new_labels_and_features_of_several_threads_are_all_kept(make):
    for _ in rounds(2):
        learner, n, n_threads = make(), 150, 3

        def learn(name, learner=learner, n=n):
            for i in range(n):
                learner.learn_one({f"{name} {i // 30}": float(i), "shared": 1.0}, f"{name} {i}")

        together(*(lambda name=name: learn(name) for name in "abc"))
        assert learner.examples_seen == n * n_threads
        assert set(learner.classes_) == {f"{name} {i}" for name in "abc" for i in range(n)}
        assert learner.n_features_in_ == 1 + 3 * 5


@EVERY_KIND
def test_a_learner_made_by_several_threads_at_once_is_one(make):
    for _ in rounds(20):
        learner = make()
        together(*(functools.partial(learner.learn_one, [1.0], i) for i in range(4)))
        assert learner.examples_seen == 4
        assert sorted(learner.classes_) == [0, 1, 2, 3]


@EVERY_KIND
def test_everything_at_once(make):
    learner = make().partial_fit(X, np.arange(400) % 3)
    actions = [
        lambda: learner.partial_fit(X[:50], np.arange(50) % 5),
        lambda: learner.prequential(X[:50], np.arange(50) % 3),
        lambda: learner.predict_proba(X),
        lambda: learner.predict_one(X[0]),
        lambda: learner.explain_one(X[0]),
        lambda: learner.snapshot().predict(X),
        lambda: learner.from_bytes(learner.to_bytes()).predict(X[:3]),
        lambda: (learner.shrubs, learner.weights, learner.memory_bytes, learner.classes_),
        lambda: learner.feature_importances_,
    ]
    for draw in rounds(10):
        together(*draw.sample(actions, 3))
    assert learner.predict(X).shape == (400,)


def test_a_snapshot_is_shared_by_threads():
    learner = ShrubClassifier().partial_fit(X, np.arange(400) % 2)
    snapshot, expected = learner.snapshot(), learner.predict_proba(X)

    def predict():
        for _ in range(20):
            assert np.array_equal(snapshot.predict_proba(X), expected)
            assert snapshot.predict_proba_one(X[0]) == dict(enumerate(expected[0]))

    together(predict, predict, lambda: learner.partial_fit(X, np.arange(400) % 7))
