import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs.analysis.fronts import (
    BUDGETS,
    LARGEST_BYTES,
    apf,
    best_under,
    log_apf,
    memory_front,
    pareto_front,
)
from shrubs.analysis.runs import arrange
from tests.reference.area import area, log_area
from tests.reference.area import best_under as best_under_reference

N_STRIPS = 2000
MODELS = st.lists(
    st.tuples(st.integers(1, 1200), st.integers(0, 20).map(lambda n: n / 20)), max_size=8
)


def test_front_leaves_out_beaten_points():
    # (30, 0.6) is beaten by (20, 0.7): cheaper and better.
    assert pareto_front([10, 20, 30, 40], [0.5, 0.7, 0.6, 0.8]) == [0, 1, 3]


def test_front_is_ordered_by_cost_whatever_the_input_order():
    assert pareto_front([40, 10, 20], [0.8, 0.5, 0.7]) == [1, 2, 0]


def test_of_equal_points_the_first_stays():
    assert pareto_front([5, 5, 5], [0.5, 0.5, 0.5]) == [0]


def test_at_equal_cost_only_the_best_stays():
    assert pareto_front([5, 5], [0.5, 0.6]) == [1]


def test_at_equal_gain_only_the_cheapest_stays():
    assert pareto_front([6, 5], [0.5, 0.5]) == [1]


def test_one_point_is_a_front():
    assert pareto_front([1], [0.0]) == [0]


def test_no_points_have_an_empty_front():
    assert pareto_front([], []) == []


def test_front_agrees_with_the_definition_on_a_grid():
    points = [(cost, gain) for cost in range(4) for gain in range(4) if (cost * 7 + gain) % 3]
    costs = [cost for cost, _ in points]
    gains = [gain for _, gain in points]
    unbeaten = {
        i
        for i, (cost, gain) in enumerate(points)
        if not any(c <= cost and g >= gain and (c, g) != (cost, gain) for c, g in points)
    }
    assert set(pareto_front(costs, gains)) == unbeaten


def test_costs_and_gains_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="costs and gains must be equally many, got 1 and 2"):
        pareto_front([1], [1, 2])


def test_nan_is_refused():
    with pytest.raises(ValueError, match="gains must be finite, got nan"):
        pareto_front([1], [math.nan])


def columns(models):
    return [size for size, _ in models], [accuracy for _, accuracy in models]


def test_area_of_one_model_is_its_accuracy_right_of_it():
    # 0.8 over the width from 25 to 100, of 100.
    assert apf([25], [0.8], largest=100) == pytest.approx(0.6)


def test_neighbours_on_the_front_are_joined_by_a_line():
    # A trapezoid from 0.4 to 0.8 over 50, and 0.8 over 50: 30 + 40 of 100.
    assert apf([0, 50], [0.4, 0.8], largest=100) == pytest.approx(0.7)


def test_beaten_models_change_nothing():
    assert apf([0, 30, 50], [0.4, 0.1, 0.8], largest=100) == apf([0, 50], [0.4, 0.8], largest=100)


def test_models_above_the_largest_size_do_not_count():
    assert apf([25, 101], [0.8, 0.9], largest=100) == apf([25], [0.8], largest=100)


def test_no_model_has_no_area():
    assert (apf([], []), log_apf([], [])) == (0.0, 0.0)


def test_every_doubling_weighs_the_same_on_the_logarithmic_axis():
    # From 1 to 2^10; a model of 2^4 leaves six of ten doublings.
    assert log_apf([2**4], [1.0], smallest=1, largest=2**10) == pytest.approx(0.6)


def test_smaller_than_the_axis_counts_as_its_begin():
    assert log_apf([0], [0.9], smallest=1024) == pytest.approx(0.9)


def test_the_best_of_the_models_below_the_axis_counts():
    # Both are drawn at 1; the step between them has no width.
    assert log_apf([0.2, 0.5], [0.3, 0.6], smallest=1, largest=8) == pytest.approx(0.6)


@given(MODELS)
def test_area_agrees_with_the_sum_of_strips(models):
    # The strips are off by at most half a strip's width at each jump or bend.
    assert apf(*columns(models), largest=1000) == pytest.approx(
        area(models, 1000, N_STRIPS), abs=10 / N_STRIPS
    )


@given(MODELS)
def test_logarithmic_area_agrees_with_the_sum_of_strips(models):
    assert log_apf(*columns(models), smallest=4, largest=1000) == pytest.approx(
        log_area(models, 4, 1000, N_STRIPS), abs=10 / N_STRIPS
    )


def test_the_largest_size_must_leave_an_axis():
    with pytest.raises(ValueError, match="largest must be above 1024 bytes, got 10"):
        log_apf([1], [1.0], largest=10)


def test_the_paper_divides_by_204800_kb():
    assert LARGEST_BYTES == 204_800 * 1024


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
def test_best_agrees_with_the_best_under_reference(models, budget):
    sizes, accuracies = [s for s, _ in models], [a for _, a in models]
    assert best_under(sizes, accuracies, budget) == best_under_reference(models, budget)


def test_sizes_and_accuracies_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="sizes and accuracies must be equally many, got 1 and 0"):
        best_under([1], [])


def test_budgets_are_those_of_the_paper():
    assert list(BUDGETS) == ["no limit", "10 MB", "1 MB", "128 KB"]
    assert list(BUDGETS.values()) == [math.inf, 10_485_760, 1_048_576, 131_072]


def test_the_front_of_a_regression_goes_to_small_errors(records):
    found = memory_front(arrange(records)[1])
    # No-change needs the least memory, the shrubs have the least error: both are on the front.
    assert [len(front) for front in found.fronts] == [2]
    assert found.better == "lower"
