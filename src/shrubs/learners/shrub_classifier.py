"""The shrub ensemble without tuning, for classification."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from shrubs.learners._engine.class_weights import ClassWeight
from shrubs.learners._engine.classification import EnsembleClassifier
from shrubs.learners._engine.untuned_parameters import UntunedParameters

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
            where labels follow each other, and do no harm elsewhere; but where a label is known
            long after its example, say False.
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

    def __init__(
        self,
        *,
        memory_limit: int | str = "1MB",
        nominal_features: Sequence[Hashable] | None = None,
        last_outcomes: bool = True,
        class_weight: ClassWeight = None,
        seed: int | None = 0,
    ) -> None:
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.last_outcomes = last_outcomes
        self.class_weight = class_weight
        self.seed = seed

    def _check_parameters(self) -> UntunedParameters:
        return UntunedParameters(regression=False, **self.get_params())
