"""Random cuts split binary features too (the authors' program never does with two or more ones)."""

import pytest

from shrubs import PaperShrubClassifier


def grown_on(X, y, seed):
    learner = PaperShrubClassifier(
        max_shrubs=1, window_size=len(X), step_size=100.0, splitter="random", seed=seed
    )
    return learner.partial_fit(X, y).shrubs[-1]


@pytest.mark.parametrize("seed", range(20))
def test_a_binary_feature_with_two_ones_is_split(seed):
    # The last example is one that a shrub without it gets wrong, so the youngest shrub saw all.
    shrub = grown_on([[1.0], [1.0], [0.0], [0.0]], [1, 1, 1, 0], seed)
    assert shrub.depth == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_binary_feature_is_cut_at_zero_or_above_and_below_one(seed):
    shrub = grown_on([[1.0], [1.0], [0.0], [0.0]], [1, 1, 1, 0], seed)
    assert 0.0 <= shrub.root.threshold < 1.0


@pytest.mark.parametrize("seed", range(20))
def test_one_hot_columns_are_told_apart(seed):
    rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 3
    shrub = grown_on(rows, [0, 1, 2] * 3, seed)
    # Three categories of a one-hot code need two questions.
    assert shrub.n_nodes == 5


def test_random_cuts_differ_between_seeds():
    X = [[0.0], [1.0], [2.0], [3.0]]
    thresholds = {grown_on(X, [0, 1, 0, 1], seed).root.threshold for seed in range(20)}
    assert len(thresholds) > 10
