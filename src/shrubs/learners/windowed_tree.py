"""One tree on the window, grown from scratch: the plain baseline."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from shrubs.learners._engine.class_weights import ClassWeight
from shrubs.learners._engine.classification import EnsembleClassifier
from shrubs.learners._engine.tree_parameters import Regrow, TreeParameters
from shrubs.learners._engine.window_parameters import MaxFeatures, Splitter

__all__ = ["WindowedTree"]


class WindowedTree(EnsembleClassifier):
    """A single tree on the last ``window_size`` examples.

    Args:
        window_size: the maximum number of examples in the window, 1 to 65,535.
        regrow: "on_error" (default) grows a new tree only after the old one was wrong on the new
            example, "always" at every example.
        max_depth: of the tree, at least 1; None (default) grows until the leaves are pure.
        max_features: features tried per node: None for all (default), "sqrt", a number or a share.
        splitter: "best" (default) tries every cut, "random" one uniform cut per tried feature.
        min_samples_leaf: the minimum number of examples in a leaf, at least 1.
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB"; None
            (default) for no cap.
        nominal_features: names (or positions) of features that hold codes of categories.
        class_weight: what the probability of each class is multiplied by, before all are divided by
            their sum. "balanced" makes up for classes that are rare in the window; a dict has a
            number, 1e-9 to 1e9, for each label; None (default) changes nothing (docs/weights.md).
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> tree = WindowedTree(window_size=32)
    >>> for i in range(50):
    ...     _ = tree.learn_one({"a": i % 4}, i % 4 > 1)
    >>> tree.predict_one({"a": 3})
    True
    """

    def __init__(
        self,
        *,
        window_size: int = 256,
        regrow: Regrow = "on_error",
        max_depth: int | None = None,
        max_features: MaxFeatures = None,
        splitter: Splitter = "best",
        min_samples_leaf: int = 1,
        memory_limit: int | str | None = None,
        nominal_features: Sequence[Hashable] | None = None,
        class_weight: ClassWeight = None,
        seed: int | None = 0,
    ) -> None:
        self.window_size = window_size
        self.regrow = regrow
        self.max_depth = max_depth
        self.max_features = max_features
        self.splitter = splitter
        self.min_samples_leaf = min_samples_leaf
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.class_weight = class_weight
        self.seed = seed

    def _check_parameters(self) -> TreeParameters:
        return TreeParameters(**self.get_params())
