"""The hyperparameters of a shrub ensemble: checked once, here, and trusted after that."""

from __future__ import annotations

import difflib
import math
import numbers
import secrets
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from shrubs import _core
from shrubs.learners._memory import parse_memory_limit

__all__ = [
    "PAPER_DEFAULTS",
    "Auto",
    "Cache",
    "Loss",
    "MaxFeatures",
    "Parameters",
    "Splitter",
    "check_common",
    "check_integer",
]

Auto: TypeAlias = Literal["auto"]
PAPER_DEFAULTS: dict[str, Any] = {
    "max_shrubs": 32,
    "window_size": 256,
    "step_size": 0.5,
    "loss": "mse",
    "max_depth": None,
    "max_features": None,
    "splitter": "random",
    "min_samples_leaf": 1,
    "steps_per_example": 1,
    "grow_every": 1,
}
"""What "auto" stands for once another hyperparameter has a value."""

Method: TypeAlias = Literal["shrub_ensemble", "tree_always", "tree_on_error"]
METHODS = get_args(Method)
Loss: TypeAlias = Literal["mse", "cross_entropy"]
Splitter: TypeAlias = Literal["best", "random"]
Cache: TypeAlias = Literal["auto", "none", "all"]
CACHES = get_args(Cache)
MaxFeatures: TypeAlias = Literal["sqrt"] | int | float | None

_LARGEST = 65_535
_MOST_SHRUBS = 65_534


@dataclass(frozen=True)
class Parameters:
    """Checked hyperparameters; see `shrubs.ShrubClassifier` for their meaning."""

    method: Method
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
    cache: Cache
    memory_limit: int | str | None
    nominal_features: Sequence[Hashable] | None
    target_scaling: bool
    seed: int | None
    left_open: frozenset[str] = frozenset()
    """Those that were "auto"."""

    def __post_init__(self) -> None:
        check_integer("max_shrubs", self.max_shrubs, 1, _MOST_SHRUBS)
        check_integer("window_size", self.window_size, 1, _LARGEST)
        _check_number("step_size", self.step_size, 1e100)
        losses = ("mse",) if self.regression else ("mse", "cross_entropy")
        _check_choice("loss", self.loss, losses)
        if self.max_depth is not None:
            check_integer("max_depth", self.max_depth, 1, _LARGEST)
        _check_max_features(self.max_features)
        _check_choice("splitter", self.splitter, ("best", "random"))
        check_integer("min_samples_leaf", self.min_samples_leaf, 1, _LARGEST)
        check_integer("steps_per_example", self.steps_per_example, 1, 1_000_000)
        check_integer("grow_every", self.grow_every, 1, 1_000_000)
        check_common(self.cache, self.seed, self.nominal_features, self.target_scaling)
        limit = parse_memory_limit(self.memory_limit)
        smallest = sum(self.plan(n_features=1, n_classes=0 if self.regression else 1).values())
        if limit is not None and smallest > limit:
            raise ValueError(
                f"memory_limit={self.memory_limit!r} is too small for these parameters: they need "
                f"at least {smallest} bytes, and more with every feature and class; {self._advice}"
            )

    def with_seed(self) -> Parameters:
        """The same, with a seed drawn if there is none."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(64))

    def config(self, cache: Cache | None = None) -> _core.Config:
        """The same for the core, with other caches if wanted."""
        return _core.Config(
            method=METHODS.index(self.method),
            regression=self.regression,
            cross_entropy=self.loss == "cross_entropy",
            random=self.splitter == "random",
            target_scaling=self.target_scaling,
            cache=CACHES.index(cache or self.cache),
            max_shrubs=self.max_shrubs,
            window_size=self.window_size,
            max_depth=self.max_depth or 0,
            min_samples_leaf=self.min_samples_leaf,
            steps_per_example=self.steps_per_example,
            grow_every=self.grow_every,
            step_size=self.step_size,
            seed=self.seed or 0,
        )

    def features_tried(self, n_features: int) -> int:
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

    def plan(self, *, n_features: int, n_classes: int, table_bytes: int = 0) -> dict[str, int]:
        """Bytes of the core's arena and object, by purpose."""
        return self._plan(
            self._config_for(n_features, n_classes, table_bytes), n_features, n_classes
        )

    def _plan(self, config: _core.Config, n_features: int, n_classes: int) -> dict[str, int]:
        tried = self.features_tried(n_features)
        plan: dict[str, int] = _core.plan(config, n_features, n_classes, tried)
        return plan

    def _config_for(self, n_features: int, n_classes: int, table_bytes: int) -> _core.Config:
        """With ``cache="auto"``, without the caches that a memory limit leaves no room for."""
        limit = parse_memory_limit(self.memory_limit)
        config = self.config()
        if self.cache != "auto" or limit is None:
            return config
        needed = sum(self._plan(config, n_features, n_classes).values()) + table_bytes
        return config if needed <= limit else self.config(cache="none")

    def check_room(self, nominal: bytes, n_classes: int, table_bytes: int) -> None:
        """Raise ValueError if a learner of this shape would need more than it may."""
        limit = parse_memory_limit(self.memory_limit)
        plan = self.plan(n_features=len(nominal), n_classes=n_classes, table_bytes=table_bytes)
        needed = sum(plan.values()) + table_bytes
        if limit is not None and needed > limit:
            raise ValueError(
                f"memory_limit={self.memory_limit!r} is too small for "
                f"{describe_shape(nominal, n_classes, self.regression)}: this needs at least "
                f"{needed} bytes; {self._advice}"
            )

    @property
    def _advice(self) -> str:
        """What to change where memory is too small."""
        without = ', or say cache="auto"' if self.cache == "all" else ""
        return f"lower window_size, max_shrubs or max_depth{without}"

    def new_core(self, nominal: bytes, n_classes: int, table_bytes: int) -> _core.Learner:
        """A learner of this shape."""
        self.check_room(nominal, n_classes, table_bytes)
        config = self._config_for(len(nominal), n_classes, table_bytes)
        return _core.Learner(config, n_classes, self.features_tried(len(nominal)), nominal)

    def grown(
        self, core: _core.Learner, nominal: bytes, n_classes: int, table_bytes: int
    ) -> _core.Learner:
        """The learner with this shape, which is at least its own."""
        self.check_room(nominal, n_classes, table_bytes)
        config = self._config_for(len(nominal), n_classes, table_bytes)
        same_shape = (len(nominal), n_classes) == (core.n_features, core.n_classes)
        if same_shape and core.has_config(config):
            return core
        return core.replan(n_classes, self.features_tried(len(nominal)), nominal, config)

    def describes(self, core: _core.Learner | _core.AutoLearner) -> bool:
        """Whether a learner has these parameters."""
        if not isinstance(core, _core.Learner):
            return False
        without = self.cache == "auto" and self.memory_limit is not None
        return core.has_config(self.config()) or (
            without and core.has_config(self.config(cache="none"))
        )


