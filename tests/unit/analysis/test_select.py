import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs.analysis.select import BUDGETS, best_under
from tests.reference.area import best_under as reference


def test_a_larger_model_than_the_budget_is_left_out():
    assert best_under([10, 20], [0.5, 0.9], budget=19) == 0


def test_a_model_as_large_as_the_budget_is_allowed():
    assert best_under([10, 20], [0.5, 0.9], budget=20) == 1


def test_nothing_fits():
    assert best_under([10], [0.5], budget=9) is None


def test_of_equally_accurate_models_the_smallest_is_best():
    assert best_under([30, 10, 20], [0.9, 0.9, 0.9]) == 1


def test_of_equal_models_the_first_is_best():
    assert best_under([10, 10], [0.9, 0.9]) == 0


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=8),
    st.one_of(st.integers(0, 6), st.just(math.inf)),
)
def test_best_agrees_with_the_reference(models, budget):
    sizes, accuracies = [s for s, _ in models], [a for _, a in models]
    assert best_under(sizes, accuracies, budget) == reference(models, budget)


def test_different_lengths_are_refused():
    with pytest.raises(ValueError, match="sizes and accuracies must be equally many, got 1 and 0"):
        best_under([1], [])


def test_budgets_are_those_of_the_paper():
    assert list(BUDGETS) == ["no limit", "10 MB", "1 MB", "128 KB"]
    assert list(BUDGETS.values()) == [math.inf, 10_485_760, 1_048_576, 131_072]
