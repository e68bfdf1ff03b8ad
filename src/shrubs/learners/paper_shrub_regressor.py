"""Algorithm 1 of the paper, for regression."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

from shrubs.learners._engine.paper_parameters import MaxFeatures, PaperParameters, Splitter
from shrubs.learners._engine.regression import EnsembleRegressor

__all__ = ["PaperShrubRegressor"]


class PaperShrubRegressor(EnsembleRegressor):
    """The algorithm of the paper for targets: shrubs split by variance, leaves predict means.

    Args:
        max_shrubs: M, the maximum number of shrubs, 1 to 65,534.
        window_size: B, the maximum number of examples in the window, 1 to 65,535.
        step_size: alpha of the gradient step, greater than 0.
        loss: "mse".
        max_depth: of a shrub, at least 1; None (default) grows until the leaves are pure.
        max_features: features tried per node: None for all (default), "sqrt", a number or a share.
        splitter: "best" tries every cut, "random" (default) one uniform cut per tried feature.
        min_samples_leaf: the minimum number of examples in a leaf, at least 1.
        steps_per_example: gradient steps per example, at least 1.
        grow_every: consider a new shrub at every so many examples, 1 to 1,000,000. More than 1 is
            an approximation that saves time; the weights still follow every example.
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB"; None
            (default) for no cap.
        nominal_features: names (or positions) of features that hold codes of categories. Texts
            are always categories.
        target_scaling: measure the step in variances of the window's targets (default), so that
            the unit of the target does not matter. False takes the gradient as the paper prints it.
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> learner = PaperShrubRegressor(max_shrubs=8, window_size=64)
    >>> for i in range(200):
    ...     _ = learner.learn_one({"a": i % 10}, 3.0 * (i % 10))
    >>> round(learner.predict_one({"a": 7}), 6)
    21.0
    """

    def __init__(
        self,
        *,
        max_shrubs: int = 32,
        window_size: int = 256,
        step_size: float = 0.5,
        loss: Literal["mse"] = "mse",
        max_depth: int | None = None,
        max_features: MaxFeatures = None,
        splitter: Splitter = "random",
        min_samples_leaf: int = 1,
        steps_per_example: int = 1,
        grow_every: int = 1,
        memory_limit: int | str | None = None,
        nominal_features: Sequence[Hashable] | None = None,
        target_scaling: bool = True,
        seed: int | None = 0,
    ) -> None:
        self.max_shrubs = max_shrubs
        self.window_size = window_size
        self.step_size = step_size
        self.loss = loss
        self.max_depth = max_depth
        self.max_features = max_features
        self.splitter = splitter
        self.min_samples_leaf = min_samples_leaf
        self.steps_per_example = steps_per_example
        self.grow_every = grow_every
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.target_scaling = target_scaling
        self.seed = seed

    def _check_parameters(self) -> PaperParameters:
        return PaperParameters(regression=True, **self.get_params())
