"""Small models of all kinds, and rows to ask them about."""

from typing import Any

import numpy as np

from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)

LEARNERS: dict[str, Any] = {
    "untuned": lambda **kw: ShrubClassifier(memory_limit="24KB", **kw),
    "untuned targets": lambda **kw: ShrubRegressor(memory_limit="24KB", **kw),
    "paper": lambda **kw: PaperShrubClassifier(max_shrubs=8, window_size=48, step_size=4.0, **kw),
    "paper targets": lambda **kw: PaperShrubRegressor(max_shrubs=8, window_size=32, **kw),
    "windowed tree": lambda **kw: WindowedTree(window_size=64, **kw),
}


def draw_stream(
    seed: int, *, n: int = 400, n_features: int = 5, n_classes: int | None = 3, missing: float = 0.1
) -> tuple[Any, Any, list[int]]:
    """Rows, outcomes and nominal positions: numbers of all sizes, zeros and ones, categories.

    Without classes, outcomes are targets. They depend on the outcome before, so that everybody in
    an ensemble has something to say.
    """
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, n_features)) * 10.0 ** draw.integers(-3, 4, size=n_features)
    nominal = [i for i in range(n_features) if draw.random() < 0.3]
    for i in range(n_features):
        if i in nominal:
            X[:, i] = draw.integers(0, draw.integers(2, 9), size=n)
        elif draw.random() < 0.3:
            X[:, i] = X[:, i] > 0
    score = X[:, 0] / (np.abs(X[:, 0]).mean() + 1e-9) + draw.normal(size=n) * 0.2
    score[1:] += 0.5 * score[:-1]
    X[draw.random(X.shape) < missing] = np.nan
    if n_classes is None:
        return X, score * 10.0 ** float(draw.integers(-4, 5)), nominal
    edges = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.searchsorted(edges, score), nominal


def make_snapshot(kind: str, X: Any, y: Any, nominal: list[int], **options: Any) -> Any:
    """What a learner predicts after these examples."""
    learner = LEARNERS[kind](nominal_features=nominal, **options)
    return learner.partial_fit(X, y).snapshot()


def with_unseen(X: Any, nominal: list[int]) -> Any:
    """The rows, and some with categories that are in no list."""
    unseen = X[:60].copy()
    unseen[:30, nominal] = -1.0
    unseen[30:, nominal] = 9_000_000.0
    return np.concatenate([X, unseen])


def make_wide_snapshot() -> tuple[Any, Any]:
    """A model whose neighbours are compared by a few of 40 features, and more rows."""
    draw = np.random.default_rng(7)
    X = draw.normal(size=(600, 40))
    X[:, 3] = draw.integers(0, 3, size=600)
    y = (X[:, 3] == 1.0) ^ (X[:, 20] > 0.0)
    learner = ShrubClassifier(memory_limit="128KB", nominal_features=[3])
    return learner.partial_fit(X[:500], y[:500]).snapshot(), X[500:]
