"""Labels of any hashable type, in batches as one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, ShrubClassifier

X = [[0.0], [1.0], [2.0], [3.0]]

LABELS = {
    "texts": ["no", "yes", "no", "maybe"],
    "integers": [3, -1, 3, 2**62],
    "booleans": [True, False, True, False],
    "whole floats": [1.0, 2.0, 1.0, 3.0],
    "bytes": [b"a", b"b", b"a", b"c"],
    "tuples": [(1, 2), (3, 4), (1, 2), (5, 6)],
    "tuples of different lengths": [(1, 2), (3,), (1, 2), ()],
    "frozen sets": [frozenset("ab"), frozenset("c"), frozenset("ab"), frozenset()],
    "texts and integers": ["a", 1, "a", 2],
}


def learn_one_by_one(y):
    learner = PaperShrubClassifier(max_shrubs=4, window_size=4)
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
    return learner


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS.keys())
def test_a_batch_keeps_labels_as_they_are_given(y):
    learner = PaperShrubClassifier(max_shrubs=4, window_size=4).partial_fit(X, y)
    assert list(learner.classes_) == list(learn_one_by_one(y).classes_)


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS.keys())
def test_a_batch_predicts_the_labels_that_single_rows_predict(y):
    learner = learn_one_by_one(y)
    assert list(learner.predict(X)) == [learner.predict_one(x) for x in X]


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS.keys())
def test_a_prequential_batch_gives_none_and_then_labels(y):
    learner = PaperShrubClassifier(max_shrubs=4, window_size=4)
    # One example is known at the second row, and a single class wins alone.
    assert list(learner.prequential(X, y))[:2] == [None, y[0]]


def test_fit_announces_labels_in_ascending_order():
    assert list(ShrubClassifier().fit(X, ["b", "c", "a", "b"]).classes_) == ["a", "b", "c"]


def test_fit_takes_labels_that_have_no_order():
    assert set(ShrubClassifier().fit(X, ["b", 1, (2,), "b"]).classes_) == {"b", 1, (2,)}


def test_classes_are_announced_with_their_types():
    learner = ShrubClassifier().partial_fit(X[:2], [1, 2], classes=["a", 1, 2])
    assert set(learner.classes_) == {"a", 1, 2}


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan")])
def test_a_missing_label_among_texts_is_refused(missing):
    with pytest.raises(ValueError, match="y must not be missing, got"):
        ShrubClassifier().partial_fit(X, ["a", missing, "a", "b"])


def test_a_numpy_label_is_the_same_class_as_its_plain_value():
    learner = ShrubClassifier().learn_one([1.0], 7).learn_one([2.0], np.int64(7))
    assert learner.classes_.tolist() == [7]


@given(
    batches=st.lists(st.lists(st.integers(-40, 40), min_size=1, max_size=9), max_size=5),
    dtype=st.sampled_from([np.int8, np.int16, np.int64]),
    classes=st.none() | st.just(range(-40, 41)) | st.just([*map(float, range(40, -41, -1))]),
)
def test_integers_are_the_labels_that_objects_are(batches, dtype, classes):
    # Steps so large that nothing freezes.
    integers, objects = (PaperShrubClassifier(max_shrubs=4, step_size=50.0) for _ in range(2))
    for batch in batches:
        rows = [[label % 7] for label in batch]
        of_integers = integers.prequential(rows, np.array(batch, dtype=dtype), classes=classes)
        of_objects = objects.prequential(rows, np.array(batch, dtype=object), classes=classes)
        assert list(of_integers) == list(of_objects)
        assert list(integers.classes_) == list(objects.classes_)


def test_unsigned_labels_need_not_be_small():
    y = np.array([2**64 - 1, 2**64 - 3, 2**64 - 1, 2**64 - 3], dtype=np.uint64)
    learner = PaperShrubClassifier(max_shrubs=4, window_size=4).partial_fit(X, y).partial_fit(X, y)
    assert list(learner.classes_) == [2**64 - 1, 2**64 - 3]
