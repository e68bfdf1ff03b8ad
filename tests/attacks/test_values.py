"""Values with code of their own, and values that are wrong in unusual ways."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)
from shrubs.learners import FrozenEnsembleWarning
from shrubs.protocols import Block

X = np.random.default_rng(0).uniform(size=(60, 3)).astype(np.float32)
REGRESSORS = [ShrubRegressor, PaperShrubRegressor]
CLASSIFIERS = [ShrubClassifier, PaperShrubClassifier, WindowedTree]


@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_block_with_a_wrong_target_is_refused(kind, wrong):
    learner = kind().partial_fit(X, X[:, 0])
    before = learner.to_bytes()
    targets = X[:, 0].astype(np.float64)
    targets[7] = wrong
    with pytest.raises(ValueError, match="y must be finite"):
        learner.interleave(Block(X, targets), Block(X, targets))
    assert learner.to_bytes() == before
    assert np.isfinite(learner.predict_one(X[0]))


@pytest.mark.parametrize("kind", [*REGRESSORS, *CLASSIFIERS])
def test_a_block_with_a_wrong_value_is_refused(kind):
    learner = kind().partial_fit(X, np.arange(60) % 2)
    before = learner.to_bytes()
    wrong = X.copy()
    wrong[7, 1] = np.inf
    labels = np.arange(60) % 2 * (1.0 if learner._regression else 1)
    for blocks in ((wrong, X), (X, wrong)):
        with pytest.raises(ValueError, match="feature 1 must be finite"):
            learner.interleave(*(Block(part, labels) for part in blocks))
    assert learner.to_bytes() == before


def test_a_score_never_broadcasts():
    classifier = ShrubClassifier().fit(X, np.arange(60) % 2)
    regressor = ShrubRegressor().fit(X, X[:, 0])
    with pytest.warns(UserWarning, match="column-vector"):
        assert classifier.score(X, (np.arange(60) % 2)[:, None]) == classifier.score(
            X, np.arange(60) % 2
        )
    with pytest.warns(UserWarning, match="column-vector"):
        assert regressor.score(X, X[:, :1]) == regressor.score(X, X[:, 0])
    for learner in (classifier, regressor):
        with pytest.raises(ValueError, match="inconsistent numbers of samples: 60 and 1"):
            learner.score(X, [1])
        with pytest.raises(ValueError, match="must be one-dimensional"):
            learner.score(X, np.zeros((60, 2)))


FRAMES = {
    "pandas": lambda: pd.DataFrame(np.ones((3, 2)), columns=["a", "a"]),
    "arrow": lambda: pa.table([[1.0, 2.0, 3.0]] * 2, names=["a", "a"]),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_two_columns_of_one_name_are_refused(frame):
    with pytest.raises(ValueError, match="X must have columns of different names, got 'a' twice"):
        ShrubClassifier().partial_fit(frame(), [0, 1, 0])


def frozen_soon():
    return PaperShrubClassifier(max_shrubs=2, window_size=8, step_size=1e-9)


def test_a_warning_that_is_an_error_comes_before_an_example_and_not_after_it():
    learner, raised = frozen_soon(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(60):
            try:
                learner.learn_one(X[i], i % 2)
            except FrozenEnsembleWarning:
                raised += 1
                assert learner.examples_seen == i
                learner.learn_one(X[i], i % 2)
            assert learner.examples_seen == i + 1
    assert raised == 1


@pytest.mark.parametrize("method", ["partial_fit", "prequential"])
def test_a_warning_that_is_an_error_leaves_whole_examples(method):
    learner = frozen_soon()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FrozenEnsembleWarning) as caught:
            getattr(learner, method)(X, np.arange(60) % 2)
    n = learner.examples_seen
    assert 8 < n < 60
    if method == "prequential":
        assert len(caught.value.predictions) == n
    getattr(learner, method)(X[n:], np.arange(n, 60) % 2)
    with pytest.warns(FrozenEnsembleWarning):
        assert learner.to_bytes() == frozen_soon().partial_fit(X, np.arange(60) % 2).to_bytes()


class Raising:
    def __init__(self, error):
        self._error = error

    def __float__(self):
        raise self._error


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RecursionError, SystemExit])
@pytest.mark.parametrize("first", [True, False])
def test_what_a_value_raises_is_not_taken_for_a_wrong_value(error, first):
    learner = ShrubClassifier()
    if not first:
        learner.learn_one({"a": 1.0}, 0)
    before = learner.examples_seen
    for call in (lambda x: learner.learn_one(x, 0), learner.predict_one):
        if first and call == learner.predict_one:
            continue
        with pytest.raises(error):
            call({"a": Raising(error())})
    assert learner.examples_seen == before
    assert learner.learn_one({"a": 1.0}, 0).examples_seen == before + 1


class Unspeakable:
    def __repr__(self):
        raise RuntimeError("nothing to say")


class Endless:
    def __repr__(self):
        return "x" * 8 * 10**6


@pytest.mark.parametrize("value", [Unspeakable(), Endless(), "x" * 8 * 10**6, b"x" * 10**6])
def test_messages_stay_short(value):
    learner = ShrubClassifier().learn_one({"a": 1.0, "b": "text"}, 0)
    regressor = ShrubRegressor().learn_one([1.0], 0.5)
    calls = [
        lambda: learner.learn_one({"a": value}, 0),
        lambda: learner.learn_one({"b": [value]}, 0),
        lambda: learner.learn_one({"a": 1.0}, [value]),
        lambda: learner.learn_one(value, 0),
        lambda: regressor.learn_one([1.0], value),
        lambda: regressor.partial_fit([[1.0]], [value]),
        lambda: ShrubClassifier(memory_limit=value).predict_one([1.0]),
        lambda: ShrubClassifier(seed=value).predict_one([1.0]),
        lambda: ShrubClassifier(nominal_features=value).predict_one([1.0]),
        lambda: PaperShrubClassifier(step_size=value).predict_one([1.0]),
        lambda: PaperShrubClassifier(splitter=value).predict_one([1.0]),
        lambda: PaperShrubClassifier(max_features=value).predict_one([1.0]),
    ]
    for call in calls:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert len(str(caught.value)) < 400


def test_a_pickled_learner_is_what_it_learned():
    learner = ShrubClassifier().learn_one({"a": "red", ("b", 1): 1.0}, frozenset({1}))
    loaded = pickle.loads(pickle.dumps(learner))
    assert loaded.to_bytes() == learner.to_bytes()
    assert loaded.predict_one({"a": "red"}) == frozenset({1})
