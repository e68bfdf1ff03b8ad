"""The projection onto the sparse simplex: the core, its reference, and an independent solution."""

import itertools

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from shrubs._core import project_sparse_simplex
from tests import reference
from tests.unit.learners.streams import tries

WEIGHTS = st.lists(
    st.one_of(st.floats(-2.0, 2.0), st.sampled_from([0.0, -0.0, 0.5, 0.5, 1.0, -0.25])),
    min_size=1,
    max_size=9,
)
WILD_WEIGHTS = st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9)
AT_MOST = st.integers(1, 10)


@tries(400)
@given(WEIGHTS, AT_MOST)
def test_projection_agrees_with_the_reference(weights, max_shrubs):
    expected = reference.project_sparse_simplex(weights, max_shrubs)
    assert project_sparse_simplex(weights, max_shrubs) == expected


@tries(400)
@given(WILD_WEIGHTS, AT_MOST)
def test_projection_agrees_with_the_reference_on_huge_weights(weights, max_shrubs):
    expected = reference.project_sparse_simplex(weights, max_shrubs)
    assert project_sparse_simplex(weights, max_shrubs) == expected


@given(WILD_WEIGHTS, AT_MOST)
def test_projection_sums_to_one(weights, max_shrubs):
    assert sum(project_sparse_simplex(weights, max_shrubs)) == pytest.approx(1.0, abs=1e-12)


@given(WILD_WEIGHTS, AT_MOST)
def test_projection_is_nonnegative(weights, max_shrubs):
    assert min(project_sparse_simplex(weights, max_shrubs)) >= 0.0


@given(WILD_WEIGHTS, AT_MOST)
def test_projection_has_at_most_max_shrubs_nonzero_entries(weights, max_shrubs):
    assert np.count_nonzero(project_sparse_simplex(weights, max_shrubs)) <= max_shrubs


@given(WEIGHTS, AT_MOST)
def test_projection_keeps_the_order_of_the_weights(weights, max_shrubs):
    projected = project_sparse_simplex(weights, max_shrubs)
    ranked = sorted(zip(weights, projected, strict=True))
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(ranked) if a[0] < b[0])


def test_projection_keeps_the_earlier_of_equal_weights():
    assert project_sparse_simplex([0.5, 0.5, 0.5], 2) == [0.5, 0.5, 0.0]


def test_projection_leaves_weights_on_the_simplex_alone():
    assert project_sparse_simplex([0.25, 0.5, 0.25], 3) == [0.25, 0.5, 0.25]


def test_projection_of_one_weight_is_one():
    assert project_sparse_simplex([-7.0], 4) == [1.0]


def test_projection_of_negative_weights_is_on_the_simplex():
    # Kept: -1 and -2. Taking off tau = (-1 - 1) / 1 = -2 leaves 1 and 0.
    assert project_sparse_simplex([-3.0, -1.0, -2.0], 2) == [0.0, 1.0, 0.0]


def test_projection_of_nothing_is_nothing():
    assert project_sparse_simplex([], 3) == []


def test_projection_to_no_shrub_is_refused():
    with pytest.raises(ValueError, match=r"^max_shrubs must be at least 1, got 0$"):
        project_sparse_simplex([1.0], 0)


def nearest_by_quadratic_programming(weights, max_shrubs):
    """The distance to the nearest point of the sparse simplex: the best over all supports.

    On one support the nearest point of the simplex is found by SLSQP, which knows nothing of
    thresholds.
    """
    best = np.inf
    size = min(max_shrubs, len(weights))
    for support in itertools.combinations(range(len(weights)), size):
        target = np.array([weights[i] for i in support])
        rest = sum(weights[i] ** 2 for i in range(len(weights)) if i not in support)
        found = scipy.optimize.minimize(
            lambda v, target=target: np.sum((v - target) ** 2),
            np.full(size, 1.0 / size),
            jac=lambda v, target=target: 2.0 * (v - target),
            bounds=[(0.0, None)] * size,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1.0, "jac": np.ones_like},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        best = min(best, found.fun + rest)
    return best


@tries(40)
@given(
    st.lists(st.floats(-2.0, 2.0, width=16), min_size=1, max_size=5),
    st.integers(1, 5),
)
def test_projection_is_as_near_as_an_independent_quadratic_program(weights, max_shrubs):
    projected = np.array(project_sparse_simplex(weights, max_shrubs))
    distance = float(np.sum((projected - np.array(weights)) ** 2))
    assert distance == pytest.approx(
        nearest_by_quadratic_programming(weights, max_shrubs), abs=1e-6
    )


@given(WEIGHTS, AT_MOST)
def test_projection_meets_the_conditions_of_optimality(weights, max_shrubs):
    # Where an entry stays positive, the same amount tau is taken off; what is kept but becomes
    # zero was at most tau (Karush, Kuhn and Tucker).
    projected = project_sparse_simplex(weights, max_shrubs)
    taken = [w - p for w, p in zip(weights, projected, strict=True) if p > 0.0]
    kept = sorted(range(len(weights)), key=lambda i: (-weights[i], i))[:max_shrubs]
    zeros = [weights[i] for i in kept if projected[i] == 0.0]
    assert max(taken) - min(taken) < 1e-12
    assert all(weight <= max(taken) + 1e-12 for weight in zeros)
