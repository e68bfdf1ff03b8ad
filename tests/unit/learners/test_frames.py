"""Data frames of pandas, polars and Arrow."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shrubs import PaperShrubClassifier, PaperShrubRegressor

MAKE = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}

COLUMNS = {
    "colour": ["red", None, "blue", "red", "green", "blue"],
    "flag": [True, False, True, True, False, False],
    "length": [1, 2, 3, 4, 5, 6],
    "width": [0.5, float("nan"), 1.5, 0.25, 2.5, 3.5],
}
Y = [0, 1, 1, 0, 1, 1]


@pytest.fixture(params=MAKE.values(), ids=MAKE.keys())
def make(request):
    return request.param


def classifier():
    return PaperShrubClassifier(max_shrubs=4, window_size=4, splitter="best", step_size=0.5)


def rows():
    return [
        dict(zip(COLUMNS, values, strict=True)) for values in zip(*COLUMNS.values(), strict=True)
    ]


def test_a_frame_gives_the_model_of_its_rows(make):
    one_by_one = classifier()
    for x, y in zip(rows(), Y, strict=True):
        one_by_one.learn_one(x, y)
    assert classifier().partial_fit(make(COLUMNS), Y).to_bytes() == one_by_one.to_bytes()


def test_a_frame_is_predicted_like_its_rows(make):
    learner = classifier().partial_fit(make(COLUMNS), Y)
    one_by_one = [list(learner.predict_proba_one(x).values()) for x in rows()]
    assert learner.predict_proba(make(COLUMNS)).tolist() == one_by_one


def test_the_order_of_the_columns_does_not_matter(make):
    turned = {name: COLUMNS[name] for name in reversed(COLUMNS)}
    one, other = (classifier().partial_fit(make(c), Y) for c in (COLUMNS, turned))
    assert one.to_bytes() == other.to_bytes()


def test_a_column_that_vanishes_is_missing(make):
    learner = classifier().partial_fit(make(COLUMNS), Y)
    narrow = {"length": COLUMNS["length"], "width": COLUMNS["width"]}
    one_by_one = [learner.predict_one({"length": x["length"], "width": x["width"]}) for x in rows()]
    assert learner.predict(make(narrow)).tolist() == one_by_one


def test_a_column_that_appears_is_a_new_feature(make):
    learner = classifier().partial_fit(make({"length": [1, 2]}), [0, 1])
    assert learner.partial_fit(make(COLUMNS), Y).n_features_in_ == 4


def test_a_category_never_seen_is_predicted_like_any_other(make):
    learner = classifier().partial_fit(make(COLUMNS), Y)
    unseen = {**COLUMNS, "colour": ["pink"] * 6}
    one_by_one = [learner.predict_one({**x, "colour": "pink"}) for x in rows()]
    assert learner.predict(make(unseen)).tolist() == one_by_one


def test_a_column_that_starts_empty_may_hold_texts_later(make):
    learner = classifier().partial_fit(make({"length": [1, 2], "colour": [None, None]}), [0, 1])
    learner.partial_fit(make({"length": [3, 4], "colour": ["red", "blue"]}), [0, 1])
    assert learner.n_features_in_ == 2


def test_a_text_in_a_numeric_column_is_refused(make):
    learner = classifier().partial_fit(make(COLUMNS), Y)
    with pytest.raises(TypeError, match=r"^feature 'length' takes numbers, got 'long'$"):
        learner.partial_fit(make({"length": ["long"]}), [0])


def test_a_frame_without_any_known_column_cannot_be_predicted(make):
    learner = classifier().partial_fit(make(COLUMNS), Y)
    with pytest.raises(ValueError, match=r"^X has none of this learner's features; it knows \["):
        learner.predict(make({"height": [1.0]}))


def test_a_frame_for_a_learner_without_names_goes_by_position(make):
    learner = classifier().partial_fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
    frame = make({"b": [1.0, 2.0], "a": [2.0, 1.0]})
    assert learner.predict(frame).tolist() == learner.predict([[1.0, 2.0], [2.0, 1.0]]).tolist()


def test_categories_of_pandas_are_texts():
    frame = pd.DataFrame(COLUMNS)
    typed = frame.astype({"colour": "category"})
    one, other = (classifier().partial_fit(f, Y) for f in (frame, typed))
    assert one.to_bytes() == other.to_bytes()


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float32", "int8"])
def test_nullable_and_short_numbers_of_pandas_are_numbers(dtype):
    frame = pd.DataFrame({"a": pd.array([1, 2, 3], dtype=dtype)})
    plain = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    one, other = (classifier().partial_fit(f, [0, 1, 0]) for f in (frame, plain))
    assert one.to_bytes() == other.to_bytes()


def test_durations_are_refused():
    frame = pd.DataFrame({"day": pd.to_timedelta([1, 2], unit="D")})
    with pytest.raises(TypeError, match="give numbers, booleans, dates, texts or categories"):
        classifier().partial_fit(frame, [0, 1])


def test_targets_may_be_a_series(make):
    targets = np.array(COLUMNS["length"], dtype=float)
    series = make({"y": targets})["y"]
    one = PaperShrubRegressor(window_size=4).partial_fit(make(COLUMNS), series)
    assert (
        one.to_bytes()
        == PaperShrubRegressor(window_size=4).partial_fit(make(COLUMNS), targets).to_bytes()
    )
