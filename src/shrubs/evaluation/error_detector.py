"""Tells when the error of a regression begins to rise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.evaluation.detector import DriftDetector

__all__ = ["ErrorDriftDetector"]

_STRETCH = 1000
_FACTOR = 1.5
_LARGEST = 1e150  # so that no sum overflows


class ErrorDriftDetector(DriftDetector):
    """Watches a sequence of absolute errors, as `DriftDetector` does wrong predictions.

    An error e counts as 1.5 e / (e + s), where s is the mean error of a thousand examples. s stays,
    so that only the errors can raise what is counted. A new one is taken, and counting starts
    again, when the error has fallen by half, as it does while a learner is new, and after a drift.

    The factor 1.5 was found by trying: 1 misses rises by a half, 2 raises alarms at heavy tails. It
    goes beyond what Hoeffding's inequality covers, so ``confidence`` is no guarantee here. Errors
    that depend strongly on those just before them raise alarms without any drift, and so, more
    rarely, do errors that are mostly zero.

    >>> detector = ErrorDriftDetector()
    >>> rng = np.random.default_rng(1)
    >>> detector.update(np.abs(np.concatenate([rng.normal(0, 1, 5000), rng.normal(0, 4, 1000)])))
    [5064]
    """

    def __init__(self, *, confidence: float = 1e-5) -> None:
        super().__init__(confidence=confidence)
        self._scale = 0.0  # not known yet
        self._n_in_stretch = 0
        self._sum_in_stretch = 0.0

    def update(self, errors: NDArray[Any]) -> list[int]:
        """Take in a block, ``(n,)``; returns the positions of the drifts found in it."""
        errors = np.nan_to_num(np.minimum(errors, _LARGEST), nan=_LARGEST)
        drifts = []
        while len(errors):
            n = _STRETCH - self._n_in_stretch
            drifts += self._watch(errors[:n])
            errors = errors[n:]
        return drifts

    def _watch(self, errors: NDArray[np.float64]) -> list[int]:
        """At most up to the end of the stretch; then the scale may change."""
        drifts: list[int] = []
        if self._scale > 0:
            drifts = super().update(_FACTOR * errors / (errors + self._scale))
        else:
            self.n_examples += len(errors)
        if drifts:
            self._scale = 0.0
        self._n_in_stretch += len(errors)
        self._sum_in_stretch += float(errors.sum())
        if self._n_in_stretch == _STRETCH:
            self._end_stretch(self._sum_in_stretch / _STRETCH)
        return drifts

    def _end_stretch(self, mean: float) -> None:
        if self._scale == 0 or mean < self._scale / 2:
            self._scale = mean
            self._start()
        self._n_in_stretch = 0
        self._sum_in_stretch = 0.0
