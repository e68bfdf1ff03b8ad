"""Algorithm 1 of the paper, for classification."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from shrubs.learners._engine.class_weights import ClassWeight
from shrubs.learners._engine.classification import EnsembleClassifier
from shrubs.learners._engine.paper_parameters import Loss, PaperParameters
from shrubs.learners._engine.window_parameters import Cache, MaxFeatures, Splitter

__all__ = ["PaperShrubClassifier"]


class PaperShrubClassifier(EnsembleClassifier):
    """An ensemble of small trees on a sliding window, weighted by proximal gradient descent.

    Every example grows a new shrub on the window; a gradient step on the loss over the window
    weighs it against the others; the prox keeps the ``max_shrubs`` heaviest.

    Args:
        max_shrubs: M, the maximum number of shrubs, 1 to 65,534.
        window_size: B, the maximum number of examples in the window, 1 to 65,535.
        step_size: alpha of the gradient step, greater than 0. A newcomer gets at most
            ``2 * step_size / n_classes``: a small step freezes a full ensemble.
        loss: "mse" (default), or "cross_entropy" of the softmax of the votes.
        max_depth: of a shrub, at least 1; None (default) grows until the leaves are pure.
        max_features: features tried per node: None for all (default), "sqrt", a number or a share.
        splitter: "best" tries every cut, "random" (default) one uniform cut per tried feature.
        min_samples_leaf: the minimum number of examples in a leaf, at least 1.
        steps_per_example: gradient steps per example, at least 1.
        grow_every: consider a new shrub at every so many examples, 1 to 1,000,000. More than 1 is
            an approximation that saves time; the weights still follow every example.
        cache: "none" gives up memory that makes ``splitter="best"`` fast, "all" always takes it,
            "auto" (default) takes most of it for windows of more than 32 examples and all from
            128 on, but none where ``memory_limit`` has no room for it. The model is the same.
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB"; None
            (default) for no cap.
        nominal_features: names (or positions) of features that hold codes of categories. Texts
            are always categories.
        class_weight: what the probability of each class is multiplied by, before all are divided by
            their sum. "balanced" makes up for classes that are rare in the window; a dict has a
            number, 1e-9 to 1e9, for each label; None (default) changes nothing (docs/weights.md).
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> learner = PaperShrubClassifier(max_shrubs=8, window_size=64)
    >>> for i in range(100):
    ...     colour = "red" if i % 2 else "blue"
    ...     _ = learner.learn_one({"size": i % 10, "colour": colour}, "yes" if i % 2 else "no")
    >>> learner.predict_one({"size": 3, "colour": "red"})
    'yes'
    >>> print(learner.explain_one({"size": 3, "colour": "blue"})[0])
    0.478  if colour != 'red': 'no' 100%
    """

    def __init__(
        self,
        *,
        max_shrubs: int = 32,
        window_size: int = 256,
        step_size: float = 0.5,
        loss: Loss = "mse",
        max_depth: int | None = None,
        max_features: MaxFeatures = None,
        splitter: Splitter = "random",
        min_samples_leaf: int = 1,
        steps_per_example: int = 1,
        grow_every: int = 1,
        cache: Cache = "auto",
        memory_limit: int | str | None = None,
        nominal_features: Sequence[Hashable] | None = None,
        class_weight: ClassWeight = None,
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
        self.cache = cache
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.class_weight = class_weight
        self.seed = seed

    def _check_parameters(self) -> PaperParameters:
        return PaperParameters(regression=False, **self.get_params())
