"""Weights of examples as a user gives them: checked, and as rows to learn."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._inputs import as_vector
from shrubs.messages import shown
from shrubs.repetition import LARGEST_WEIGHT, are_fractions, times

__all__ = ["SampleWeights"]


class SampleWeights:
    """Weights that were checked; ``n_fractions`` of them are not whole."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights
        self.n_fractions = int(np.count_nonzero(are_fractions(weights)))

    @classmethod
    def of_one(cls, weight: Any) -> SampleWeights:
        """That of one example; raises for a wrong one."""
        is_number = isinstance(weight, numbers.Real) and not isinstance(weight, bool | np.bool_)
        if not is_number or not 0 <= weight <= LARGEST_WEIGHT:
            error = ValueError if is_number else TypeError
            raise error(f"weight must be a number from 0 to {LARGEST_WEIGHT}, got {shown(weight)}")
        return cls(np.array([weight], dtype=np.float64))

    @classmethod
    def of_many(cls, sample_weight: Any, n_rows: int) -> SampleWeights:
        """Those of many; raises for wrong ones."""
        given = as_vector(sample_weight, "a learner", "sample_weight")
        if len(given) != n_rows:
            raise ValueError(
                f"sample_weight must have one weight per example, {n_rows}, got {len(given)}"
            )
        try:
            weights = np.array(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"sample_weight must hold numbers, got {shown(list(given))}") from None
        wrong = ~((weights >= 0) & (weights <= LARGEST_WEIGHT))
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(
                f"sample_weight must hold numbers from 0 to {LARGEST_WEIGHT}, got "
                f"{shown(given.tolist()[at])} at row {at}"
            )
        return cls(weights)

    def check_not_all_zero(self) -> None:
        """Raise if nothing would be learned."""
        if not self._weights.any():
            raise ValueError("sample_weight must not be zero for all examples, but all are zero")

    def rows(self, n_before: int) -> NDArray[np.intp]:
        """Which examples are learned, in order, each as often as it occurs.

        Args:
            n_before: how many fractions came before.
        """
        return np.repeat(np.arange(len(self._weights)), self.times(n_before))

    def times(self, n_before: int) -> NDArray[np.int64]:
        """How often each example is learned; see `rows`."""
        return times(self._weights, n_before)
