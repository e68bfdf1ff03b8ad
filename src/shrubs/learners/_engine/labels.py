"""Labels of many examples as class indices."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Tables
from shrubs.learners._engine.parameters import Engine
from shrubs.learners._engine.room import MANY_CLASSES
from shrubs.learners._inputs import as_vector, check_lengths
from shrubs.learners._tables import as_array, canonical, plain_label

__all__ = ["Labels", "Predictions", "check_labels", "learn_first", "sorted_labels"]

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


def learn_first(engine: Engine, X: NDArray[Any], y: NDArray[Any]) -> None:
    """Learn rows of a class that was not known; where there are many, nobody is to blame."""
    (engine.learn_first if engine.n_classes >= MANY_CLASSES else engine.learn_many)(X, y)


class Labels:
    """The labels of many examples: ``distinct`` ones, and which of them each example has.

    ``classes`` has the class of each distinct label, -1 for one that has none yet; ``new`` are
    those that occur and had none at first.
    """

    def __init__(self, y: NDArray[Any], tables: Tables, n_rows: int) -> None:
        check_lengths(n_rows, len(y))
        found = _look_up(y, tables)
        self.distinct, self.index = found or _number(y)
        known = [tables.class_of(label) for label in self.distinct]
        self.classes = np.array([-1 if c is None else c for c in known], dtype=np.int64)
        new = () if found else np.flatnonzero(self.classes < 0)
        self.new = [self.distinct[i] for i in new]

    def set_class(self, label: int, c: int) -> None:
        """The class of a distinct label; no other has it any more."""
        self.classes[self.classes == c] = -1
        self.classes[label] = c

    def renumber(self, numbers: Sequence[int]) -> None:
        """Classes have other numbers, -1 those that went."""
        self.classes = np.array([*numbers, -1], dtype=np.int64)[self.classes]


def _look_up(array: NDArray[Any], tables: Tables) -> tuple[list[Hashable], NDArray[Any]] | None:
    """What `Labels` needs if all are known integers close to each other: nothing is sorted."""
    if array.dtype.kind not in "iu" or len(array) == 0:
        return None
    low, high = int(array.min()), int(array.max())
    if high - low >= _MAX_LOOKED_UP:
        return None
    distinct: list[Hashable] = list(range(low, high + 1))
    is_known = np.array([tables.class_of(label) is not None for label in distinct])
    index = (array - array.dtype.type(low)).astype(np.int64)
    return (distinct, index) if is_known[index].all() else None


def _number(array: NDArray[Any]) -> tuple[list[Hashable], NDArray[Any]]:
    """Distinct labels in the order in which they occur, and which of them each example has."""
    numbering = Tables()
    if array.dtype == object:
        index = numbering.add_labels([plain_label(label) for label in array])
    else:
        values, first, inverse = np.unique(array, return_index=True, return_inverse=True)
        order = np.argsort(first)
        numbers = np.empty(len(values), dtype=np.int64)
        numbers[order] = numbering.add_labels([plain_label(values[i]) for i in order])
        index = numbers[inverse]
    return numbering.labels(), index


class Predictions:
    """Predicted labels; a class may stand for another label later."""

    _NOT_MADE = -2

    def __init__(self, n: int) -> None:
        self.classes = np.full(n, self._NOT_MADE, dtype=np.int64)
        self._labels: list[Hashable] = []
        self._label_of = np.empty(0, dtype=np.int64)

    def begin(self, labels: list[Hashable]) -> None:
        """The labels of the classes before the first prediction."""
        self._labels, self._label_of = labels, np.arange(len(labels))

    def settle(self, out: NDArray[np.int64]) -> None:
        """Turn the classes that were predicted in a part into labels, before a class changes."""
        made = out >= 0
        out[made] = self._label_of[out[made]]

    def set_class(self, c: int, label: Hashable) -> None:
        """From now on a class, which may be new, stands for this label."""
        self._label_of = (
            np.append(self._label_of, 0) if c == len(self._label_of) else self._label_of
        )
        self._label_of[c] = len(self._labels)
        self._labels.append(label)

    def renumber(self, numbers: Sequence[int]) -> None:
        """Classes have other numbers, -1 those that went."""
        now = np.array(numbers)
        label_of = np.empty(np.count_nonzero(now >= 0), dtype=np.int64)
        label_of[now[now >= 0]] = self._label_of[now >= 0]
        self._label_of = label_of

    def made(self) -> NDArray[Any]:
        """Those that were made; None while no class was known."""
        made = self.classes[: np.count_nonzero(self.classes != self._NOT_MADE)]
        is_missing = len(made) > 0 and made.min() < 0
        labels = [*self._labels, None] if is_missing else self._labels  # the last, at -1
        return np.asarray(as_array(labels)[made])
