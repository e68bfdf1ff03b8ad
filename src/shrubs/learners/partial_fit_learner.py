"""Any object with ``partial_fit`` as a learner for streams; scikit-learn is not imported."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._encoding import Encoder
from shrubs.learners._memory import size_of
from shrubs.learners._tables import plain_label
from shrubs.protocols import Block, Outcome, Row, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PartialFitLearner"]


class PartialFitLearner:
    """An estimator with ``partial_fit``, fed one example at a time unless told otherwise.

    One call of ``partial_fit`` costs about a millisecond, most of it checks. With a larger
    ``examples_per_fit`` examples wait until so many are together; that is faster, but the model
    lags behind the stream. Nominal features are one-hot encoded, missing numbers become the mean
    of what was learned before, and labels are given as class indices.

    An estimator cannot grow. A class, feature or category that was not announced makes a new one,
    which begins from nothing.

    Args:
        make: makes the estimator; must be picklable.
        regression: whether to learn targets.
        standardise: divide numbers by their spread, after subtracting the mean.
        examples_per_fit: at least 1.
    """

    def __init__(
        self,
        make: Callable[[], Any],
        *,
        regression: bool = False,
        standardise: bool = True,
        examples_per_fit: int = 1,
    ) -> None:
        if examples_per_fit < 1:
            raise ValueError(f"examples_per_fit must be at least 1, got {examples_per_fit}")
        self.examples_per_fit = examples_per_fit
        self.model = make()
        if not regression and hasattr(self.model, "predict_proba"):
            self.predict_proba_one = self._predict_proba_one
        self._make = make
        self._regression = regression
        self._encoder = Encoder(standardise=standardise)
        self._tables = self._encoder.tables
        self._shape = (0, 0)  # columns and classes of the model
        self._is_fitted = False
        self._waiting_rows = np.empty((0, 0))
        self._waiting_labels: list[Any] = []

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes of a stream."""
        self._encoder.prepare(schema)
        self._tables.add_labels(list(schema.classes or ()))
        self._start_over_if_grown()

    def learn_one(self, x: Row, y: Any) -> Self:
        """Learn one example, together with the others that wait."""
        label: Any = float(y) if self._regression else plain_label(y)
        row = self._encoder.read(x, learn=True)
        scales = self._encoder.now()
        self._encoder.learn(row)
        if not self._regression:
            label = self._tables.add_label(label)
        self._start_over_if_grown()
        self._learn(self._encode(row, scales), [label])
        return self

    def predict_one(self, x: Row) -> Any:
        """The predicted label or target; before the first, any known label or None, or 0."""
        guess = self._predict(self._read(x), None)[0][0].item()
        if self._regression:
            return guess
        return self._tables.labels()[guess] if guess >= 0 else None

    def _predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Probabilities by label."""
        shares = self._shares(self._read(x))[0]
        return dict(zip(self._tables.labels(), shares.tolist(), strict=True))

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        offset = len(block) - len(learned)
        start = time.perf_counter()
        means, spreads = self._encoder.learn(learned.X)
        self._start_over_if_grown()
        to_learn = self._encode(learned.X, (means[:-1], spreads[:-1]))
        n_learned = np.maximum(np.arange(len(block)) - offset, 0)
        to_predict = self._encode(block.X, (means[n_learned], spreads[n_learned]))
        seconds = [0.0, time.perf_counter() - start]
        predicted, p_true = [], []
        at = 0
        while at < len(block):
            # No fit until these rows are predicted.
            n_missing = self.examples_per_fit - len(self._waiting_labels)
            stop = min(max(at, offset) + n_missing, len(block))
            start = time.perf_counter()
            guesses, shares = self._predict(to_predict[at:stop], block.y[at:stop])
            middle = time.perf_counter()
            now = slice(max(at - offset, 0), max(stop - offset, 0))
            self._learn(to_learn[now], learned.y[now].tolist())
            seconds[0] += middle - start
            seconds[1] += time.perf_counter() - middle
            predicted.append(guesses)
            p_true.append(shares)
            at = stop
        return Outcome(np.concatenate(predicted), np.concatenate(p_true), *seconds)

    @property
    def memory_bytes(self) -> int:
        """The estimator as pickled, the examples that wait, the scales and the tables."""
        waiting = size_of(self._waiting_labels)
        model = len(pickle.dumps(self.model, protocol=5))
        own = sys.getsizeof(self) + sys.getsizeof(self.__dict__) + waiting
        return own + model + self._waiting_rows.nbytes + self._encoder.memory_bytes

    def _read(self, x: Row) -> NDArray[np.float64]:
        if not self._encoder.n_columns:
            return np.empty((1, 0))
        return self._encode(self._encoder.read(x, learn=False), self._encoder.now())

    def _encode(self, X: NDArray[Any], scales: Any) -> NDArray[np.float64]:
        return self._encoder.encode(X, scales).astype(np.float64)

    def _learn(self, rows: NDArray[np.float64], labels: list[Any]) -> None:
        self._waiting_rows = np.vstack([self._waiting_rows, rows])
        self._waiting_labels += labels
        if len(self._waiting_labels) < self.examples_per_fit:
            return
        # There is nothing to learn about a single class, and some estimators refuse it.
        if self._regression:
            self.model.partial_fit(self._waiting_rows, np.array(self._waiting_labels))
            self._is_fitted = True
        elif self._tables.n_classes > 1:
            self.model.partial_fit(
                self._waiting_rows,
                np.array(self._waiting_labels),
                classes=np.arange(self._tables.n_classes),
            )
            self._is_fitted = True
        self._waiting_rows = self._waiting_rows[:0]
        self._waiting_labels = []

    def _predict(
        self, rows: NDArray[np.float64], y: NDArray[Any] | None
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Predictions and, where ``y`` is given, the probabilities of the true classes."""
        unknown = np.full(len(rows), np.nan)
        if self._regression:
            guesses = self.model.predict(rows) if self._is_fitted else np.zeros(len(rows))
            return np.asarray(guesses, dtype=np.float64), unknown
        if self._tables.n_classes == 0:
            return np.full(len(rows), -1), unknown
        if hasattr(self, "predict_proba_one"):
            shares = self._shares(rows)
            return shares.argmax(axis=1), unknown if y is None else shares[np.arange(len(y)), y]
        if not self._is_fitted:
            return np.zeros(len(rows), dtype=np.int64), unknown
        return self.model.predict(rows).astype(np.int64), unknown

    def _shares(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities ``(n, n_classes)``; uniform where the estimator has none."""
        n_classes = self._tables.n_classes
        shares = np.full((len(rows), n_classes), np.nan)
        if self._is_fitted:
            # Naive Bayes takes the logarithm of 0 for a class that has not come yet.
            with np.errstate(divide="ignore", invalid="ignore"):
                shares[:] = self.model.predict_proba(rows)
        shares[np.isnan(shares).any(axis=1)] = 1 / max(n_classes, 1)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _start_over_if_grown(self) -> None:
        shape = (self._encoder.n_columns, self._tables.n_classes)
        if shape == self._shape:
            return
        self._shape = shape
        if self._is_fitted:
            self.model = self._make()
            self._is_fitted = False
        wider = np.zeros((len(self._waiting_rows), shape[0]))
        wider[:, : self._waiting_rows.shape[1]] = self._waiting_rows
        self._waiting_rows = wider
