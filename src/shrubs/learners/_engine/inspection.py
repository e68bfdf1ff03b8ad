"""What can be seen of an ensemble: its shrubs, their votes, and which features matter."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Tables
from shrubs.learners._engine.importances import impurity_decreases
from shrubs.learners._engine.parameters import Engine
from shrubs.learners._tables import feature_names
from shrubs.learners.shrub import Shrub, Vote, Words, build_shrub, follow

__all__ = ["feature_importances", "shrubs_of", "votes_on"]


def shrubs_of(engine: Engine, tables: Tables, labels: Sequence[Hashable] | None) -> list[Shrub]:
    """The shrubs as plain data, oldest first; a regression has no labels."""
    names = feature_names(tables)
    categories = tables.categories()
    return [
        build_shrub(weight, born, nodes, Words(names, categories, labels))
        for weight, born, nodes in engine.shrubs()
    ]


def votes_on(row: Any, shrubs: Sequence[Shrub], names: Sequence[Hashable]) -> list[Vote]:
    """The rule by which each shrub votes on a plain row, the heaviest first."""
    if not isinstance(row, dict):
        row = dict(zip(names, row, strict=True))
    return sorted((follow(shrub, row) for shrub in shrubs), key=lambda vote: -vote.weight)


def feature_importances(engine: Engine, n_classes: int | None) -> NDArray[np.float64]:
    """How much each feature lowers the impurity of the window; a regression has no classes."""
    X, y = engine.window()
    importances = np.zeros(engine.n_features)
    for weight, _, nodes in engine.shrubs():
        importances += weight * impurity_decreases(nodes, X, y, n_classes)
    total = importances.sum()
    return importances / total if total > 0 else importances
