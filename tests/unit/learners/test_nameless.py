"""States without tables, as programs in C write them: features by position, labels by number."""

from __future__ import annotations

import numpy as np
import pytest

import shrubs
from shrubs import _core
from shrubs.learners.loading import SavedLearner, from_bytes

TASKS = (_core.Task.classification, _core.Task.regression)
NOMINAL = b"\0\1\0"
X = np.random.default_rng(1).integers(0, 9, (200, 3)).astype(np.float64)
Y = (X[:, 0] > 4).astype(np.int64)


def untuned(task: _core.Task, arena_bytes: int) -> _core.AutoLearner:
    n_classes = 2 if task == _core.Task.classification else 0
    return _core.AutoLearner(task, arena_bytes, 5, n_classes, NOMINAL, arena_bytes % 2 == 0)


def paper(task: _core.Task, cache: str) -> _core.PaperLearner:
    config = _core.PaperConfig(
        task=task,
        loss=_core.Loss.mse,
        splitter=_core.Splitter.best,
        target_scaling=True,
        cache=_core.Cache[cache],
        max_shrubs=4,
        window_size=33,
        max_depth=0,
        min_samples_leaf=2,
        steps_per_example=1,
        grow_every=1,
        step_size=0.25,
        seed=2**63,
    )
    return _core.PaperLearner(config, 2 if task == _core.Task.classification else 0, 2, NOMINAL)


ENGINES = [
    *(untuned(task, n) for task in TASKS for n in (7001, 30_000, 62_208)),
    *(paper(TASKS[0], cache) for cache in ("auto", "none")),
    paper(TASKS[1], "auto"),
]


def learn(learner: SavedLearner, rows: slice) -> None:
    classifies = isinstance(learner, shrubs.ShrubClassifier | shrubs.PaperShrubClassifier)
    learner.partial_fit(X[rows], Y[rows] if classifies else Y[rows].astype(np.float64))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_without_tables_goes_on(engine: _core.AutoLearner | _core.PaperLearner) -> None:
    whole = from_bytes(engine.to_state(b""))
    first = from_bytes(engine.to_state(b""))
    learn(whole, slice(0, 200))
    learn(first, slice(0, 120))
    assert first._engine is not None
    second = from_bytes(first._engine.to_state(b""))
    assert second.get_params() == whole.get_params()
    learn(second, slice(120, 200))
    assert second.to_bytes() == whole.to_bytes()
    assert from_bytes(second.to_bytes()).to_bytes() == second.to_bytes()


@pytest.mark.parametrize("engine", ENGINES[:6])
def test_its_memory_limit_is_one(engine: _core.AutoLearner) -> None:
    learner = from_bytes(engine.to_state(b""))
    learn(learner, slice(0, 200))
    assert isinstance(learner, shrubs.ShrubClassifier | shrubs.ShrubRegressor)
    assert engine.arena_bytes < learner.memory_bytes <= int(learner.memory_limit)


def test_labels_and_features_are_numbers() -> None:
    learner = from_bytes(ENGINES[1].to_state(b""))
    assert isinstance(learner, shrubs.ShrubClassifier)
    assert list(learner.classes_) == [0, 1]
    assert learner.nominal_features == [1]
    learner.partial_fit(X[:3], ["a", "b", "c"])
    assert list(learner.classes_) == [0, 1, "a", "b", "c"]


def test_a_windowed_tree_has_tables() -> None:
    config = _core.TreeConfig(
        only_on_error=False,
        splitter=_core.Splitter.best,
        cache=_core.Cache.auto,
        window_size=8,
        max_depth=0,
        min_samples_leaf=1,
        seed=0,
    )
    state = _core.TreeLearner(config, 2, 1, b"\0").to_state(b"")
    with pytest.raises(ValueError, match="tables are not readable"):
        from_bytes(state)
