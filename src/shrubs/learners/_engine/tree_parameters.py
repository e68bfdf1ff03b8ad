"""The hyperparameters of the tree on a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from shrubs import _core
from shrubs.learners._engine.parameters import Engine
from shrubs.learners._engine.window_parameters import Cache, WindowParameters
from shrubs.messages import shown

__all__ = ["Regrow", "TreeParameters"]

Regrow: TypeAlias = Literal["on_error", "always"]


@dataclass(frozen=True, kw_only=True)
class TreeParameters(WindowParameters):
    """Checked hyperparameters; see `shrubs.WindowedTree` for their meaning."""

    regrow: Regrow

    def __post_init__(self) -> None:
        if self.regrow not in ("on_error", "always"):
            raise ValueError(f"regrow must be 'on_error' or 'always', got {shown(self.regrow)}")
        super().__post_init__()

    def _config(self, cache: Cache) -> _core.TreeConfig:
        return _core.TreeConfig(
            only_on_error=self.regrow == "on_error",
            splitter=_core.Splitter[self.splitter],
            cache=_core.Cache[cache],
            window_size=self.window_size,
            max_depth=self.max_depth or 0,
            min_samples_leaf=self.min_samples_leaf,
            seed=self.seed or 0,
        )

    def _new_engine(
        self, cache: Cache, n_classes: int, max_features: int, nominal: bytes
    ) -> _core.TreeLearner:
        return _core.TreeLearner(self._config(cache), n_classes, max_features, nominal)

    def _has_config(self, engine: Engine, cache: Cache) -> bool:
        return isinstance(engine, _core.TreeLearner) and engine.has_config(self._config(cache))
