import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier
from shrubs.export import to_c, to_json
from tests.reference.exported import predict
from tests.unit.export.models import (
    LEARNERS,
    draw_stream,
    make_snapshot,
    make_wide_snapshot,
    with_unseen,
)


def assert_enough(snapshot, X):
    """The JSON alone predicts the same bits."""
    document = json.loads(to_json(snapshot))
    names = [feature["name"] for feature in document["features"]]
    found = [predict(document, dict(zip(names, row, strict=True))) for row in X.tolist()]
    is_regression = document["task"] == "targets"
    expected = snapshot.predict(X)[:, None] if is_regression else snapshot.predict_proba(X)
    np.testing.assert_array_equal(np.array(found).view(np.uint64), expected.view(np.uint64))


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(sorted(LEARNERS)),
    st.integers(0, 1000),
    st.sampled_from([1, 2, 5, 40, 600]),
    st.integers(1, 9),
    st.sampled_from([1, 2, 9, 40]),
)
def test_json_is_enough_to_predict_the_same_bits(kind, seed, n, n_features, n_classes):
    shape = {"n": n + 50, "n_features": n_features}
    classes = None if "targets" in kind else n_classes
    X, y, nominal = draw_stream(seed, n_classes=classes, **shape)
    snapshot = make_snapshot(kind, X[:n], y[:n], nominal)
    assert_enough(snapshot, with_unseen(X[-50:], nominal))


def test_the_features_that_neighbours_are_compared_by_are_named():
    snapshot, X = make_wide_snapshot()
    companions = json.loads(to_json(snapshot))["companions"]
    [near] = [each for each in companions if each["kind"] == "nearest neighbours"]
    compared = {each["feature"]: "mean" in each for each in near["features"]}
    assert compared[20]
    assert not compared.get(3, False)
    assert len(compared) < 16
    assert_enough(snapshot, with_unseen(X, [3]))


def test_texts_are_found_by_the_reader():
    learner = ShrubClassifier(memory_limit="24KB")
    rows = [{"colour": ["red", "green", "blue"][i % 3], "size": i % 7} for i in range(300)]
    for row in rows:
        learner.learn_one(row, row["colour"] == "red" and row["size"] > 3)
    snapshot = learner.snapshot()
    document = json.loads(to_json(snapshot))
    assert document["features"][0]["categories"] == ["red", "green", "blue"]
    for row in [*rows[:21], {"colour": "purple", "size": 1}, {"size": None}]:
        expected = list(snapshot.predict_proba_one(row).values())
        assert predict(document, row) == expected


@pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
@pytest.mark.parametrize(("n_visits", "unlisted"), [(1, None), (3, 8388608)])
def test_texts_that_there_was_no_room_for_have_a_number(n_visits, unlisted):
    learner = ShrubClassifier(memory_limit="24KB")
    for i in range(3000):
        row = {"customer": f"customer {i // n_visits}", "size": i % 7}
        learner.learn_one(row, i % 7 > 3)
    snapshot = learner.snapshot()
    document = json.loads(to_json(snapshot))
    assert document["features"][0]["unlisted"] == unlisted
    for row in [{"customer": "somebody else", "size": size} for size in range(7)]:
        assert predict(document, row) == list(snapshot.predict_proba_one(row).values())


def test_a_split_names_feature_and_category():
    learner = PaperShrubClassifier(window_size=8)
    for i in range(8):
        learner.learn_one({"colour": "red" if i % 2 else "blue"}, i % 2)
    shrub = json.loads(to_json(learner.snapshot()))["shrubs"][-1]
    split = shrub["nodes"][0]
    assert (split["feature"], split["is"], split["category"]) == ("colour", 0, "blue")
    assert shrub["nodes"][split["left"]] == {"leaf": [[0, 1.0]]}
    assert shrub["nodes"][split["right"]] == {"leaf": [[1, 1.0]]}


def test_values_that_json_does_not_know_are_written_as_python_does():
    learner = PaperShrubClassifier()
    learner.learn_one({b"a": 1.0, ("b", 2): 2.0}, b"yes").learn_one({b"a": 2.0}, "no")
    document = json.loads(to_json(learner.snapshot()))
    assert {feature["name"] for feature in document["features"]} == {"b'a'", "('b', 2)"}
    assert document["classes"] == ["b'yes'", "no"]


def test_names_that_become_the_same_are_refused():
    learner = PaperShrubClassifier().learn_one({b"a": 1.0, "b'a'": 2.0}, 0)
    with pytest.raises(ValueError, match=r"^features cannot be told apart in JSON"):
        to_json(learner.snapshot())


def test_a_model_without_a_class_is_refused():
    learner = ShrubClassifier()
    with pytest.raises(ValueError, match="has not seen an example yet"):
        to_c(learner.snapshot())


def test_a_shrub_as_deep_as_its_window_is_written():
    learner = PaperShrubRegressor(window_size=3000, max_shrubs=1, grow_every=3000)
    for i in range(3000):
        learner.learn_one([float(i)], 4.0**i if i < 500 else float(i % 2) * i)
    assert_enough(learner.snapshot(), np.arange(0.0, 3000.0, 50.0)[:, None])
