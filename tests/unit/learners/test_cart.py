"""Shrubs grown with every cut tried are scikit-learn's trees, node for node.

Where two cuts are equally good the two libraries may choose differently, so only data without such
ties are compared.
"""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shrubs import Leaf, PaperShrubClassifier, PaperShrubRegressor, WindowedTree

N_EXAMPLES = 60


def gini_purity(labels):
    """Sum of squared class counts over the number of examples."""
    return float((np.bincount(labels) ** 2).sum() / len(labels))


def variance_purity(targets):
    """The negative of the sum of squared distances from the mean."""
    return -float(np.var(targets) * len(targets))


def has_ties(node, X, y, purity, min_samples_leaf):
    """Whether at some node of a shrub another cut is as good as the best one."""
    if isinstance(node, Leaf):
        return False
    scores = []
    for column in X.T:
        order = np.argsort(column)
        for cut in range(min_samples_leaf, len(y) - min_samples_leaf + 1):
            left, right = y[order[:cut]], y[order[cut:]]
            scores.append(purity(left) + purity(right))
    if sum(score > max(scores) - 1e-9 for score in scores) > 1:
        return True
    left = X[:, node.feature] <= np.float32(node.threshold)
    return has_ties(node.left, X[left], y[left], purity, min_samples_leaf) or has_ties(
        node.right, X[~left], y[~left], purity, min_samples_leaf
    )


def describe(node):
    """(feature, threshold) and leaf values in preorder."""
    if isinstance(node, Leaf):
        return [node.prediction]
    return [(node.feature, node.threshold), *describe(node.left), *describe(node.right)]


def describe_tree(tree, node=0):
    """The same for a tree of scikit-learn."""
    if tree.children_left[node] == -1:
        return [tree.value[node][0]]
    children = (tree.children_left[node], tree.children_right[node])
    parts = [describe_tree(tree, child) for child in children]
    return [(int(tree.feature[node]), tree.threshold[node]), *parts[0], *parts[1]]


def assert_same_nodes(shrub, tree, same_leaf):
    ours, theirs = describe(shrub.root), describe_tree(tree.tree_)
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs, strict=True):
        if isinstance(our, tuple):
            assert our[0] == their[0]
            assert our[1] == pytest.approx(their[1], rel=1e-6)
        else:
            same_leaf(our, their)


def same_distribution(ours, theirs):
    # Entries are multiples of 1/32768, each rounded once or twice.
    shares = [ours.get(c, 0.0) for c in range(len(theirs))]
    assert shares == pytest.approx(list(theirs), abs=1.0 / 32768)


def same_target(ours, theirs):
    assert ours == pytest.approx(float(theirs[0]), rel=1e-9, abs=1e-12)


# Deep trees on several features end in nodes of two examples, which every feature splits equally
# well: there only one feature is free of ties.
SHAPES = [
    (4, 1, 1),
    (4, 2, 1),
    (4, 3, 3),
    (4, 3, 6),
    (2, 2, 10),
    (1, 1, 1),
    (1, 5, 2),
    (1, None, 4),
]


def classification(seed, n_features):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_EXAMPLES, n_features)).astype(np.float32)
    noise = rng.normal(scale=0.4, size=N_EXAMPLES)
    return X, np.digitize(X[:, 0] + 0.5 * X[:, -1] + noise, [-0.6, 0.7])


def regression(seed, n_features):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_EXAMPLES, n_features)).astype(np.float32)
    return X, 100.0 + 3.0 * X[:, 0].astype(float) + rng.normal(size=N_EXAMPLES)


def shrub_of(learner):
    """The only shrub, which has seen the whole window."""
    (shrub,) = learner.shrubs
    assert shrub.born == N_EXAMPLES - 1
    return shrub


def grow_classifier(X, y, max_depth, min_samples_leaf):
    tree = WindowedTree(
        window_size=N_EXAMPLES,
        regrow="always",
        splitter="best",
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
    )
    return shrub_of(tree.partial_fit(X, y, classes=[0, 1, 2]))


def grow_regressor(X, y, max_depth, min_samples_leaf):
    # With so large a step the last newcomer, which fits the window best, takes all the weight.
    learner = PaperShrubRegressor(
        max_shrubs=1,
        window_size=N_EXAMPLES,
        splitter="best",
        step_size=1e9,
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
    )
    return shrub_of(learner.partial_fit(X, y))


def first_without_ties(make, grow, purity, shape, count=5):
    """The first data sets without ties, with the shrub grown on each."""
    n_features, max_depth, min_samples_leaf = shape
    found = []
    for seed in range(200):
        X, y = make(seed, n_features)
        shrub = grow(X, y, max_depth, min_samples_leaf)
        if not has_ties(shrub.root, X, y, purity, min_samples_leaf):
            found.append((X, y, shrub))
        if len(found) == count:
            return found
    raise AssertionError("too few data sets without ties")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_classification_shrub_is_the_tree_of_scikit_learn(shape):
    _, max_depth, min_samples_leaf = shape
    for X, y, shrub in first_without_ties(classification, grow_classifier, gini_purity, shape):
        tree = DecisionTreeClassifier(max_depth=max_depth, min_samples_leaf=min_samples_leaf)
        assert_same_nodes(shrub, tree.fit(X, y), same_distribution)


@pytest.mark.parametrize("shape", [*SHAPES, (1, None, 1)], ids=str)
def test_a_regression_shrub_is_the_tree_of_scikit_learn(shape):
    _, max_depth, min_samples_leaf = shape
    for X, y, shrub in first_without_ties(regression, grow_regressor, variance_purity, shape):
        tree = DecisionTreeRegressor(max_depth=max_depth, min_samples_leaf=min_samples_leaf)
        assert_same_nodes(shrub, tree.fit(X, y), same_target)


def test_a_windowed_tree_is_the_shrub_of_an_ensemble_of_one():
    X, y = classification(0, 3)
    # A step of 1e9 gives all the weight to the last newcomer, which alone is right on all examples.
    learner = PaperShrubClassifier(
        max_shrubs=1, window_size=N_EXAMPLES, step_size=1e9, splitter="best"
    ).partial_fit(X, y, classes=[0, 1, 2])
    alone = grow_classifier(X, y, None, 1)
    assert describe(learner.shrubs[0].root) == describe(alone.root)


def test_a_fully_grown_shrub_fits_its_window():
    X, y = classification(1, 4)
    tree = WindowedTree(window_size=N_EXAMPLES, regrow="always").partial_fit(X, y)
    assert tree.score(X, y) == 1.0
