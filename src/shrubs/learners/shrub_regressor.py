"""The shrub ensemble without tuning, for regression."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._engine.coverage import bound_of, intervals
from shrubs.learners._engine.regression import EnsembleRegressor
from shrubs.learners._engine.untuned_parameters import UntunedParameters
from shrubs.protocols import Row

__all__ = ["ShrubRegressor"]


class ShrubRegressor(EnsembleRegressor):
    """The shrub ensemble that needs no tuning, for targets (docs/no-tuning.md).

    The algorithm of the paper, with its hyperparameters, is `shrubs.PaperShrubRegressor`.

    Args:
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB". It is
            divided among windows, shrubs and companions.
        nominal_features: names (or positions) of features that hold codes of categories. Texts
            are always categories.
        last_outcomes: whether the targets that came last may help to predict the next one. They
            help where targets follow each other, and do no harm elsewhere.
        label_delay: how many examples are learned between the prediction of an example and its own
            target, 0 to 65535. It is then learned as it was predicted, without the outcomes that
            were not known yet.
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> learner = ShrubRegressor()
    >>> for i in range(200):
    ...     _ = learner.learn_one({"a": i % 10}, 3.0 * (i % 10))
    >>> round(learner.predict_one({"a": 7}), 1)
    21.0
    >>> low, high = learner.predict_interval_one({"a": 7}, coverage=0.9)
    >>> low < 21.0 < high
    True
    """

    __slots__ = ("label_delay", "last_outcomes", "memory_limit", "nominal_features", "seed")

    def __init__(
        self,
        *,
        memory_limit: int | str = "1MB",
        nominal_features: Sequence[Hashable] | None = None,
        last_outcomes: bool = True,
        label_delay: int = 0,
        seed: int | None = 0,
    ) -> None:
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.last_outcomes = last_outcomes
        self.label_delay = label_delay
        self.seed = seed

    def _check_parameters(self) -> UntunedParameters:
        return UntunedParameters(regression=True, **self.get_params())

    def predict_interval_one(self, x: Row, coverage: float = 0.9) -> tuple[float, float]:
        """From and to: where the target of one example lies with this probability.

        The share of targets that are covered follows ``coverage`` over the last thousands of
        examples, whatever the stream does (docs/no-tuning.md). Before the second example nothing is
        known, and the interval is infinite.

        Args:
            x: the features, by name or by position.
            coverage: greater than 0 and less than 1.
        """
        bound = self._bound(coverage)
        target = float(self.predict_one(x))
        return target - bound, target + bound

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """The intervals of many examples, ``(n, 2)``; see `predict_interval_one`."""
        bound = self._bound(coverage)
        return intervals(self.predict(X), bound)

    def _bound(self, coverage: float) -> float:
        with self._owner as owner:
            return bound_of(owner.engine, coverage)
