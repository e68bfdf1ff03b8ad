"""What can be seen of an ensemble: its shrubs, their votes, and which features matter."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs._core import Tables
from shrubs.learners._engine.importances import impurity_decreases
from shrubs.learners._engine.parameters import Engine
from shrubs.learners._tables import feature_names
from shrubs.learners.shrub import Shrub, Vote, Words, build_shrub, follow

__all__ = ["feature_importances", "known_window", "recalled", "shrubs_of", "votes_on", "words_of"]


def shrubs_of(engine: Engine, tables: Tables, labels: Sequence[Hashable] | None) -> list[Shrub]:
    """The shrubs as plain data, oldest first; a regression has no labels."""
    words = words_of(engine, tables, labels)
    return [build_shrub(weight, born, nodes, words) for weight, born, nodes in engine.shrubs()]


def words_of(engine: Engine, tables: Tables, labels: Sequence[Hashable] | None) -> Words:
    """What stands for the numbers in shrubs; the recalled features are the last two."""
    names = [*feature_names(tables), *_recalled_names(labels)]
    categories = [*tables.categories(), labels, labels]
    units = [1.0] * (len(names) - 2) + [_target_unit(engine)] * 2
    return Words(names, categories, labels, units)


def _recalled_names(labels: Sequence[Hashable] | None) -> tuple[str, str]:
    """What some shrubs of a learner without tuning know beside x."""
    return ("last target", "last change") if labels is None else ("last label", "label before")


def recalled(engine: Engine, labels: Sequence[Hashable] | None) -> dict[Hashable, Any]:
    """What they know now, by name."""
    if not isinstance(engine, _core.AutoLearner):
        return {}
    values = [value * _target_unit(engine) for value in engine.recalled()]
    known = [v if labels is None or math.isnan(v) else labels[int(v)] for v in values]
    return dict(zip(_recalled_names(labels), known, strict=True))


def _target_unit(engine: Engine) -> float:
    return engine.target_unit if isinstance(engine, _core.AutoLearner) else 1.0


def votes_on(
    row: Any, engine: Engine, tables: Tables, labels: Sequence[Hashable] | None
) -> list[Vote]:
    """The rule by which each shrub votes on a plain row, the heaviest first."""
    if not isinstance(row, dict):
        row = dict(zip(tables.names() or range(tables.width), row, strict=True))
    row, words = {**row, **recalled(engine, labels)}, words_of(engine, tables, labels)
    votes = [follow(weight, nodes, words, row) for weight, _, nodes in engine.shrubs()]
    return sorted(votes, key=lambda vote: -vote.weight)


def feature_importances(engine: Engine, n_classes: int | None) -> NDArray[np.float64]:
    """How much each feature lowers the impurity of the window; a regression has no classes."""
    X, y = known_window(engine)
    decreases = np.zeros(X.shape[1])
    for weight, _, nodes in engine.shrubs():
        decreases += weight * impurity_decreases(nodes, X, y, n_classes)
    importances = decreases[: engine.n_features]
    total = importances.sum()
    return importances / total if total > 0 else importances


def known_window(engine: Engine) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """The examples of the window with all that shrubs know of them, and their outcomes.

    The two oldest have lost what came before them.
    """
    X, y = engine.window()
    if not isinstance(engine, _core.AutoLearner):
        return X, y
    targets = y / engine.target_unit
    last, before = (np.concatenate([np.full(n, np.nan), targets])[: len(y)] for n in (1, 2))
    second = last - before if engine.task is _core.Task.regression else before
    return np.column_stack([X, last.astype(np.float32), second.astype(np.float32)]), y
