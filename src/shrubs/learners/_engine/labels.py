"""Labels of many examples as class indices."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Tables
from shrubs.learners._inputs import as_vector, check_lengths
from shrubs.learners._tables import canonical, plain_label

__all__ = ["add_labels", "check_labels", "sorted_labels"]

_MAX_LOOKED_UP = 64  # different integer labels; beyond that they are sorted


def check_labels(y: Any) -> NDArray[Any]:
    """``y`` as a vector of labels; raises for missing ones and for targets."""
    array = as_vector(y, "a classifier")
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise ValueError("y must not be missing, but it contains NaN")
        if np.isinf(array).any():
            raise ValueError("y must be finite, but it contains infinity")
        if not (array == np.floor(array)).all():
            raise ValueError("Unknown label type: continuous. y must hold labels, not targets")
    return array


def sorted_labels(classes: Any) -> list[Hashable]:
    """The different labels in ascending order, or in that of their names where they have none."""
    labels = {plain_label(label) for label in as_vector(classes, "a classifier", "classes")}
    try:
        return sorted(labels)
    except TypeError:
        return canonical(labels)


def _look_up_labels(array: NDArray[Any], tables: Tables) -> NDArray[np.int64] | None:
    """Class indices if all labels are known integers close to each other: nothing is sorted."""
    if array.dtype.kind not in "iu" or len(array) == 0:
        return None
    low, high = int(array.min()), int(array.max())
    if high - low >= _MAX_LOOKED_UP:
        return None
    known = [tables.class_of(label) for label in range(low, high + 1)]
    codes_by_label = np.array([-1 if code is None else code for code in known], dtype=np.int64)
    codes = codes_by_label[array - array.dtype.type(low)]
    return None if codes.min() < 0 else codes


def add_labels(y: NDArray[Any], tables: Tables, n_rows: int) -> NDArray[np.int64]:
    """Class indices of ``y``; new classes are added to the tables in the order they occur."""
    check_lengths(n_rows, len(y))
    if y.dtype == object:
        return tables.add_labels([plain_label(label) for label in y])
    codes = _look_up_labels(y, tables)
    if codes is not None:
        return codes
    values, first, inverse = np.unique(y, return_index=True, return_inverse=True)
    order = np.argsort(first)
    codes = np.empty(len(values), dtype=np.int64)
    codes[order] = tables.add_labels([plain_label(values[i]) for i in order])
    return codes[inverse]
