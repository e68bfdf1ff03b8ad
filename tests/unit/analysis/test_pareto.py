import math

import pytest

from shrubs.analysis.pareto import pareto_front


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


def test_different_lengths_are_refused():
    with pytest.raises(ValueError, match="costs and gains must be equally many, got 1 and 2"):
        pareto_front([1], [1, 2])


def test_nan_is_refused():
    with pytest.raises(ValueError, match="gains must be finite, got nan"):
        pareto_front([1], [math.nan])
