"""The portable exponential: the core, its reference, and the mathematical function."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs._core import exponential
from tests import reference
from tests.unit.learners.streams import tries


@tries(500)
@given(st.floats(-1100.0, 700.0))
def test_exponential_agrees_with_the_reference(x):
    assert exponential(x) == reference.exponential(x)


@tries(500)
@given(st.floats(-700.0, 0.0))
def test_exponential_is_right_to_the_last_digits(x):
    assert exponential(x) == pytest.approx(math.exp(x), rel=4e-15)


@given(st.floats(-50.0, 0.0), st.floats(-50.0, 0.0))
def test_exponential_of_a_clearly_larger_number_is_larger(x, y):
    low, high = min(x, y), max(x, y)
    if high - low > 1e-12:
        assert exponential(low) < exponential(high)


@pytest.mark.parametrize(
    ("x", "expected"),
    [(0.0, 1.0), (-0.0, 1.0), (-700.1, 0.0), (-1e308, 0.0), (-math.inf, 0.0)],
)
def test_exponential_is_exact_where_it_can_be(x, expected):
    assert exponential(x) == expected


def test_exponential_is_smallest_at_minus_700():
    # Below, it is 0; here it still is e^-700 = 9.86e-305.
    assert exponential(-700.0) == pytest.approx(9.859676543759770e-305, rel=1e-13)
