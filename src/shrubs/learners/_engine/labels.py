"""Labels of many examples as class indices."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._inputs import as_vector
from shrubs.learners._tables import Classes, canonical, plain_label

__all__ = ["check_labels", "encode_labels", "sorted_labels"]

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
        return sorted(labels)  # type: ignore[type-var]
    except TypeError:
        return canonical(labels)


def _look_up_labels(array: NDArray[Any], classes: Classes) -> NDArray[np.int64] | None:
    """Class indices if all labels are known integers close to each other: nothing is sorted."""
    if array.dtype.kind not in "iu" or len(array) == 0:
        return None
    low, high = int(array.min()), int(array.max())
    if high - low >= _MAX_LOOKED_UP:
        return None
    codes_by_label = [classes.indices.get(label, -1) for label in range(low, high + 1)]
    codes = np.array(codes_by_label, dtype=np.int64)[array - array.dtype.type(low)]
    return None if codes.min() < 0 else codes


def encode_labels(y: Any, classes: Classes, n_rows: int) -> tuple[NDArray[np.int64], Classes]:
    """Class indices of ``y``, and the classes with the new ones in the order they occur."""
    array = check_labels(y)
    if len(array) != n_rows:
        raise ValueError(f"X and y have inconsistent numbers of samples: {n_rows} and {len(array)}")
    if array.dtype == object:
        labels = [plain_label(label) for label in array]
        known = classes.with_labels(labels)
        return np.array([known.indices[label] for label in labels], dtype=np.int64), known
    codes = _look_up_labels(array, classes)
    if codes is not None:
        return codes, classes
    values, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    known = classes.with_labels(plain_label(values[i]) for i in np.argsort(first))
    indices = np.array([known.indices[plain_label(value)] for value in values], dtype=np.int64)
    return indices[inverse] if len(array) else np.empty(0, dtype=np.int64), known
