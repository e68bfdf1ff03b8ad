"""One row of Python values: what is read from it, and what is refused."""

import math

import numpy as np
import pandas as pd
import pytest

from shrubs import PaperShrubClassifier, ShrubClassifier, ShrubRegressor


@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e39])
def test_a_row_with_an_infinity_is_a_value_error(value):
    learner = ShrubClassifier().learn_one({"a": 1.0}, "yes")
    with pytest.raises(ValueError, match="feature 'a' must be finite and fit single precision"):
        learner.learn_one({"a": value}, "yes")


def test_a_text_in_a_numeric_feature_is_a_type_error():
    learner = ShrubRegressor().learn_one([1.0], 1.0)
    with pytest.raises(TypeError, match="feature 0 takes numbers, got 'red'"):
        learner.learn_one(["red"], 1.0)


MISSING = [None, math.nan, np.float32("nan"), pd.NA]


@pytest.mark.parametrize("value", MISSING)
def test_an_example_with_a_new_feature_that_is_missing_is_learned(value):
    learner = ShrubClassifier().learn_one({"a": 1.0, "b": value}, "yes")
    assert learner.learn_one({"a": 1.0, "c": value}, "yes").examples_seen == 2


@pytest.mark.parametrize("value", MISSING)
def test_a_missing_value_brings_no_new_feature(value):
    learner = ShrubRegressor().learn_one({"a": 1.0, "b": value}, 1.0)
    assert learner.learn_one({"a": 1.0, "c": value}, 1.0).n_features_in_ == 1


@pytest.mark.parametrize("value", MISSING)
def test_every_kind_of_missing_number_makes_the_same_model(value):
    learner = ShrubClassifier().learn_one({"a": 1.0}, "yes").learn_one({"a": value}, "no")
    other = ShrubClassifier().learn_one({"a": 1.0}, "yes").learn_one({}, "no")
    assert learner.to_bytes() == other.to_bytes()


@pytest.mark.parametrize("value", MISSING)
def test_every_kind_of_missing_category_makes_the_same_model(value):
    learner = ShrubClassifier().learn_one({"a": "red"}, "yes").learn_one({"a": value}, "no")
    other = ShrubClassifier().learn_one({"a": "red"}, "yes").learn_one({}, "no")
    assert learner.to_bytes() == other.to_bytes()


def test_numbers_beside_texts_in_a_list_stay_numbers():
    learner = PaperShrubClassifier(splitter="best").learn_one(["red", 1.5], "yes")
    learner.learn_one(["red", 0.5], "no")
    # Only feature 1 differs; as a number it is cut halfway between 0.5 and 1.5.
    root = learner.shrubs[-1].root
    assert (root.feature, root.threshold, root.nominal) == (1, 1.0, False)
