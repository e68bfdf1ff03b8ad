"""An immutable predictor: the shrubs and weights of a learner at one moment."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners._engine.reading import matrices, plain_row
from shrubs.learners._tables import Classes, Features
from shrubs.protocols import Row

__all__ = ["Snapshot"]


class Snapshot:
    """Predicts what the learner would have predicted when the snapshot was taken.

    It never changes, so other threads can use it while the learner goes on learning.

    >>> from shrubs import ShrubClassifier
    >>> learner = ShrubClassifier()
    >>> for i in range(20):
    ...     _ = learner.learn_one({"a": i}, "yes" if i < 10 else "no")
    >>> before = learner.snapshot()
    >>> for _ in range(20):
    ...     _ = learner.learn_one({"a": 5}, "no")
    >>> before.predict_one({"a": 5}), learner.predict_one({"a": 5})
    ('yes', 'no')
    """

    def __init__(
        self,
        core: _core.Snapshot | _core.AutoSnapshot,
        features: Features,
        classes: Classes | None,
    ) -> None:
        core.set_tables(features.columns, list(features.categories))
        self._core = core
        self._features = features
        self._classes = classes

    @property
    def n_shrubs(self) -> int:
        """The number of shrubs."""
        return int(self._core.n_shrubs)

    @property
    def memory_bytes(self) -> int:
        """Bytes of shrubs and weights; the tables are shared with the learner."""
        return int(self._core.memory_bytes)

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Probabilities by label for one example."""
        if self._classes is None:
            raise TypeError("a regression has no probabilities; use predict_one")
        return dict(zip(self._classes.labels, self._predict_row(x), strict=True))

    def predict_one(self, x: Row) -> Any:
        """The label or target of one example; None while no class is known."""
        prediction = self._predict_row(x)
        if self._classes is None:
            return prediction
        return self._classes.labels[int(np.argmax(prediction))] if prediction else None

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, ``(n, n_classes)``."""
        if self._classes is None:
            raise TypeError("a regression has no probabilities; use predict")
        return self._predict(X, len(self._classes))

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels or targets, ``(n,)``."""
        if self._classes is None:
            return self._predict(X, 1)[:, 0]
        winners = np.argmax(self._predict(X, len(self._classes)), axis=1)
        return np.asarray(self._classes.as_array()[winners])

    def _predict_row(self, x: Row) -> Any:
        prediction = self._core.predict_row(x)
        if prediction is None:
            prediction = self._core.predict_row(plain_row(x, self._features))
        return prediction

    def _predict(self, X: Any, width: int) -> NDArray[np.float64]:
        blocks = [self._predict_block(block, width) for block in matrices(X, self._features)]
        return np.concatenate(blocks) if blocks else np.empty((0, width))

    def _predict_block(self, X: NDArray[Any], width: int) -> NDArray[np.float64]:
        out = np.empty((len(X), width))
        self._core.predict(X, out)
        return out
