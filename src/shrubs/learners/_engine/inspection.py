"""What can be seen of an ensemble: its shrubs, their votes, and which features matter."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._engine.importances import impurity_decreases
from shrubs.learners._engine.parameters import Engine
from shrubs.learners._engine.reading import plain_row
from shrubs.learners._tables import Features
from shrubs.learners.shrub import Shrub, Vote, build_shrub, follow
from shrubs.protocols import Row

__all__ = ["feature_importances", "shrubs_of", "votes_on", "window_of"]


def shrubs_of(engine: Engine, features: Features, labels: Sequence[Hashable] | None) -> list[Shrub]:
    """The shrubs as plain data, oldest first; a regression has no labels."""
    return [
        build_shrub(weight, born, nodes, features, labels)
        for weight, born, nodes in engine.shrubs()
    ]


def votes_on(x: Row, shrubs: Sequence[Shrub], features: Features) -> list[Vote]:
    """The rule by which each shrub votes on ``x``, the heaviest first."""
    row = plain_row(x, features)
    if not isinstance(row, dict):
        row = dict(zip(features.columns or range(len(row)), row, strict=True))
    return sorted((follow(shrub, row) for shrub in shrubs), key=lambda vote: -vote.weight)


def window_of(engine: Engine) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """The examples of the window, oldest first, and their class indices or targets."""
    X = np.empty((engine.n_examples, engine.n_features), dtype=np.float32)
    y = np.empty(engine.n_examples)
    engine.copy_window(X, y)
    return X, y


def feature_importances(engine: Engine, n_classes: int | None) -> NDArray[np.float64]:
    """How much each feature lowers the impurity of the window; a regression has no classes."""
    X, y = window_of(engine)
    importances = np.zeros(engine.n_features)
    for weight, _, nodes in engine.shrubs():
        importances += weight * impurity_decreases(nodes, X, y, n_classes)
    total = importances.sum()
    return importances / total if total > 0 else importances
