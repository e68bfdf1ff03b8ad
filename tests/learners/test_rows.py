"""One row of Python values: what is read from it, and what is refused."""

import math

import pytest

from shrubs import ShrubClassifier, ShrubRegressor


@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e39])
def test_a_row_with_an_infinity_is_a_value_error(value):
    learner = ShrubClassifier().learn_one({"a": 1.0}, "yes")
    with pytest.raises(ValueError, match="feature 'a' must be finite and fit single precision"):
        learner.learn_one({"a": value}, "yes")


def test_a_text_in_a_numeric_feature_is_a_type_error():
    learner = ShrubRegressor().learn_one([1.0], 1.0)
    with pytest.raises(TypeError, match="feature 0 takes numbers, got 'red'"):
        learner.learn_one(["red"], 1.0)
