"""The parameters of a learner without tuning: it divides the memory that it may take itself."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from shrubs import _core
from shrubs.learners._engine.admission import Admission
from shrubs.learners._engine.checks import check_integer, check_nominal_features, check_seed
from shrubs.learners._engine.class_weights import ClassWeight, check_class_weight
from shrubs.learners._engine.parameters import Engine, Shape
from shrubs.learners._engine.room import Room, arena_in, room_in, smallest_room
from shrubs.learners._memory import require_memory_limit
from shrubs.learners._tables import Everybody
from shrubs.messages import shown

__all__ = ["UntunedParameters", "limit_for"]

# The objects themselves and the values of their parameters, names and positions not counted.
_OBJECT_ROOM = 2336
_PER_NAME, _PER_POSITION = 96, 48
# A dict of weights, and each of them beside its label.
_WEIGHTS, _PER_WEIGHT = 256, 96
# What the tables may grow by before the learner has to move: so many bytes, or this share.
_RESERVE = 848
_RESERVE_SHARE = 32
_MAX_DELAY = 65_535


@dataclass(frozen=True, slots=True)
class UntunedParameters:
    """Checked parameters; see `shrubs.ShrubClassifier` for their meaning."""

    regression: bool
    memory_limit: int | str
    nominal_features: Sequence[Hashable] | None
    last_outcomes: bool
    seed: int | None
    class_weight: ClassWeight = None
    label_delay: int = 0

    @property
    def _task(self) -> _core.Task:
        return _core.Task.regression if self.regression else _core.Task.classification

    def __post_init__(self) -> None:
        check_seed(self.seed)
        check_nominal_features(self.nominal_features)
        check_class_weight(self.class_weight)
        if not isinstance(self.last_outcomes, bool):
            raise TypeError(f"last_outcomes must be True or False, got {shown(self.last_outcomes)}")
        check_integer("label_delay", self.label_delay, 0, _MAX_DELAY)
        if room_in(self._task, self._bytes) is None:
            raise ValueError(
                f"memory_limit={shown(self.memory_limit)} is too small for these parameters: they "
                f"need at least {self._needed()} bytes"
            )

    def admission(self, owner: _core.Owner) -> Everybody:
        """See `Parameters`."""
        return Admission(owner, self.room, self.memory_limit)

    @property
    def room(self) -> Room:
        """The most that it keeps of what the stream brings."""
        room = room_in(self._task, self._bytes)
        assert room is not None, "it was checked"
        return room

    def with_seed(self) -> UntunedParameters:
        """See `Parameters`."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(64))

    def plan(self, shape: Shape) -> dict[str, int]:
        """See `Parameters`."""
        arena_bytes = self._arena_bytes(shape.table_bytes)
        return _core.auto_plan(
            self._task, arena_bytes, shape.n_classes, shape.nominal, self.last_outcomes
        )

    def check_room(self, shape: Shape) -> None:
        """See `Parameters`; it has room for whatever was let in."""

    def new_engine(self, shape: Shape) -> _core.AutoLearner:
        """See `Parameters`."""
        arena_bytes = self._arena_bytes(shape.table_bytes)
        return _core.AutoLearner(
            self._task,
            arena_bytes,
            self.seed or 0,
            shape.n_classes,
            shape.nominal,
            self.last_outcomes,
            int(self.label_delay),
        )

    def grown(self, engine: Engine, shape: Shape) -> _core.AutoLearner:
        """See `Parameters`; it moves into less memory where the tables need more."""
        assert isinstance(engine, _core.AutoLearner)
        fits = engine.arena_bytes + self._beside(shape.table_bytes) <= self._limit
        if fits and (shape.n_features, shape.n_classes) == (engine.n_features, engine.n_classes):
            return engine
        arena_bytes = self._arena_bytes(shape.table_bytes)
        numbers = None if shape.numbers is None else list(shape.numbers)
        return engine.replan(arena_bytes, shape.n_classes, shape.nominal, numbers)

    def describes(self, engine: Engine) -> bool:
        """See `Parameters`."""
        return (
            isinstance(engine, _core.AutoLearner)
            and (engine.task, engine.seed) == (self._task, self.seed or 0)
            and engine.recalls == self.last_outcomes
            and engine.label_delay == self.label_delay
            and engine.arena_bytes <= self._limit
        )

    @property
    def _limit(self) -> int:
        return require_memory_limit(self.memory_limit)

    @property
    def _bytes(self) -> int:
        """What the limit leaves for the engine and the tables."""
        return self._limit - self._beside(0)

    def _needed(self) -> int:
        """The smallest limit that will do."""
        return smallest_room(self._task) + self._beside(0)

    def _arena_bytes(self, table_bytes: int) -> int:
        """What the limit leaves for the engine beside tables that may grow."""
        most = self.room.table_bytes - table_bytes
        most = max(most if most >= 0 else most + self.room.sieve_bytes, 0)
        reserve = min(_RESERVE, self._limit // _RESERVE_SHARE, most)
        return arena_in(self._limit - self._beside(table_bytes) - reserve)

    def _beside(self, table_bytes: int) -> int:
        """What the limit has to hold beside the engine."""
        weights = self.class_weight if isinstance(self.class_weight, dict) else {}
        names = [*(self.nominal_features or ()), *weights]
        named = sum(
            _PER_POSITION if isinstance(name, int) else _PER_NAME + 8 * len(str(name))
            for name in names
        )
        weighed = _WEIGHTS + _PER_WEIGHT * len(weights) if weights else 0
        return _OBJECT_ROOM + named + weighed + table_bytes


def limit_for(arena_bytes: int, n_features: int, n_classes: int, *, regression: bool) -> int:
    """The smallest memory limit under which an engine that has begun elsewhere can go on."""
    task = _core.Task.regression if regression else _core.Task.classification
    tables = Room(n_features, n_classes, 0, 0).table_bytes
    return _OBJECT_ROOM + max(arena_bytes + tables + _RESERVE, smallest_room(task))
