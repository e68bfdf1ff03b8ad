"""The shrub ensemble without tuning, for regression."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from shrubs.learners._engine.regression import EnsembleRegressor
from shrubs.learners._engine.untuned_parameters import UntunedParameters

__all__ = ["ShrubRegressor"]


class ShrubRegressor(EnsembleRegressor):
    """The shrub ensemble that needs no tuning, for targets (docs/no-tuning.md).

    The algorithm of the paper, with its hyperparameters, is `shrubs.PaperShrubRegressor`.

    Args:
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB". It is
            divided among windows, shrubs and companions.
        nominal_features: names (or positions) of features that hold codes of categories. Texts
            are always categories.
        last_outcomes: whether the targets that came last may help to predict the next one. They help
            where targets follow each other, and do no harm elsewhere; but where a target is known
            long after its example, say False.
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> learner = ShrubRegressor()
    >>> for i in range(200):
    ...     _ = learner.learn_one({"a": i % 10}, 3.0 * (i % 10))
    >>> round(learner.predict_one({"a": 7}), 1)
    21.0
    """

    def __init__(
        self,
        *,
        memory_limit: int | str = "1MB",
        nominal_features: Sequence[Hashable] | None = None,
        last_outcomes: bool = True,
        seed: int | None = 0,
    ) -> None:
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.last_outcomes = last_outcomes
        self.seed = seed

    def _check_parameters(self) -> UntunedParameters:
        return UntunedParameters(regression=True, **self.get_params())
