"""The stream of the Python benchmarks: a linear concept that turns, with label noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["RotatingStream"]

EXAMPLES_PER_TURN = 20_000
LABEL_NOISE = 0.1


class RotatingStream:
    """Two classes, features uniform in [-1, 1).

    The label is the side of a hyperplane on which x lies. The hyperplane turns in the plane of each
    pair of neighbouring features, later pairs matter less, a full circle takes 20,000 examples. A
    tenth of the labels is drawn at random.
    """

    def __init__(self, *, n_features: int, seed: int = 1) -> None:
        self._n_features = n_features
        self._random = np.random.default_rng(seed)
        self._n_given = 0

    def next_block(self, n: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the next examples: features (n, n_features) and labels (n,)."""
        X = self._random.uniform(-1.0, 1.0, size=(n, self._n_features)).astype(np.float32)
        turn = np.arange(self._n_given, self._n_given + n) / EXAMPLES_PER_TURN
        cosine, sine = np.cos(2.0 * np.pi * turn), np.sin(2.0 * np.pi * turn)
        score = np.zeros(n)
        for i in range(0, self._n_features - 1, 2):
            score += (cosine * X[:, i] + sine * X[:, i + 1]) / (i + 1)
        y = (score > 0.0).astype(np.int64)
        noisy = self._random.uniform(size=n) < LABEL_NOISE
        y[noisy] = self._random.integers(0, 2, size=int(noisy.sum()))
        self._n_given += n
        return X, y
