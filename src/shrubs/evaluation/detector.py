"""Tells when a learner's error begins to rise: HDDM-A of Frías-Blanco et al. (2015)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DriftDetector"]


class DriftDetector:
    """Watches a sequence of right and wrong predictions.

    It remembers the moment since the last drift at which the error rate, plus its Hoeffding bound,
    was lowest. A drift is reported when the error rate exceeds the one of that moment by more than
    Hoeffding's inequality allows; then counting starts again.

    Args:
        confidence: the chance of a false alarm at any one test, in (0, 1).

    >>> detector = DriftDetector()
    >>> rng = np.random.default_rng(1)
    >>> detector.update(np.concatenate([rng.random(3000) < 0.1, rng.random(1000) < 0.6]))
    [3098]
    """

    def __init__(self, *, confidence: float = 1e-5) -> None:
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
        self.n_examples = 0
        self._bits = math.log(1 / confidence)
        self._start()

    def _start(self) -> None:
        self._n = 0
        self._sum = 0.0
        self._lowest = math.inf
        self._best_n = 1.0
        self._best_rate = 1.0

    def update(self, errors: NDArray[Any]) -> list[int]:
        """Take in a block, ``(n,)``: wrong or not, or errors between 0 and 1.

        Returns the positions of the drifts found in it.
        """
        drifts = []
        while len(errors):
            found = self._first_drift(errors)
            if found is None:
                self.n_examples += len(errors)
                break
            self.n_examples += found + 1
            drifts.append(self.n_examples)
            errors = errors[found + 1 :]
            self._start()
        return drifts

    def _first_drift(self, errors: NDArray[Any]) -> int | None:
        n = self._n + np.arange(1, len(errors) + 1)
        total = self._sum + np.cumsum(errors)
        rate = total / n
        level = rate + np.sqrt(self._bits / (2 * n))
        lowest = np.minimum.accumulate(np.concatenate([[self._lowest], level]))
        is_best = level < lowest[:-1]
        best_n = _hold(self._best_n, n.astype(np.float64), is_best)
        best_rate = _hold(self._best_rate, rate, is_best)
        bound = np.sqrt(np.maximum(1 / best_n - 1 / n, 0) / 2 * self._bits)
        found = np.flatnonzero(~is_best & (rate - best_rate > bound))
        if len(found):
            return int(found[0])
        self._n, self._sum = int(n[-1]), float(total[-1])
        self._lowest = float(lowest[-1])
        self._best_n, self._best_rate = float(best_n[-1]), float(best_rate[-1])
        return None


def _hold(
    first: float, values: NDArray[np.float64], chosen: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """At every position the last chosen value, ``first`` before there is one."""
    last = np.maximum.accumulate(np.where(chosen, np.arange(1, len(values) + 1), 0))
    return np.asarray(np.concatenate([[first], values])[last])
