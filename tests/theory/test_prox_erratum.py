"""The prox as the paper prints it, and as it must be.

Printed: beta = max{ j <= M : w_j > (1/j) * sum_{i<=j} (w_i - 1) }. The bracket is misplaced; right
is w_j > (1/j) * (sum_{i<=j} w_i - 1). As printed the condition nearly always holds, so that
entries far below zero, which must not count, still do.
"""

import pytest

from shrubs._core import project_sparse_simplex

WEIGHTS = [-0.3, 0.5, 0.6, 0.4]


def project_as_printed(weights, max_shrubs):
    kept = sorted(weights, reverse=True)[:max_shrubs]
    beta = max(
        j
        for j in range(1, len(kept) + 1)
        if kept[j - 1] > sum(weight - 1.0 for weight in kept[:j]) / j
    )
    tau = (sum(kept[:beta]) - 1.0) / beta
    return [max(weight - tau, 0.0) if weight in kept else 0.0 for weight in weights]


def test_the_printed_projection_leaves_the_simplex():
    # beta = 4, for -0.3 > ((0.6 - 1) + (0.5 - 1) + (0.4 - 1) + (-0.3 - 1)) / 4 = -0.7. So
    # tau = (1.2 - 1) / 4 = 0.05 and the weights become 0, 0.45, 0.55, 0.35.
    assert sum(project_as_printed(WEIGHTS, 4)) == pytest.approx(1.35)


@pytest.mark.parametrize("max_shrubs", [3, 4])
def test_the_corrected_projection_stays_on_the_simplex(max_shrubs):
    # beta = 3: with the fourth, -0.3 > (1.2 - 1) / 4 does not hold. So tau = (1.5 - 1) / 3 = 1/6:
    # 0.5 - 1/6 = 1/3, 0.6 - 1/6 = 13/30, 0.4 - 1/6 = 7/30.
    expected = [0.0, 1 / 3, 13 / 30, 7 / 30]
    assert project_sparse_simplex(WEIGHTS, max_shrubs) == pytest.approx(expected, abs=1e-15)
