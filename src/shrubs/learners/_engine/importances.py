"""Impurity decreases of a shrub's splits on given examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["impurity_decreases"]


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
    waiting = [np.arange(len(y))]
    for node in nodes:
        examples = waiting.pop()
        if node[0] == "leaf":
            continue
        _, feature, threshold, nominal, missing_left = node
        values = X[examples, feature]
        left = values == np.float32(threshold) if nominal else values <= np.float32(threshold)
        left = np.where(np.isnan(values), missing_left, left).astype(bool)
        sides = (examples[left], examples[~left])
        decreases[feature] += _impurity(y[examples], n_classes) - sum(
            _impurity(y[side], n_classes) for side in sides
        )
        waiting += [sides[1], sides[0]]
    return np.maximum(decreases, 0.0)


def _impurity(y: NDArray[np.float64], n_classes: int | None) -> float:
    """Impurity times the number of examples."""
    if len(y) == 0:
        return 0.0
    if n_classes is None:
        return float(np.var(y) * len(y))
    counts = np.bincount(y.astype(np.int64), minlength=n_classes)
    return float(len(y) - (counts**2).sum() / len(y))
