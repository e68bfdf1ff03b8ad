"""The front of the learners that learn labels."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners._engine.class_weights import check_weights_of
from shrubs.learners._engine.ensemble import ShrubEnsemble
from shrubs.learners._engine.frozen import warn_if_frozen
from shrubs.learners._engine.labels import (
    Labels,
    Predictions,
    check_labels,
    learn_first,
    sorted_labels,
)
from shrubs.learners._engine.reading import no_examples
from shrubs.learners._engine.sample_weights import SampleWeights
from shrubs.learners._inputs import check_lengths, read_input
from shrubs.learners._tables import Everybody, all_or_nothing, as_array, plain_label
from shrubs.messages import shown
from shrubs.protocols import Block, Outcome, Row, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EnsembleClassifier"]

_ROWS_AT_ONCE = 4096


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

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn examples in order; the same as ``learn_one`` in a loop.

        Args:
            X: ``(n, n_features)``: array, data frame or sparse matrix; NaN for missing.
            y: ``(n,)`` labels.
            classes: labels to announce before they occur.
            sample_weight: ``(n,)`` weights as those of ``learn_one``; None for 1 each. Rows that
                are not learned leave no trace.
        """
        if sample_weight is None:
            self._learn_many(X, y, classes, None)
        else:
            self._learn_weighed(X, check_labels(y), sample_weight, classes, None)
        return self

    def prequential(self, X: Any, y: Any, classes: Any = None) -> NDArray[Any]:
        """Predict each row before learning it, and return the predictions, ``(n,)``.

        While no class is known there is nothing to predict: the first prediction is None unless
        ``classes`` announces them. If it is interrupted, by Ctrl-C or any other exception, the
        exception has those that were made as ``predictions``.
        """
        labels = check_labels(y)
        predictions = Predictions(len(labels))
        try:
            self._learn_many(X, labels, classes, predictions)
        except BaseException as error:
            error.predictions = predictions.made()  # type: ignore[attr-defined]
            raise
        return predictions.made()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, announce the classes of ``y`` in sorted order, and learn.

        ``sample_weight`` is that of `partial_fit`, not all zero.
        """
        fresh = type(self)(**self.get_params())
        fresh._check_parameters()
        labels = check_labels(y)
        if sample_weight is not None:
            SampleWeights.of_many(sample_weight, len(labels)).check_not_all_zero()
        return self._replace_by(
            fresh.partial_fit(X, labels, labels if len(labels) else None, sample_weight)
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
            self._require_engine(owner)
            classes = tuple((self._stream and self._stream.classes) or ())
            if owner.tables.n_classes < len(classes):
                return self._interleave_labels(owner, block, learned, classes)
            for now, X, then, X_learned in self._interleaved(owner, block, learned):
                self._require_engine(owner).interleave_classes(
                    X,
                    block.y[now],
                    X_learned,
                    learned.y[then],
                    predicted[now],
                    p_true[now],
                    seconds,
                )
            owner.tables.note_classes(learned.y)
        return Outcome(predicted, p_true, float(seconds[0]), float(seconds[1]))

    def _announce_classes(self, owner: _core.Owner, schema: Schema, admission: Everybody) -> None:
        classes = tuple(schema.classes or ())
        self._check_weights(owner, list(classes), True)
        admission.announce(classes)

    def _interleave_labels(
        self, owner: _core.Owner, block: Block, learned: Block, classes: Sequence[Hashable]
    ) -> Outcome:
        """The same where there is no room for all classes of the stream, so that they change."""
        X, X_learned = self._read_blocks(owner, block, learned)
        of_stream = {label: c for c, label in enumerate(classes)}
        admission, n_early = self._admission(owner), len(block) - len(learned)
        predicted, p_true = np.empty(len(block), dtype=np.int64), np.zeros(len(block))
        seconds, clock = np.zeros(2), time.perf_counter
        for i in range(len(block)):
            start = clock()
            shares = self._require_engine(owner).predict_many(X[i : i + 1])[0]
            predicted[i] = of_stream[owner.tables.label(int(np.argmax(shares)))]
            true = owner.tables.class_of(classes[block.y[i]])
            p_true[i] = 0.0 if true is None else shares[true]
            seconds[0] += clock() - start
            if i >= n_early:
                start, j = clock(), i - n_early
                x, label = X_learned[j : j + 1], classes[learned.y[j]]
                self._learn_label(owner, x, label, admission)
                self._let_idle_go(owner, admission)
                seconds[1] += clock() - start
        return Outcome(predicted, p_true, float(seconds[0]), float(seconds[1]))

    def _check_weights(self, owner: _core.Owner, new: list[Hashable], are_all: bool) -> None:
        """Raise unless the classes that come have weights, and if they are all, no others do."""
        class_weight = self._parameters_in_force(owner).class_weight
        if class_weight is not None:
            check_weights_of(class_weight, [*owner.tables.labels(), *new], are_all=are_all)

    def _plain_outcome(self, y: Any) -> Any:
        return plain_label(y)

    def _is_new(self, tables: _core.Tables, outcome: Any) -> bool:
        return tables.class_of(outcome) is None

    def _note(self, owner: _core.Owner, learned: NDArray[Any], *, is_first: bool) -> None:
        if not is_first:
            owner.tables.note_classes(learned)

    def _add_outcome(self, admission: Everybody, outcome: Any) -> NDArray[np.int64]:
        return np.array([admission.class_of(outcome)])

    def _learn_many(self, X: Any, y: Any, classes: Any, predictions: Predictions | None) -> None:
        with self._owner as owner:
            self._parameters_in_force(owner)
        read, vector = read_input(X), check_labels(y)
        announced = [] if classes is None else sorted_labels(classes)
        with self._owner as owner:
            warn_if_frozen(owner, stacklevel=3)
            tables, admission = owner.tables, self._admission(owner)
            parts = self._parts(owner, read, admission)
            with all_or_nothing(tables):
                first = next(parts)
                rows = self._add_rows(owner, first, admission)
                admission.announce(announced)
                labels = Labels(vector, tables, read.n_rows)
                if len(vector) == 0 and owner.engine is None and classes is None:
                    raise no_examples(len(tables))
                if classes is not None:
                    _check_announced(labels, announced)
                self._check_weights(owner, [*labels.new, *announced], classes is not None)
                admission.check(labels.new, lambda: self._check_room(owner))
                admission.warn(stacklevel=3)
                self._grow(owner, admission)
            if predictions is not None:
                predictions.begin(tables.labels())
            lesson = _Lesson(labels, admission, predictions)
            learned = (admission, lambda rows: labels.classes[labels.index[rows]])
            for where, block in self._blocks(owner, (first, rows), parts, learned):
                for start in range(where.start, where.stop, _ROWS_AT_ONCE):
                    now = slice(start, min(start + _ROWS_AT_ONCE, where.stop))
                    X_now = block[now.start - where.start : now.stop - where.start]
                    self._learn_block(owner, X_now, now, lesson)

    def _learn_block(
        self, owner: _core.Owner, X: NDArray[Any], rows: slice, lesson: _Lesson
    ) -> None:
        """Learn one block; stop, make room and go on where a class comes for the first time."""
        index, done = lesson.labels.index[rows], 0
        while done < len(X):
            warn_if_frozen(owner, stacklevel=4)
            engine = self._require_engine(owner)
            codes = lesson.labels.classes[index]
            n_rows = lesson.admission.rows_until_look()
            now = slice(done, len(X) if n_rows is None else min(done + n_rows, len(X)))
            n_before = engine.examples_seen
            try:
                if lesson.predictions is None:
                    engine.learn_many(X[now], codes[now])
                else:
                    out = lesson.predictions.classes[rows][now]
                    try:
                        engine.prequential(X[now], codes[now], out)
                    finally:
                        lesson.predictions.settle(out)
            finally:  # also of a call that was interrupted
                done += engine.examples_seen - n_before
                owner.tables.note_classes(codes[now.start : done])
            if done < now.stop and codes[done] < 0:
                label = int(index[done])
                x, name = X[done : done + 1], lesson.labels.distinct[label]
                lesson.set_class(label, self._learn_label(owner, x, name, lesson.admission))
                done += 1
            lesson.renumber(self._let_idle_go(owner, lesson.admission))

    def _learn_label(
        self, owner: _core.Owner, x: NDArray[Any], label: Hashable, admission: Everybody
    ) -> int:
        """Learn one row of any label, and return its class; where it has none, room is made."""
        known = owner.tables.class_of(label)
        if known is not None:
            self._require_engine(owner).learn_many(x, np.array([known]))
            owner.tables.note_classes(np.array([known]))
            return known
        with all_or_nothing(owner.tables):
            c = admission.class_of(label)
            admission.warn(stacklevel=5)
            engine = self._grow(owner, admission)
        learn_first(engine, x, np.array([c]))
        return c


@dataclass(frozen=True)
class _Lesson:
    """Labels to learn, who decides about new ones, and where predictions go."""

    labels: Labels
    admission: Everybody
    predictions: Predictions | None

    def set_class(self, label: int, c: int) -> None:
        """A distinct label has this class from now on."""
        self.labels.set_class(label, c)
        if self.predictions is not None:
            self.predictions.set_class(c, self.labels.distinct[label])

    def renumber(self, numbers: Sequence[int] | None) -> None:
        """Classes have other numbers from now on, -1 those that went; None: all as before."""
        if numbers is not None:
            self.labels.renumber(numbers)
            if self.predictions is not None:
                self.predictions.renumber(numbers)


def _check_announced(labels: Labels, announced: Sequence[Hashable]) -> None:
    """Raise for a label that is neither known nor among those announced."""
    allowed = _core.Tables()
    allowed.add_labels(list(announced))
    for label in labels.new:
        if allowed.class_of(label) is None:
            raise ValueError(f"y holds the label {shown(label)}, which is not among classes")
