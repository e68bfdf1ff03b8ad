"""Where given examples go in a shrub, and how much its splits lower their impurity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["examples_at", "impurity_decreases"]

Positions: TypeAlias = NDArray[np.intp]


def impurity_decreases(
    nodes: Sequence[tuple[Any, ...]],
    X: NDArray[np.float32],
    y: NDArray[np.float64],
    n_classes: int | None,
) -> NDArray[np.float64]:
    """Sum, by feature, of (examples) x (impurity before - after) over a shrub's splits.

    ``nodes`` is the core's preorder list; ``n_classes`` is None for a regression. The impurity is
    Gini or variance.
    """
    if n_classes is None and len(y):
        y = y / (np.max(np.abs(y)) or 1.0)  # no square can overflow
    decreases = np.zeros(X.shape[1])
    for node, examples, sides in examples_at(nodes, X):
        if sides:
            decreases[node[1]] += _impurity(y[examples], n_classes) - sum(
                _impurity(y[side], n_classes) for side in sides
            )
    return np.maximum(decreases, 0.0)


def examples_at(
    nodes: Sequence[tuple[Any, ...]], X: NDArray[np.float32]
) -> Iterator[tuple[tuple[Any, ...], Positions, tuple[Positions, ...]]]:
    """Each node in preorder, the examples that come to it, and those of its left and right."""
    waiting = [np.arange(len(X))]
    for node in nodes:
        examples = waiting.pop()
        sides = () if node[0] == "leaf" else _sides(node, X, examples)
        waiting += reversed(sides)
        yield node, examples, sides


def _sides(
    node: tuple[Any, ...], X: NDArray[np.float32], examples: Positions
) -> tuple[Positions, Positions]:
    _, feature, threshold, nominal, missing_left = node
    values = X[examples, feature]
    left = values == np.float32(threshold) if nominal else values <= np.float32(threshold)
    left = np.where(np.isnan(values), missing_left, left).astype(bool)
    return examples[left], examples[~left]


def _impurity(y: NDArray[np.float64], n_classes: int | None) -> float:
    """Impurity times the number of examples."""
    if len(y) == 0:
        return 0.0
    if n_classes is None:
        return float(np.var(y) * len(y))
    counts = np.bincount(y.astype(np.int64), minlength=n_classes)
    return float(len(y) - (counts**2).sum() / len(y))
