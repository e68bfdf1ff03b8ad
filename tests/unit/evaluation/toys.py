"""Small streams for tests, drawn in memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shrubs.protocols import Block, Feature, Schema


@dataclass(frozen=True)
class ToyStream:
    """Three features (one nominal with categories, some missing); the concept flips halfway."""

    n_examples: int = 2000
    regression: bool = False
    seed: int = 0
    name: str = "toy"

    @property
    def schema(self) -> Schema:
        features = (Feature("a"), Feature("b"), Feature("c", True, ("red", "green", "blue")))
        classes = None if self.regression else ("no", "yes")
        return Schema(features, classes, (self.n_examples // 2,))

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        rng = np.random.default_rng(self.seed)
        X = rng.normal(size=(self.n_examples, 3)).astype(np.float32)
        X[:, 2] = rng.integers(0, 3, self.n_examples)
        flipped = np.arange(self.n_examples) >= self.n_examples // 2
        score = np.where(flipped, -1, 1) * (X[:, 0] + (X[:, 2] == 1))
        y = score.astype(np.float64) if self.regression else (score > 0).astype(np.int64)
        X[rng.random(X.shape) < 0.05] = np.nan
        for start in range(0, self.n_examples, size):
            yield Block(X[start : start + size], y[start : start + size])
