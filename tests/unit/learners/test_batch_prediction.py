"""Rows that are predicted together have the bits that each has alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier, ShrubRegressor
from shrubs.learners.snapshot import predict_each

KINDS = [ShrubClassifier, ShrubRegressor, PaperShrubClassifier, PaperShrubRegressor]
NAMES = ["a", "b", "c", "d"]
RNG = np.random.default_rng(3)
X = RNG.normal(size=(1500, 4)).round(3)
X[::7, 2] = np.nan
Y = (np.nan_to_num(X[:, 0] + X[:, 2]) > 0).astype(int)


def taught(kind, **options):
    y = X[:, 0] if "Regressor" in kind.__name__ else np.array(["no", "yes"])[Y]
    return kind(**options).partial_fit(dict(zip(NAMES, X.T, strict=True)), y)


def one_by_one(snapshot, rows):
    return [snapshot.predict_one(dict(zip(NAMES, row, strict=True))) for row in rows]


@pytest.mark.parametrize("size", [1, 15, 16, 31, 32, 500, 1500])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_by_name_are_predicted_as_each_alone(kind, size):
    snapshot = taught(kind).snapshot()
    found = snapshot.predict_named(NAMES, X, len(X) - size, len(X))
    assert found == one_by_one(snapshot, X[-size:])
    columns = dict(zip(NAMES, X[-size:].T, strict=True))
    assert snapshot.predict(columns).tolist() == found


@pytest.mark.parametrize("kind", KINDS)
def test_columns_may_come_in_any_order_with_some_unknown_and_some_missing(kind):
    snapshot = taught(kind).snapshot()
    names = ["new", "c", "a"]
    given_columns = np.ascontiguousarray(X[:, [1, 2, 0]])
    rows = [{"c": row[1], "a": row[2]} for row in given_columns]
    expected = [snapshot.predict_one(row) for row in rows]
    assert snapshot.predict_named(names, given_columns, 0, len(X)) == expected


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_many_snapshots_predict_each_its_rows(kind):
    snapshots = [taught(kind, seed=seed).snapshot() for seed in range(3)]
    found = predict_each(snapshots, NAMES, X, [2, 2, 700])
    first, _, last = snapshots
    assert found == one_by_one(first, X[:2]) + one_by_one(last, X[2:700])


def test_snapshots_that_cannot_be_asked_together_are_left_to_others():
    one, other = taught(ShrubClassifier).snapshot(), taught(PaperShrubClassifier).snapshot()
    assert predict_each([one, other], NAMES, X, [1, 2]) is None
    texts = ShrubClassifier().learn_one({"a": "red"}, "yes").snapshot()
    assert predict_each([one, texts], NAMES, X, [1, 2]) is None
    with pytest.raises(ValueError, match="every snapshot needs its rows"):
        predict_each([one], NAMES, X, [1, 2])
    with pytest.raises(ValueError, match="X does not have these names or rows"):
        predict_each([one, one], NAMES, X, [2, 1])


def test_categories_and_positions_are_left_to_others():
    learner = ShrubClassifier().learn_one({"a": "red", "b": 1.0}, "yes")
    assert learner.snapshot().predict_named(["a"], np.ones((2, 1)), 0, 2) is None
    assert learner.snapshot().predict_named(["b"], np.ones((2, 1)), 0, 2) == ["yes", "yes"]
    assert (
        ShrubRegressor()
        .learn_one([1.0], 2.0)
        .snapshot()
        .predict_named(["a"], np.ones((2, 1)), 0, 2)
        is None
    )


@pytest.mark.parametrize(("names", "start", "stop"), [(["a"], 0, 1), (NAMES, 2, 1), (NAMES, 0, 9)])
def test_names_and_rows_that_are_not_there_are_refused(names, start, stop):
    snapshot = taught(ShrubClassifier).snapshot()
    with pytest.raises(ValueError, match="X does not have these names or rows"):
        snapshot.predict_named(names, X[:4], start, stop)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_probabilities_of_many_are_those_of_each(data):
    """Few values and many, categories, missing values, few classes and many."""
    n_classes = data.draw(st.sampled_from([2, 3, 9]))
    n_learned = data.draw(st.integers(1, 400))
    options = {
        "memory_limit": data.draw(st.sampled_from(["14KB", "40KB", "200KB"])),
        "class_weight": data.draw(st.sampled_from([None, "balanced"])),
        "nominal_features": data.draw(st.sampled_from([(), (1,), (0, 1, 2)])),
        "last_outcomes": data.draw(st.booleans()),
        "seed": data.draw(st.integers(0, 5)),
    }
    draw = np.random.default_rng(data.draw(st.integers(0, 1000)))
    rows = draw.integers(0, data.draw(st.sampled_from([2, 5, 300])), size=(600, 3)).astype(float)
    rows[draw.uniform(size=rows.shape) < data.draw(st.sampled_from([0, 0.2]))] = np.nan
    labels = (np.nan_to_num(rows).sum(axis=1).astype(int) + draw.integers(0, 2, 600)) % n_classes
    learner = ShrubClassifier(**options).partial_fit(rows[:n_learned], labels[:n_learned])
    expected = [[*learner.predict_proba_one(row).values()] for row in rows]
    assert learner.predict_proba(rows).tolist() == expected
    assert learner.snapshot().predict_proba(rows).tolist() == expected


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_targets_of_many_are_those_of_each(data):
    n_learned = data.draw(st.integers(1, 500))
    unit = data.draw(st.sampled_from([1.0, 1e-200, 1e300]))
    limit = data.draw(st.sampled_from(["6KB", "20KB", "500KB"]))
    draw = np.random.default_rng(data.draw(st.integers(0, 1000)))
    rows = draw.normal(size=(700, 3))
    rows[draw.uniform(size=rows.shape) < data.draw(st.sampled_from([0, 0.2]))] = np.nan
    targets = unit * (np.nan_to_num(rows).sum(axis=1) + draw.normal(size=len(rows)).cumsum())
    learner = ShrubRegressor(memory_limit=limit).partial_fit(rows[:n_learned], targets[:n_learned])
    expected = [learner.predict_one(row) for row in rows]
    assert learner.predict(rows).tolist() == expected
    assert learner.snapshot().predict(rows).tolist() == expected
