"""The hyperparameters of the paper's algorithm and of the tree on a window."""

from __future__ import annotations

import math
import secrets
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from shrubs import _core
from shrubs.learners._engine.checks import (
    check_choice,
    check_integer,
    check_max_features,
    check_nominal_features,
    check_number,
    check_seed,
)
from shrubs.learners._engine.parameters import Engine, Shape
from shrubs.learners._memory import parse_memory_limit
from shrubs.learners._tables import Classes, Features

__all__ = ["Cache", "Loss", "MaxFeatures", "PaperParameters", "Regrow", "Splitter"]

Loss: TypeAlias = Literal["mse", "cross_entropy"]
Splitter: TypeAlias = Literal["best", "random"]
Cache: TypeAlias = Literal["auto", "none", "all"]
Regrow: TypeAlias = Literal["on_error", "always"]
MaxFeatures: TypeAlias = Literal["sqrt"] | int | float | None

_MAX_SIZE = 65_535  # of windows, and of what cannot be larger than a window
_MAX_SHRUBS = 65_534
_MAX_STEPS = 1_000_000


@dataclass(frozen=True)
class PaperParameters:
    """Checked hyperparameters; see `shrubs.PaperShrubClassifier` for their meaning.

    With ``regrow`` a single tree on the window takes the place of the ensemble; see
    `shrubs.WindowedTree`.
    """

    regression: bool
    max_shrubs: int
    window_size: int
    step_size: float
    loss: Loss
    max_depth: int | None
    max_features: MaxFeatures
    splitter: Splitter
    min_samples_leaf: int
    steps_per_example: int
    grow_every: int
    memory_limit: int | str | None
    nominal_features: Sequence[Hashable] | None
    seed: int | None
    cache: Cache = "auto"
    target_scaling: bool = True
    regrow: Regrow | None = None

    def __post_init__(self) -> None:
        check_integer("max_shrubs", self.max_shrubs, 1, _MAX_SHRUBS)
        check_integer("window_size", self.window_size, 1, _MAX_SIZE)
        check_number("step_size", self.step_size, 1e100)
        check_choice("loss", self.loss, ("mse",) if self.regression else get_args(Loss))
        if self.max_depth is not None:
            check_integer("max_depth", self.max_depth, 1, _MAX_SIZE)
        check_max_features(self.max_features)
        check_choice("splitter", self.splitter, get_args(Splitter))
        check_integer("min_samples_leaf", self.min_samples_leaf, 1, _MAX_SIZE)
        check_integer("steps_per_example", self.steps_per_example, 1, _MAX_STEPS)
        check_integer("grow_every", self.grow_every, 1, _MAX_STEPS)
        check_choice("cache", self.cache, get_args(Cache))
        check_seed(self.seed)
        check_nominal_features(self.nominal_features)
        if not isinstance(self.target_scaling, bool):
            raise TypeError(f"target_scaling must be True or False, got {self.target_scaling!r}")
        self._check_limit()

    def _check_limit(self) -> None:
        """Raise unless the memory limit is one, and has room for the smallest shape."""
        limit = parse_memory_limit(self.memory_limit)
        needed = sum(self.plan(Shape(bytes(1), 0 if self.regression else 1)).values())
        if limit is not None and needed > limit:
            raise ValueError(
                f"memory_limit={self.memory_limit!r} is too small for these parameters: they need "
                f"at least {needed} bytes, and more with every feature and class; {self._advice}"
            )

    def with_seed(self) -> PaperParameters:
        """See `Parameters`."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(64))

    def table_room(self, features: Features, classes: Classes, table_bytes: int) -> int:
        """See `Parameters`."""
        return table_bytes

    def plan(self, shape: Shape) -> dict[str, int]:
        """See `Parameters`."""
        return self._plan(self._config_for(shape), shape)

    def check_room(self, shape: Shape) -> None:
        """See `Parameters`."""
        limit = parse_memory_limit(self.memory_limit)
        needed = sum(self.plan(shape).values()) + shape.table_bytes
        if limit is not None and needed > limit:
            raise ValueError(
                f"memory_limit={self.memory_limit!r} is too small for {shape}: this needs at least "
                f"{needed} bytes; {self._advice}"
            )

    def new_engine(self, shape: Shape) -> _core.Learner:
        """See `Parameters`."""
        self.check_room(shape)
        tried = self._features_tried(shape.n_features)
        return _core.Learner(self._config_for(shape), shape.n_classes, tried, shape.nominal)

    def grown(self, engine: Engine, shape: Shape) -> _core.Learner:
        """See `Parameters`."""
        assert isinstance(engine, _core.Learner)
        self.check_room(shape)
        config = self._config_for(shape)
        same_shape = (shape.n_features, shape.n_classes) == (engine.n_features, engine.n_classes)
        if same_shape and engine.has_config(config):
            return engine
        tried = self._features_tried(shape.n_features)
        return engine.replan(shape.n_classes, tried, shape.nominal, config)

    def describes(self, engine: Engine) -> bool:
        """See `Parameters`."""
        if not isinstance(engine, _core.Learner):
            return False
        may_lack_caches = self.cache == "auto" and self.memory_limit is not None
        return engine.has_config(self._config(self.cache)) or (
            may_lack_caches and engine.has_config(self._config("none"))
        )

    def _config(self, cache: Cache) -> _core.Config:
        return _core.Config(
            method=_core.Method[f"tree_{self.regrow}" if self.regrow else "shrub_ensemble"],
            task=_core.Task.regression if self.regression else _core.Task.classification,
            loss=_core.Loss[self.loss],
            splitter=_core.Splitter[self.splitter],
            target_scaling=self.target_scaling,
            cache=_core.Cache[cache],
            max_shrubs=self.max_shrubs,
            window_size=self.window_size,
            max_depth=self.max_depth or 0,
            min_samples_leaf=self.min_samples_leaf,
            steps_per_example=self.steps_per_example,
            grow_every=self.grow_every,
            step_size=self.step_size,
            seed=self.seed or 0,
        )

    def _config_for(self, shape: Shape) -> _core.Config:
        """With ``cache="auto"``, without the caches that a memory limit leaves no room for."""
        limit = parse_memory_limit(self.memory_limit)
        config = self._config(self.cache)
        if self.cache != "auto" or limit is None:
            return config
        needed = sum(self._plan(config, shape).values()) + shape.table_bytes
        return config if needed <= limit else self._config("none")

    def _plan(self, config: _core.Config, shape: Shape) -> dict[str, int]:
        tried = self._features_tried(shape.n_features)
        return _core.plan(config, shape.n_features, shape.n_classes, tried)

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

    @property
    def _advice(self) -> str:
        """What to change where memory is too small."""
        without = ', or say cache="auto"' if self.cache == "all" else ""
        return f"lower window_size, max_shrubs or max_depth{without}"
