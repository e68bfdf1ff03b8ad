"""What the learners on a window of fixed size have in common: how their shrubs are grown."""

from __future__ import annotations

import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from shrubs import _core
from shrubs.learners._engine.checks import (
    check_choice,
    check_integer,
    check_max_features,
    check_nominal_features,
    check_seed,
)
from shrubs.learners._engine.class_weights import ClassWeight, check_class_weight
from shrubs.learners._engine.parameters import Engine, Shape
from shrubs.learners._memory import parse_memory_limit
from shrubs.learners._tables import Everybody
from shrubs.messages import shown

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Cache", "MaxFeatures", "Splitter", "WindowParameters"]

Splitter: TypeAlias = Literal["best", "random"]
Cache: TypeAlias = Literal["auto", "none", "all"]
MaxFeatures: TypeAlias = Literal["sqrt"] | int | float | None

_MAX_SIZE = 65_535  # of windows, and of what cannot be larger than a window


@dataclass(frozen=True, kw_only=True)
class WindowParameters(ABC):
    """Checked hyperparameters of growing; see `shrubs.PaperShrubClassifier` for their meaning."""

    window_size: int
    max_depth: int | None
    max_features: MaxFeatures
    splitter: Splitter
    min_samples_leaf: int
    memory_limit: int | str | None
    nominal_features: Sequence[Hashable] | None
    seed: int | None
    cache: Cache = "auto"
    class_weight: ClassWeight = None

    def __post_init__(self) -> None:
        check_integer("window_size", self.window_size, 1, _MAX_SIZE)
        if self.max_depth is not None:
            check_integer("max_depth", self.max_depth, 1, _MAX_SIZE)
        check_max_features(self.max_features)
        check_choice("splitter", self.splitter, get_args(Splitter))
        check_integer("min_samples_leaf", self.min_samples_leaf, 1, _MAX_SIZE)
        check_choice("cache", self.cache, get_args(Cache))
        check_seed(self.seed)
        check_nominal_features(self.nominal_features)
        check_class_weight(self.class_weight)
        self._check_limit()

    @abstractmethod
    def _config(self, cache: Cache) -> _core.PaperConfig | _core.TreeConfig:
        """The same for the core."""

    @abstractmethod
    def _new_engine(
        self, cache: Cache, n_classes: int, max_features: int, nominal: bytes
    ) -> _core.PaperLearner | _core.TreeLearner: ...

    @abstractmethod
    def _has_config(self, engine: Engine, cache: Cache) -> bool: ...

    @property
    def _smallest(self) -> Shape:
        """The shape that needs the least memory."""
        return Shape(bytes(1), 1)

    @property
    def _advice(self) -> str:
        """What to change where memory is too small."""
        return "lower window_size or max_depth"

    def _check_limit(self) -> None:
        """Raise unless the memory limit is one, and has room for the smallest shape."""
        limit = parse_memory_limit(self.memory_limit)
        needed = sum(self.plan(self._smallest).values())
        if limit is not None and needed > limit:
            raise ValueError(
                f"memory_limit={shown(self.memory_limit)} is too small for these parameters: they "
                f"need at least {needed} bytes, and more with every feature and class; "
                f"{self._advice}"
            )

    def admission(self, owner: _core.Owner) -> Everybody:
        """See `Parameters`; what is too much is refused later."""
        return Everybody(owner.tables)

    def with_seed(self) -> Self:
        """See `Parameters`."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(64))

    def plan(self, shape: Shape) -> dict[str, int]:
        """See `Parameters`."""
        return self._plan(self._cache_for(shape), shape)

    def check_room(self, shape: Shape) -> None:
        """See `Parameters`."""
        limit = parse_memory_limit(self.memory_limit)
        needed = sum(self.plan(shape).values()) + shape.table_bytes + shape.object_bytes
        if limit is not None and needed > limit:
            raise ValueError(
                f"memory_limit={shown(self.memory_limit)} is too small for {shape}: this needs at "
                f"least {needed} bytes; {self._advice}"
            )

    def new_engine(self, shape: Shape) -> _core.PaperLearner | _core.TreeLearner:
        """See `Parameters`."""
        self.check_room(shape)
        tried = self._features_tried(shape.n_features)
        return self._new_engine(self._cache_for(shape), shape.n_classes, tried, shape.nominal)

    def grown(self, engine: Engine, shape: Shape) -> _core.PaperLearner | _core.TreeLearner:
        """See `Parameters`."""
        assert not isinstance(engine, _core.AutoLearner)
        self.check_room(shape)
        cache = self._cache_for(shape)
        same_shape = (shape.n_features, shape.n_classes) == (engine.n_features, engine.n_classes)
        if same_shape and self._has_config(engine, cache):
            return engine
        tried = self._features_tried(shape.n_features)
        return engine.replan(shape.n_classes, tried, shape.nominal, _core.Cache[cache])

    def describes(self, engine: Engine) -> bool:
        """See `Parameters`."""
        may_lack_caches = self.cache == "auto" and self.memory_limit is not None
        return self._has_config(engine, self.cache) or (
            may_lack_caches and self._has_config(engine, "none")
        )

    def _cache_for(self, shape: Shape) -> Cache:
        """With ``cache="auto"``, none where a memory limit leaves no room for caches."""
        limit = parse_memory_limit(self.memory_limit)
        if self.cache != "auto" or limit is None:
            return self.cache
        beside = shape.table_bytes + shape.object_bytes
        needed = sum(self._plan("auto", shape).values()) + beside
        return "auto" if needed <= limit else "none"

    def _plan(self, cache: Cache, shape: Shape) -> dict[str, int]:
        tried = self._features_tried(shape.n_features)
        return _core.plan(self._config(cache), shape.n_features, shape.n_classes, tried)

    def _features_tried(self, n_features: int) -> int:
        """How many features are tried per node."""
        if self.max_features is None:
            return n_features
        if self.max_features == "sqrt":
            tried = math.isqrt(n_features)
        elif isinstance(self.max_features, float):
            tried = int(self.max_features * n_features)
        else:
            tried = int(self.max_features)
        return min(max(tried, 1), n_features)
