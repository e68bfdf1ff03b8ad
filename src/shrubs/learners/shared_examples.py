"""Examples of which several learners learn a part each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._inputs import Rows, as_vector, check_lengths, read_input

__all__ = ["SharedExamples"]


class SharedExamples:
    """A table that is read once, and what is to be learned from it, if anything.

    Args:
        X: ``(n, n_features)``: array, data frame or sparse matrix; NaN for missing.
        y: ``(n,)`` labels or targets; None where nothing is learned.
    """

    def __init__(self, X: Any, y: Any = None) -> None:
        self._X = read_input(X)
        self._y = None if y is None else as_vector(y, "a learner")
        if self._y is not None:
            check_lengths(len(self), len(self._y))

    def __len__(self) -> int:
        return self._X.n_rows

    @property
    def matrix(self) -> NDArray[Any] | None:
        """All rows if they are dense and without names, so that each is a row for itself."""
        dense = self._X.matrix if isinstance(self._X, Rows) else None
        return dense if isinstance(dense, np.ndarray) else None

    def features(self, rows: NDArray[np.intp]) -> Any:
        """Some rows as ``X`` of any learner of this package."""
        return self._X.take(rows)

    def outcomes(self, rows: NDArray[np.intp] | slice) -> Any:
        """Their labels or targets."""
        return None if self._y is None else self._y[rows]
