"""The windowed tree is the plain reference's, tree for tree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import WindowedTree
from tests.reference.windowed_tree import ReferenceWindowedTree


@given(
    seed=st.integers(0, 2**32 - 1),
    regrow=st.sampled_from(["always", "on_error"]),
    splitter=st.sampled_from(["best", "random"]),
    window_size=st.sampled_from([1, 2, 7, 20]),
    max_depth=st.sampled_from([None, 1, 3]),
)
def test_the_tree_is_the_references(seed, regrow, splitter, window_size, max_depth):
    rng = np.random.default_rng(seed)
    options = {"splitter": splitter, "window_size": window_size, "max_depth": max_depth, "seed": 3}
    tree = WindowedTree(regrow=regrow, **options)
    reference = ReferenceWindowedTree(
        regrow=regrow, n_features=2, nominal=[False, False], n_classes=0, **options
    )
    labels = []
    for _ in range(40):
        x = [float(v) for v in rng.integers(0, 5, 2)]
        x[0] = math.nan if rng.random() < 0.1 else x[0]
        y = int(rng.integers(0, 3))
        if y not in labels:
            labels.append(y)
        tree.learn_one(x, y)
        reference.learn(x, labels.index(y))
        ((weight, _, nodes),) = tree._engine.shrubs()
        assert weight == 1.0
        assert [_comparable(node) for node in nodes] == [
            _comparable(node) for node in reference.shrubs[0].to_nodes()
        ]


def _comparable(node):
    if node[0] == "leaf":
        q = list(node[1])
        while q[-1] == 0:
            q.pop()
        return repr(("leaf", q))
    return repr(tuple(node))


def test_on_error_keeps_a_tree_that_is_right():
    tree = WindowedTree(window_size=8, regrow="on_error")
    for i in range(20):
        tree.learn_one([i % 2], i % 2)
    (shrub,) = tree.shrubs
    assert shrub.born == 1  # the first example of class 1 was the last surprise


def test_regrow_is_checked():
    with pytest.raises(ValueError, match="regrow must be 'on_error' or 'always', got 'never'"):
        WindowedTree(regrow="never").learn_one([1.0], 0)


def test_a_saved_tree_goes_on(tmp_path):
    tree = WindowedTree(window_size=8, splitter="random")
    for i in range(10):
        tree.learn_one({"a": i % 3}, i % 3)
    tree.save(tmp_path / "tree")
    again = WindowedTree.load(tmp_path / "tree")
    assert again.regrow == "on_error"
    assert again.learn_one({"a": 1}, 0).to_bytes() == tree.learn_one({"a": 1}, 0).to_bytes()