def check_common(cache: Any, seed: Any, nominal_features: Any, target_scaling: Any) -> None:
    """Raise unless these parameters, which every learner has, are allowed."""
    _check_choice("cache", cache, CACHES)
    if seed is not None:
        check_integer("seed", seed, 0, 2**64 - 1)
    _check_nominal_features(nominal_features)
    if not isinstance(target_scaling, bool):
        raise TypeError(f"target_scaling must be True or False, got {target_scaling!r}")


def describe_shape(nominal: bytes, n_classes: int, regression: bool) -> str:
    """The shape of a learner in words."""
    return f"{len(nominal)} features" + ("" if regression else f" and {n_classes} classes")


def check_integer(name: str, value: Any, low: int, high: int) -> None:
    """Raise unless ``value`` is an integer from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}{_auto_hint(value)}")
    if int(value) < low:
        raise ValueError(f"{name} must be at least {low}, got {value}")
    if int(value) > high:
        raise ValueError(f"{name} must be at most {high}, got {value}")


def _check_number(name: str, value: Any, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {value!r}{_auto_hint(value)}")
    if not 0 < float(value) <= high:
        raise ValueError(f"{name} must be greater than 0 and at most {high:g}, got {value}")


def _auto_hint(value: Any) -> str:
    """For those who write it in another way."""
    meant = isinstance(value, str) and value.strip().lower() == "auto"
    return "; did you mean 'auto'?" if meant else ""


def _check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if isinstance(value, str) and value in allowed:
        return
    nearest = difflib.get_close_matches(str(value), allowed, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    choices = " or ".join(repr(choice) for choice in allowed)
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{name} must be {choices}, got {value!r}{hint}")


def _check_max_features(value: Any) -> None:
    if value is None or (isinstance(value, str) and value == "sqrt"):
        return
    if isinstance(value, float):
        if not 0 < value <= 1:
            raise ValueError(
                f"max_features must be greater than 0 and at most 1 as a share, got {value}"
            )
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        error = ValueError if isinstance(value, str) else TypeError
        raise error(f"max_features must be None, 'sqrt', an integer or a share, got {value!r}")
    if value < 1:
        raise ValueError(f"max_features must be at least 1, got {value}")


def _check_nominal_features(value: Any) -> None:
    if value is None:
        return
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | frozenset | set):
        raise TypeError(
            f"nominal_features must be None or a sequence of names or positions, got {value!r}"
        )
    for name in value:
        if not isinstance(name, Hashable):
            raise TypeError(f"nominal_features must hold names or positions, got {name!r}")
