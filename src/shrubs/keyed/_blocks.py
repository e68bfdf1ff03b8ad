"""Examples of many keys, as the learner of each key takes its part of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shrubs.keyed.keys import Key, plain_keys
from shrubs.learners.loading import SavedLearner
from shrubs.learners.shared_examples import SharedExamples

__all__ = ["Examples", "examples_of", "fill", "rows_by_key"]

Positions: TypeAlias = NDArray[np.intp]


class Examples(Protocol):
    """Rows of which a learner takes some, in order."""

    def __len__(self) -> int:
        """How many there are."""

    def learn(self, learner: SavedLearner, rows: Positions) -> None:
        """Learn some rows."""

    def prequential(self, learner: SavedLearner, rows: Positions) -> Sequence[Any]:
        """Predict each of some rows before learning it."""

    def predict(self, learner: SavedLearner, rows: Positions) -> Sequence[Any]:
        """Predict some rows."""


# So many rows of a key are learned sooner one by one than as a table of their own.
_FEW = 8


class _Rows:
    """A list of rows, each by name or by position."""

    def __init__(self, X: Sequence[Any] | NDArray[Any], y: Any) -> None:
        self._X = X
        self._y = None if y is None else list(y)
        if self._y is not None and len(self._y) != len(X):
            raise ValueError(f"X has {len(X)} rows, but y has {len(self._y)}")

    def __len__(self) -> int:
        return len(self._X)

    def learn(self, learner: SavedLearner, rows: Positions) -> None:
        for i in rows:
            learner.learn_one(self._X[i], self._outcome(i))

    def prequential(self, learner: SavedLearner, rows: Positions) -> Sequence[Any]:
        predictions = []
        for i in rows:
            predictions.append(learner.predict_one(self._X[i]))
            learner.learn_one(self._X[i], self._outcome(i))
        return predictions

    def predict(self, learner: SavedLearner, rows: Positions) -> Sequence[Any]:
        return [learner.predict_one(self._X[i]) for i in rows]

    def _outcome(self, i: int) -> Any:
        return None if self._y is None else self._y[i]


class _Table:
    """Rows of an array, data frame or sparse matrix."""

    def __init__(self, X: Any, y: Any) -> None:
        self._shared = SharedExamples(X, y)
        matrix, outcomes = self._shared.matrix, self._shared.outcomes(slice(None))
        self._one_by_one: _Rows | None = None
        if matrix is not None and not np.isinf(matrix).any() and _are_plain(outcomes):
            self._one_by_one = _Rows(matrix, None if outcomes is None else outcomes.tolist())

    def __len__(self) -> int:
        return len(self._shared)

    def learn(self, learner: SavedLearner, rows: Positions) -> None:
        if self._one_by_one is not None and len(rows) <= _FEW:
            self._one_by_one.learn(learner, rows)
        else:
            learner.partial_fit(self._shared.features(rows), self._shared.outcomes(rows))

    def prequential(self, learner: SavedLearner, rows: Positions) -> Sequence[Any]:
        if self._one_by_one is not None and len(rows) <= _FEW:
            return self._one_by_one.prequential(learner, rows)
        X, y = self._shared.features(rows), self._shared.outcomes(rows)
        return list(learner.prequential(X, y).tolist())

    def predict(self, learner: SavedLearner, rows: Positions) -> Sequence[Any]:
        if self._one_by_one is not None and len(rows) <= _FEW:
            return self._one_by_one.predict(learner, rows)
        return list(learner.predict(self._shared.features(rows)).tolist())


def _are_plain(outcomes: NDArray[Any] | None) -> bool:
    """Whether none of them can be refused after others of its key were learned."""
    if outcomes is None or outcomes.dtype.kind in "biu":
        return True
    if outcomes.dtype.kind == "f":
        return bool(np.isfinite(outcomes).all())
    return all(type(label) is str for label in outcomes.tolist())


def examples_of(X: Any, y: Any = None) -> Examples:
    """``X`` as a table, or as a list of rows by name."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        return _Rows(X, y)
    return _Table(X, y)


def rows_by_key(keys: Any, n_rows: int) -> dict[Key, Positions]:
    """The rows of each key in order; the keys as they first occur."""
    plain = plain_keys(keys)
    if len(plain) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but there are {len(plain)} keys")
    rows: dict[Key, list[int]] = {}
    for i, key in enumerate(plain):
        rows.setdefault(key, []).append(i)
    return {key: np.array(positions, dtype=np.intp) for key, positions in rows.items()}


def fill(predictions: NDArray[Any], rows: Positions, made: Sequence[Any]) -> None:
    """Put predictions in their places, one by one: NumPy would take tuples for a matrix."""
    for i, prediction in zip(rows, made, strict=True):
        predictions[i] = prediction
