"""The parameters of a learner that chooses its hyperparameters itself."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from shrubs import _core
from shrubs.learners._memory import parse_memory_limit
from shrubs.learners._parameters import PAPER_DEFAULTS, Cache, check_common, describe_shape
from shrubs.learners._table_room import room_for_names

__all__ = ["AutoParameters"]

_DEFAULT_LIMIT = 1024**2
# No learner could use more.
_MOST_ARENA = 2**40
# The core gets what the tables leave, rounded down to so many binary digits, so that a name more or
# less does not make another model.
_DIGITS = 5
# The objects themselves and the values of their parameters, names not counted.
_OBJECT_ROOM = 3328
# What the tables may grow by before the learner has to move.
_RESERVE = 1024


@dataclass(frozen=True)
class AutoParameters:
    """What is left to say when all hyperparameters are "auto"."""

    regression: bool
    cache: Cache
    memory_limit: int | str | None
    nominal_features: Sequence[Hashable] | None
    target_scaling: bool
    seed: int | None

    def __post_init__(self) -> None:
        check_common(self.cache, self.seed, self.nominal_features, self.target_scaling)
        needed = self._needed(b"", 0 if self.regression else 1, 0)
        if needed > self.limit:
            raise ValueError(
                f"memory_limit={self.memory_limit!r} is too small for these parameters: they need "
                f"at least {needed} bytes, and more with every feature and class"
            )

    @property
    def left_open(self) -> frozenset[str]:
        """The hyperparameters that were "auto": all of them."""
        return frozenset(PAPER_DEFAULTS)

    def with_seed(self) -> AutoParameters:
        """The same, with a seed drawn if there is none."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(64))

    @property
    def limit(self) -> int:
        """The most bytes that the learner may take."""
        return parse_memory_limit(self.memory_limit) or _DEFAULT_LIMIT

    def plan(self, *, n_features: int, n_classes: int, table_bytes: int = 0) -> dict[str, int]:
        """Bytes of the core's arena and object, by purpose."""
        nominal = bytes(n_features)
        self.check_room(nominal, n_classes, table_bytes)
        return _core.auto_plan(self.regression, self._arena_bytes(table_bytes), n_classes, nominal)

    def check_room(self, nominal: bytes, n_classes: int, table_bytes: int) -> None:
        """Raise ValueError if a learner of this shape cannot be made small enough."""
        arena_bytes = self._arena_bytes(table_bytes)
        if _core.auto_plan(self.regression, arena_bytes, n_classes, nominal)["window"] == 0:
            raise ValueError(
                f"memory_limit={self.memory_limit or self.limit!r} is too small for "
                f"{describe_shape(nominal, n_classes, self.regression)}: this needs at least "
                f"{self._needed(nominal, n_classes, table_bytes)} bytes"
            )

    def new_core(self, nominal: bytes, n_classes: int, table_bytes: int) -> _core.AutoLearner:
        """A learner of this shape."""
        self.check_room(nominal, n_classes, table_bytes)
        arena_bytes = self._arena_bytes(table_bytes)
        return _core.AutoLearner(self.regression, arena_bytes, self.seed or 0, n_classes, nominal)

    def grown(
        self, core: _core.AutoLearner, nominal: bytes, n_classes: int, table_bytes: int
    ) -> _core.AutoLearner:
        """The learner with this shape, which is at least its own, and within the limit."""
        fits = core.arena_bytes + self._beside(table_bytes) <= self.limit
        if fits and (len(nominal), n_classes) == (core.n_features, core.n_classes):
            return core
        self.check_room(nominal, n_classes, table_bytes)
        return core.replan(self._arena_bytes(table_bytes), n_classes, nominal)

    def describes(self, core: _core.Learner | _core.AutoLearner) -> bool:
        """Whether a learner has these parameters."""
        return (
            isinstance(core, _core.AutoLearner)
            and (core.regression, core.seed) == (self.regression, self.seed or 0)
            and core.arena_bytes <= self.limit
        )

    def _needed(self, nominal: bytes, n_classes: int, table_bytes: int) -> int:
        """The smallest limit that will do."""
        smallest = _core.smallest_auto_arena(self.regression, n_classes, nominal)
        grain = _grain(smallest)
        return -(-smallest // grain) * grain + self._beside(table_bytes) + _RESERVE

    def _arena_bytes(self, table_bytes: int) -> int:
        """What the limit leaves for the core beside tables that may grow."""
        rest = max(self.limit - self._beside(table_bytes) - _RESERVE, 0)
        return min(rest // _grain(rest) * _grain(rest), _MOST_ARENA)

    def _beside(self, table_bytes: int) -> int:
        """What the limit has to hold beside the core."""
        return _OBJECT_ROOM + room_for_names(self.nominal_features or ()) + table_bytes


def _grain(n_bytes: int) -> int:
    """The power of two by which numbers of this size are rounded."""
    return 1 << max(n_bytes.bit_length() - _DIGITS, 0)
