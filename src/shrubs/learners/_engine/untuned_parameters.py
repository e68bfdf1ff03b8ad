"""The parameters of a learner without tuning: it divides the memory that it may take itself."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from shrubs import _core
from shrubs.learners._engine.checks import check_nominal_features, check_seed
from shrubs.learners._engine.parameters import Engine, Shape
from shrubs.learners._memory import require_memory_limit
from shrubs.messages import shown

__all__ = ["UntunedParameters"]

_MAX_ARENA = 2**40  # no learner could use more
# The engine gets what the tables leave, rounded down to so many binary digits, so that a name more
# or less does not make another model.
_DIGITS = 5
# The objects themselves and the values of their parameters, names not counted.
_OBJECT_ROOM = 3328
_PER_NAME = 96
# What the tables may grow by before the learner has to move.
_RESERVE = 1024


@dataclass(frozen=True)
class UntunedParameters:
    """Checked parameters; see `shrubs.ShrubClassifier` for their meaning."""

    regression: bool
    memory_limit: int | str
    nominal_features: Sequence[Hashable] | None
    seed: int | None

    @property
    def _task(self) -> _core.Task:
        return _core.Task.regression if self.regression else _core.Task.classification

    def __post_init__(self) -> None:
        check_seed(self.seed)
        check_nominal_features(self.nominal_features)
        needed = self._needed(Shape(b"", 0 if self.regression else 1))
        if needed > self._limit:
            raise ValueError(
                f"memory_limit={shown(self.memory_limit)} is too small for these parameters: they "
                f"need at least {needed} bytes, and more with every feature and class"
            )

    def with_seed(self) -> UntunedParameters:
        """See `Parameters`."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(64))

    def plan(self, shape: Shape) -> dict[str, int]:
        """See `Parameters`."""
        self.check_room(shape)
        return self._plan(shape)

    def check_room(self, shape: Shape) -> None:
        """See `Parameters`."""
        if self._plan(shape)["window"] == 0:
            raise ValueError(
                f"memory_limit={shown(self.memory_limit)} is too small for {shape}: this needs at "
                f"least {self._needed(shape)} bytes"
            )

    def new_engine(self, shape: Shape) -> _core.AutoLearner:
        """See `Parameters`."""
        self.check_room(shape)
        arena_bytes = self._arena_bytes(shape.table_bytes)
        return _core.AutoLearner(
            self._task, arena_bytes, self.seed or 0, shape.n_classes, shape.nominal
        )

    def grown(self, engine: Engine, shape: Shape) -> _core.AutoLearner:
        """See `Parameters`; it moves into less memory where the tables need more."""
        assert isinstance(engine, _core.AutoLearner)
        fits = engine.arena_bytes + self._beside(shape.table_bytes) <= self._limit
        if fits and (shape.n_features, shape.n_classes) == (engine.n_features, engine.n_classes):
            return engine
        self.check_room(shape)
        arena_bytes = self._arena_bytes(shape.table_bytes)
        return engine.replan(arena_bytes, shape.n_classes, shape.nominal)

    def describes(self, engine: Engine) -> bool:
        """See `Parameters`."""
        return (
            isinstance(engine, _core.AutoLearner)
            and (engine.task, engine.seed) == (self._task, self.seed or 0)
            and engine.arena_bytes <= self._limit
        )

    @property
    def _limit(self) -> int:
        return require_memory_limit(self.memory_limit)

    def _plan(self, shape: Shape) -> dict[str, int]:
        arena_bytes = self._arena_bytes(shape.table_bytes)
        return _core.auto_plan(self._task, arena_bytes, shape.n_classes, shape.nominal)

    def _needed(self, shape: Shape) -> int:
        """The smallest limit that will do."""
        smallest = _core.smallest_auto_arena(self._task, shape.n_classes, shape.nominal)
        grain = _grain(smallest)
        return -(-smallest // grain) * grain + self._beside(shape.table_bytes) + _RESERVE

    def _arena_bytes(self, table_bytes: int) -> int:
        """What the limit leaves for the engine beside tables that may grow."""
        rest = max(self._limit - self._beside(table_bytes) - _RESERVE, 0)
        return min(rest // _grain(rest) * _grain(rest), _MAX_ARENA)

    def _beside(self, table_bytes: int) -> int:
        """What the limit has to hold beside the engine."""
        names = sum(_PER_NAME + 8 * len(str(name)) for name in self.nominal_features or ())
        return _OBJECT_ROOM + names + table_bytes


def _grain(n_bytes: int) -> int:
    """The power of two by which numbers of this size are rounded."""
    return 1 << max(n_bytes.bit_length() - _DIGITS, 0)
