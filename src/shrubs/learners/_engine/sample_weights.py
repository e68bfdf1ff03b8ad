"""Weights of examples: one of weight 2 is learned twice, one of weight 0 not at all.

No other meaning makes whole weights the same as repetition. A fraction is made up for over the
examples: of those that weigh 1/2, every second one is learned, but not every other one in turn, as
labels might take turns too. Multiples of the golden ratio, less their whole part, decide; they fill
the numbers from 0 to 1 evenly, and so does any of their regular subsequences.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._inputs import as_vector
from shrubs.messages import shown

__all__ = ["SampleWeights"]

_LARGEST = 1000
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)  # times 2**64, less its whole part


class SampleWeights:
    """Weights that were checked; ``n_fractions`` of them are not whole."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights
        self._is_fraction = weights != np.floor(weights)
        self.n_fractions = int(np.count_nonzero(self._is_fraction))

    @classmethod
    def of_one(cls, weight: Any) -> SampleWeights:
        """That of one example; raises for a wrong one."""
        is_number = isinstance(weight, numbers.Real) and not isinstance(weight, bool | np.bool_)
        if not is_number or not 0 <= weight <= _LARGEST:
            error = ValueError if is_number else TypeError
            raise error(f"weight must be a number from 0 to {_LARGEST}, got {shown(weight)}")
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
        wrong = ~((weights >= 0) & (weights <= _LARGEST))
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(
                f"sample_weight must hold numbers from 0 to {_LARGEST}, got "
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
        ordinal = (n_before + np.cumsum(self._is_fraction)).astype(np.uint64)
        lift = ((ordinal * _GOLDEN_RATIO) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return np.floor(self._weights + np.where(self._is_fraction, lift, 0.0)).astype(np.int64)
