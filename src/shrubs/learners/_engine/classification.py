"""The front of the learners that learn labels."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._engine.ensemble import ShrubEnsemble
from shrubs.learners._engine.frozen import warn_that_it_froze
from shrubs.learners._engine.labels import check_labels, encode_labels, sorted_labels
from shrubs.learners._engine.reading import no_examples, plain_row, row_blocks
from shrubs.learners._tables import Classes, plain_label
from shrubs.protocols import Block, Outcome, Row

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EnsembleClassifier"]


class EnsembleClassifier(ShrubEnsemble):
    """An ensemble of shrubs for classification."""

    _regression: ClassVar[bool] = False

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the columns of ``predict_proba``.

        That is the order in which they were announced or first seen; ``fit`` announces them
        sorted.
        """
        self._require_engine()
        return self._classes.as_array()

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Probabilities by label for one example; uniform before the first example."""
        engine = self._engine
        if engine is None:
            self._check_parameters()
            return {}
        found = engine.predict_proba_one(x)
        if found is None:
            found = engine.predict_proba_one(plain_row(x, self._features))
        return found or {}

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn examples in order; the same as ``learn_one`` in a loop.

        Args:
            X: ``(n, n_features)``: array, data frame or sparse matrix; NaN for missing.
            y: ``(n,)`` labels.
            classes: labels to announce before they occur.
        """
        self._learn_many(X, y, classes, None)
        return self

    def prequential(self, X: Any, y: Any, classes: Any = None) -> NDArray[Any]:
        """Predict each row before learning it, and return the predictions, ``(n,)``.

        While no class is known there is nothing to predict: the first prediction is None unless
        ``classes`` announces them.
        """
        self._parameters_in_force()
        labels = check_labels(y)
        predicted = np.empty(len(labels), dtype=np.int64)
        self._learn_many(X, labels, classes, predicted)
        if len(predicted) and predicted.min() < 0:
            with_none = np.empty(len(self._classes) + 1, dtype=object)
            for i, label in enumerate(self._classes.labels):
                with_none[i] = label
            return with_none[predicted]
        return np.asarray(self._classes.as_array()[predicted])

    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything, announce the classes of ``y`` in sorted order, and learn."""
        fresh = type(self)(**self.get_params())
        fresh._check_parameters()
        labels = check_labels(y)
        return self._replace_by(
            fresh.partial_fit(X, labels, classes=labels if len(labels) else None)
        )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, ``(n, n_classes)``, in the order of ``classes_``."""
        return self._predict_matrix(X, len(self._classes))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely labels, ``(n,)``."""
        winners = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self._classes.as_array()[winners])

    def score(self, X: Any, y: Any) -> float:
        """The share of right predictions on examples that are not learned."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        seconds = np.zeros(2)
        p_true = np.full(len(block), np.nan)
        predicted = np.empty(len(block), dtype=np.int64)
        self._require_engine().interleave_classes(
            block.X, block.y, learned.X, learned.y, predicted, p_true, seconds
        )
        return Outcome(predicted, p_true, float(seconds[0]), float(seconds[1]))

    def _read_outcome(self, y: Any) -> tuple[Any, Classes]:
        label = plain_label(y)
        return label, self._classes.with_labels([label])

    def _learn_many(
        self, X: Any, y: Any, classes: Any, predicted: NDArray[np.int64] | None
    ) -> None:
        features, blocks = self._read_learning(X)
        announced = self._classes
        if classes is not None:
            announced = announced.with_labels(sorted_labels(classes))
        codes, known = encode_labels(y, announced, sum(len(block) for block in blocks))
        if len(codes) == 0 and self._engine is None and classes is None:
            raise no_examples(features)
        if classes is not None and len(known) > len(announced):
            unknown = known.labels[len(announced)]
            raise ValueError(f"y holds the label {unknown!r}, which is not among classes")
        self._check_room(features, known)
        was_frozen = self._adopt(features, announced).frozen
        for rows, block in row_blocks(blocks):
            out = None if predicted is None else predicted[rows]
            self._learn_block(block, codes[rows], known, out)
        if self._require_engine().frozen and not was_frozen:
            warn_that_it_froze(self._parameters, stacklevel=3)

    def _learn_block(
        self,
        X: NDArray[Any],
        codes: NDArray[np.int64],
        known: Classes,
        predicted: NDArray[np.int64] | None,
    ) -> None:
        """Learn one block; stop, plan again and go on where a class comes for the first time."""
        engine, done = self._require_engine(), 0
        while True:
            if predicted is None:
                done += engine.learn_many(X[done:], codes[done:])
            else:
                done += engine.prequential(X[done:], codes[done:], predicted[done:])
            if done == len(codes):
                return
            engine = self._adopt(self._features, Classes(known.labels[: codes[done] + 1]))
            if predicted is not None:
                engine.learn_many(X[done : done + 1], codes[done : done + 1])
                done += 1
