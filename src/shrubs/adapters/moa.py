"""Shrub ensembles inside CapyMOA (extra ``shrubs[moa]``).

They go into CapyMOA's ``prequential_evaluation`` like its own learners.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs import learners
from shrubs.adapters import moa_jvm

# Before CapyMOA starts a Java machine in which sizes cannot be measured.
moa_jvm.start()

from capymoa.base import Classifier, Regressor  # noqa: E402

__all__ = ["ShrubClassifier", "ShrubRegressor"]


class ShrubClassifier(Classifier):  # type: ignore[misc]
    """`shrubs.ShrubClassifier`, or the paper's, as a CapyMOA classifier.

    Args:
        schema: of the stream; its nominal attributes are treated as such, its classes announced.
        learner: a configured `shrubs.ShrubClassifier` or `shrubs.PaperShrubClassifier`, the
            default of the former if None. Its parameters are copied.
        random_seed: the seed of the default learner.
    """

    def __init__(
        self,
        schema: Any,
        learner: learners.ShrubClassifier | learners.PaperShrubClassifier | None = None,
        random_seed: int = 1,
    ) -> None:
        super().__init__(schema, random_seed)
        self.learner = learner
        chosen = learner or learners.ShrubClassifier(seed=random_seed)
        params = {**chosen.get_params(), "nominal_features": _nominal_positions(schema)}
        self._learner = type(chosen)(**params)
        no_examples = np.empty((0, schema.get_num_attributes()))
        self._learner.partial_fit(
            no_examples, np.empty(0, dtype=np.int64), classes=range(schema.get_num_classes())
        )

    def train(self, instance: Any) -> None:
        """Learn one instance; one without a label is passed over."""
        if instance.y_index >= 0:
            self._learner.learn_one(instance.x, instance.y_index)

    def predict_proba(self, instance: Any) -> NDArray[np.float64]:
        """Probabilities by class index."""
        return np.asarray(self._learner.predict_proba(np.atleast_2d(instance.x))[0])


class ShrubRegressor(Regressor):  # type: ignore[misc]
    """`shrubs.ShrubRegressor`, or the paper's, as a CapyMOA regressor; see `ShrubClassifier`."""

    def __init__(
        self,
        schema: Any,
        learner: learners.ShrubRegressor | learners.PaperShrubRegressor | None = None,
        random_seed: int = 1,
    ) -> None:
        super().__init__(schema, random_seed)
        self.learner = learner
        chosen = learner or learners.ShrubRegressor(seed=random_seed)
        params = {**chosen.get_params(), "nominal_features": _nominal_positions(schema)}
        self._learner = type(chosen)(**params)

    def train(self, instance: Any) -> None:
        """Learn one instance."""
        self._learner.learn_one(instance.x, float(instance.y_value))

    def predict(self, instance: Any) -> float:
        """The target of one instance, 0 before the first one."""
        return float(self._learner.predict_one(instance.x))


def _nominal_positions(schema: Any) -> tuple[int, ...]:
    header = schema.get_moa_header()
    attributes = range(schema.get_num_attributes())
    return tuple(i for i in attributes if header.attribute(i).isNominal())
