"""The hyperparameters of the paper's algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from shrubs import _core
from shrubs.learners._engine.checks import check_choice, check_integer, check_number
from shrubs.learners._engine.parameters import Engine, Shape
from shrubs.learners._engine.window_parameters import Cache, WindowParameters
from shrubs.messages import shown

__all__ = ["Loss", "PaperParameters"]

Loss: TypeAlias = Literal["mse", "cross_entropy"]

_MAX_SHRUBS = 65_534
_MAX_STEPS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class PaperParameters(WindowParameters):
    """Checked hyperparameters; see `shrubs.PaperShrubClassifier` for their meaning."""

    regression: bool
    max_shrubs: int
    step_size: float
    loss: Loss
    steps_per_example: int
    grow_every: int
    target_scaling: bool = True

    def __post_init__(self) -> None:
        check_integer("max_shrubs", self.max_shrubs, 1, _MAX_SHRUBS)
        check_number("step_size", self.step_size, 1e100)
        check_choice("loss", self.loss, ("mse",) if self.regression else get_args(Loss))
        check_integer("steps_per_example", self.steps_per_example, 1, _MAX_STEPS)
        check_integer("grow_every", self.grow_every, 1, _MAX_STEPS)
        if not isinstance(self.target_scaling, bool):
            raise TypeError(
                f"target_scaling must be True or False, got {shown(self.target_scaling)}"
            )
        super().__post_init__()

    def _config(self, cache: Cache) -> _core.PaperConfig:
        return _core.PaperConfig(
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

    def _new_engine(
        self, cache: Cache, n_classes: int, max_features: int, nominal: bytes
    ) -> _core.PaperLearner:
        return _core.PaperLearner(self._config(cache), n_classes, max_features, nominal)

    def _has_config(self, engine: Engine, cache: Cache) -> bool:
        return isinstance(engine, _core.PaperLearner) and engine.has_config(self._config(cache))

    @property
    def _smallest(self) -> Shape:
        return Shape(bytes(1), 0 if self.regression else 1)

    @property
    def _advice(self) -> str:
        without = ', or say cache="auto"' if self.cache == "all" else ""
        return f"lower window_size, max_shrubs or max_depth{without}"
