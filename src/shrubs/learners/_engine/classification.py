"""The front of the learners that learn labels."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners._engine.ensemble import ShrubEnsemble
from shrubs.learners._engine.frozen import warn_if_frozen
from shrubs.learners._engine.labels import add_labels, check_labels, sorted_labels
from shrubs.learners._engine.reading import no_examples
from shrubs.learners._inputs import check_lengths, read_input
from shrubs.learners._tables import all_or_nothing, as_array, plain_label
from shrubs.messages import shown
from shrubs.protocols import Block, Outcome, Row

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EnsembleClassifier"]

_NOT_MADE = -2  # a prediction


class EnsembleClassifier(ShrubEnsemble):
    """An ensemble of shrubs for classification."""

    _regression: ClassVar[bool] = False

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the columns of ``predict_proba``.

        That is the order in which they were announced or first seen; ``fit`` announces them
        sorted.
        """
        with self._owner as owner:
            self._require_engine(owner)
            return as_array(owner.tables.labels())

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Probabilities by label for one example; uniform before the first example."""
        found = self._owner.predict_proba_one(x)
        return found or self._predict_plain(x, _core.Owner.predict_proba_one) or {}

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
        ``classes`` announces them. If it is interrupted, by Ctrl-C or any other exception, the
        exception has those that were made as ``predictions``.
        """
        labels = check_labels(y)
        predicted = np.full(len(labels), _NOT_MADE, dtype=np.int64)
        try:
            self._learn_many(X, labels, classes, predicted)
        except BaseException as error:
            made = predicted[: np.count_nonzero(predicted != _NOT_MADE)]
            error.predictions = self._as_labels(made)  # type: ignore[attr-defined]
            raise
        return self._as_labels(predicted)

    def _as_labels(self, predicted: NDArray[np.int64]) -> NDArray[Any]:
        """Labels for class indices; None for -1."""
        with self._owner as owner:
            labels = owner.tables.labels()
        if len(predicted) and predicted.min() < 0:
            labels.append(None)  # the last, at -1
        return np.asarray(as_array(labels)[predicted])

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
        return self._predict_matrix(X)[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely labels, ``(n,)``."""
        probabilities, labels = self._predict_matrix(X)
        return np.asarray(labels[np.argmax(probabilities, axis=1)])

    def score(self, X: Any, y: Any) -> float:
        """The share of right predictions on examples that are not learned."""
        predicted = self.predict(X)
        labels = check_labels(y)
        check_lengths(len(predicted), len(labels))
        return float(np.mean(predicted == labels))

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        seconds = np.zeros(2)
        p_true = np.full(len(block), np.nan)
        predicted = np.empty(len(block), dtype=np.int64)
        with self._owner as owner:
            engine = self._require_engine(owner)
            self._check_blocks(owner, block, learned)
            engine.interleave_classes(
                block.X, block.y, learned.X, learned.y, predicted, p_true, seconds
            )
        return Outcome(predicted, p_true, float(seconds[0]), float(seconds[1]))

    def _plain_outcome(self, y: Any) -> Any:
        return plain_label(y)

    def _add_outcome(self, tables: _core.Tables, outcome: Any) -> NDArray[np.int64]:
        return tables.add_labels([outcome])

    def _learn_many(
        self, X: Any, y: Any, classes: Any, predicted: NDArray[np.int64] | None
    ) -> None:
        with self._owner as owner:
            self._parameters_in_force(owner)
        read, labels = read_input(X), check_labels(y)
        announced = [] if classes is None else sorted_labels(classes)
        with self._owner as owner:
            warn_if_frozen(owner, stacklevel=3)
            tables = owner.tables
            with all_or_nothing(tables):
                rows = self._add_rows(owner, read)
                tables.add_labels(announced)
                before, n_announced = tables.mark(), tables.n_classes
                codes = add_labels(labels, tables, rows.shape[0])
                known = tables.labels()
                if len(codes) == 0 and owner.engine is None and classes is None:
                    raise no_examples(len(tables))
                if classes is not None and len(known) > n_announced:
                    unknown = shown(known[n_announced])
                    raise ValueError(f"y holds the label {unknown}, which is not among classes")
                self._check_room(owner)
                tables.go_back_to(before)
                self._grow(owner)
            for where, block in rows:
                out = None if predicted is None else predicted[where]
                self._learn_block(owner, block, codes[where], known, out)

    def _learn_block(
        self,
        owner: _core.Owner,
        X: NDArray[Any],
        codes: NDArray[np.int64],
        known: list[Hashable],
        predicted: NDArray[np.int64] | None,
    ) -> None:
        """Learn one block; stop, plan again and go on where a class comes for the first time."""
        engine, done = self._require_engine(owner), 0
        while True:
            if predicted is None:
                done += engine.learn_many(X[done:], codes[done:])
            else:
                done += engine.prequential(X[done:], codes[done:], predicted[done:])
            if done == len(codes):
                return
            warn_if_frozen(owner, stacklevel=4)
            if codes[done] >= owner.tables.n_classes:
                with all_or_nothing(owner.tables):
                    owner.tables.add_label(known[codes[done]])
                    engine = self._grow(owner)
                if predicted is not None:
                    engine.learn_many(X[done : done + 1], codes[done : done + 1])
                    done += 1
