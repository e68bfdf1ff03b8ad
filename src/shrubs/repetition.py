"""How often an example of a certain weight is learned.

One of weight 2 is learned twice, one of weight 0 not at all: no other meaning makes whole weights
the same as repetition. A fraction is made up for over the examples: of those that weigh 1/2, every
second one is learned, but not every other one in turn, as labels might take turns too. Multiples of
the golden ratio, less their whole part, decide; they fill the numbers from 0 to 1 evenly, and so
does any of their regular subsequences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGEST_WEIGHT", "are_fractions", "times"]

LARGEST_WEIGHT = 1000
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)  # times 2**64, less its whole part


def are_fractions(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which weights are not whole."""
    return np.asarray(weights != np.floor(weights))


def times(weights: NDArray[np.float64], n_before: int) -> NDArray[np.int64]:
    """How often each example is learned, if ``n_before`` fractions came before.

    >>> times(np.array([0.0, 2.0, 0.5, 0.5, 0.5, 0.5]), 0)
    array([0, 2, 1, 0, 1, 0])
    """
    fractions = are_fractions(weights)
    ordinal = (n_before + np.cumsum(fractions)).astype(np.uint64)
    lift = ((ordinal * _GOLDEN_RATIO) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return np.floor(weights + np.where(fractions, lift, 0.0)).astype(np.int64)
