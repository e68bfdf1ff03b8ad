"""Weights of examples: whole ones are repetitions, fractions are made up for."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import estimator_checks

from shrubs import (
    MemoryFullWarning,
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)
from tests.reference.weights import Repetition
from tests.unit.learners.streams import tries

LEARNERS = {
    "untuned": lambda: ShrubClassifier(memory_limit="16KB"),
    "untuned regression": lambda: ShrubRegressor(memory_limit="16KB"),
    "paper": lambda: PaperShrubClassifier(max_shrubs=4, window_size=8),
    "paper regression": lambda: PaperShrubRegressor(max_shrubs=4, window_size=8),
    "tree": lambda: WindowedTree(window_size=8),
}
each_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)

WEIGHTS = st.one_of(st.sampled_from([0, 1, 1.0, 2, 3.0, 0.5, 1e-9]), st.floats(0.0, 4.0))
EXAMPLES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 1.0, 2.0]), st.integers(0, 2), WEIGHTS),
    min_size=1,
    max_size=20,
)


def learned(learner):
    """What was learned, without what is noted of weights."""
    engine = learner._engine
    return None if engine is None else engine.to_state(b"")


@each_learner
@given(examples=EXAMPLES)
@tries(25)
def test_an_example_is_learned_as_often_as_the_reference_says(make, examples):
    weighted, repeated, repetition = make(), make(), Repetition()
    for value, y, weight in examples:
        weighted.learn_one([value, -value], y, weight=weight)
        for _ in range(repetition.times(weight)):
            repeated.learn_one([value, -value], y)
        assert learned(weighted) == learned(repeated)


@each_learner
@given(examples=EXAMPLES, cut=st.integers(0, 20))
@tries(25)
def test_many_examples_are_learned_as_one_by_one(make, examples, cut):
    one_by_one, in_parts = make(), make()
    for value, y, weight in examples:
        one_by_one.learn_one([value, -value], y, weight)
    X = np.array([[value, -value] for value, _, _ in examples])
    y, weights = np.array([y for _, y, _ in examples]), [weight for _, _, weight in examples]
    for part in (slice(0, cut), slice(cut, None)):
        in_parts.partial_fit(X[part], y[part], sample_weight=weights[part])
    assert in_parts.to_bytes() == one_by_one.to_bytes()


FRAME = pd.DataFrame(
    {
        "a": [1.0, 2.0, 3.0, 4.0],
        "b": ["red", "green", "red", "never learned"],
        "c": pd.to_datetime(["2024-01-01", "2024-03-05", "2025-07-09", "2026-11-16"]),
        "d": [None, None, None, "never learned"],
    }
)


@pytest.mark.parametrize(
    "X", [FRAME, np.arange(8.0).reshape(4, 2), scipy.sparse.eye(4).tocsr(), FRAME.to_numpy()]
)
def test_rows_without_weight_leave_no_trace(X):
    rows = [0, 0, 2]
    some = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
    y = np.array(["yes", "no", "no", "maybe"])
    weighted = ShrubClassifier().partial_fit(X, y, sample_weight=[2, 0, 1, 0])
    assert weighted.to_bytes() == ShrubClassifier().partial_fit(some, y[rows]).to_bytes()


@each_learner
def test_a_learner_may_begin_with_nothing_to_learn(make):
    learner = make().partial_fit([[1.0]], [1], sample_weight=[0])
    assert (learner.learn_one([1.0], 1, weight=0).examples_seen, learned(learner)) == (0, None)


def test_classes_are_announced_even_without_weight():
    learner = ShrubClassifier().partial_fit([[1.0]], [1], classes=[0, 1], sample_weight=[0])
    assert learner.classes_.tolist() == [0, 1]


def test_all_classes_of_a_fit_are_known_even_those_without_weight():
    learner = ShrubClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[0, 1])
    assert (learner.classes_.tolist(), learner.predict([[0.0]])[0]) == ([0, 1], 1)


@each_learner
def test_a_saved_learner_goes_on_with_its_fractions(make):
    learner = make()
    for i in range(20):
        learner.learn_one([i % 5], i % 2, weight=0.7)
        others = [type(learner).from_bytes(learner.to_bytes()), copy.deepcopy(learner)]
        for other in others:
            other.learn_one([1.0], 1, weight=0.3).learn_one([2.0], 0, weight=0.3)
        same = copy.copy(learner)
        same.learn_one([1.0], 1, weight=0.3).learn_one([2.0], 0, weight=0.3)
        assert {other.to_bytes() for other in others} == {same.to_bytes()}


def test_fractions_add_up_for_each_of_two_labels_that_take_turns():
    times, repetition = [0, 0], Repetition()
    for i in range(10_000):
        times[i % 2] += repetition.times(0.3)
    assert times == pytest.approx([1500, 1500], abs=3)


@each_learner
def test_unit_weights_change_nothing(make):
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(60, 3)), rng.integers(0, 2, size=60)
    assert make().fit(X, y, sample_weight=np.ones(60)).to_bytes() == make().fit(X, y).to_bytes()


@pytest.mark.parametrize("form", ["dense", "sparse"])
@each_learner
def test_the_check_of_scikit_learn_passes_if_the_order_stays(make, form, monkeypatch):
    # It shuffles the rows of one of the two learners that it compares.
    monkeypatch.setattr(estimator_checks, "shuffle", lambda *arrays, random_state: arrays)
    check = getattr(estimator_checks, f"check_sample_weight_equivalence_on_{form}_data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MemoryFullWarning)
        check(type(make()).__name__, make())
