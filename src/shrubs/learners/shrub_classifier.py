"""The shrub ensemble without tuning, for classification."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._engine.class_weights import ClassWeight
from shrubs.learners._engine.classification import EnsembleClassifier
from shrubs.learners._engine.coverage import bound_of, set_of, sets
from shrubs.learners._engine.untuned_parameters import UntunedParameters
from shrubs.protocols import Row

__all__ = ["ShrubClassifier"]


class ShrubClassifier(EnsembleClassifier):
    """An ensemble of small trees on sliding windows that needs no tuning.

    Shrubs grown on windows of all lengths are weighed, together with a few simple companions, by
    their predictions for later examples, in as much memory as it is given (docs/no-tuning.md).
    The algorithm of the paper, with its hyperparameters, is `shrubs.PaperShrubClassifier`.

    Args:
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB". It is
            divided among windows, shrubs and companions.
        nominal_features: names (or positions) of features that hold codes of categories. Texts
            are always categories.
        last_outcomes: whether the labels that came last may help to predict the next one. They help
            where labels follow each other, and do no harm elsewhere.
        label_delay: how many examples are learned between the prediction of an example and its own
            label, 0 to 65535. It is then learned as it was predicted, without the outcomes that
            were not known yet.
        class_weight: what the probability of each class is multiplied by, before all are divided by
            their sum. "balanced" makes up for classes that are rare in the window; a dict has a
            number, 1e-9 to 1e9, for each label; None (default) changes nothing (docs/weights.md).
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> learner = ShrubClassifier()
    >>> for i in range(100):
    ...     colour = "red" if i % 2 else "blue"
    ...     _ = learner.learn_one({"size": i % 10, "colour": colour}, "yes" if i % 2 else "no")
    >>> learner.predict_one({"size": 3, "colour": "red"})
    'yes'
    >>> learner.memory_bytes <= 1024**2
    True
    """

    # A dictionary of them takes 300 bytes.
    __slots__ = (
        "class_weight",
        "label_delay",
        "last_outcomes",
        "memory_limit",
        "nominal_features",
        "seed",
    )

    def __init__(
        self,
        *,
        memory_limit: int | str = "1MB",
        nominal_features: Sequence[Hashable] | None = None,
        last_outcomes: bool = True,
        label_delay: int = 0,
        class_weight: ClassWeight = None,
        seed: int | None = 0,
    ) -> None:
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.last_outcomes = last_outcomes
        self.label_delay = label_delay
        self.class_weight = class_weight
        self.seed = seed

    def _check_parameters(self) -> UntunedParameters:
        return UntunedParameters(regression=False, **self.get_params())

    def predict_set_one(self, x: Row, coverage: float = 0.9) -> set[Hashable]:
        """Labels among which that of one example is with this probability.

        The share of labels that are covered follows ``coverage`` over the last thousands of
        examples, whatever the stream does. The most likely label is always in the set, so the share
        is larger where that label alone is right more often. Before the second example all labels
        that are known are in it.

        Args:
            x: the features, by name or by position.
            coverage: greater than 0 and less than 1.
        """
        bound = self._bound(coverage)
        return set_of(self.predict_proba_one(x), bound)

    def predict_set(self, X: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
        """Which labels are in the sets of many examples, ``(n, n_classes)``.

        The columns are in the order of ``classes_``; see `predict_set_one`.
        """
        bound = self._bound(coverage)
        return sets(self.predict_proba(X), bound)

    def _bound(self, coverage: float) -> float:
        with self._owner as owner:
            return bound_of(owner.engine, coverage)
