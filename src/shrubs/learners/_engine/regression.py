"""The front of the learners that learn targets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._engine.ensemble import ShrubEnsemble
from shrubs.learners._engine.frozen import warn_if_frozen
from shrubs.learners._engine.reading import no_examples
from shrubs.learners._engine.sample_weights import SampleWeights
from shrubs.learners._inputs import as_vector, check_lengths, read_input
from shrubs.learners._tables import Everybody, all_or_nothing
from shrubs.messages import shown
from shrubs.protocols import Block, Outcome

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EnsembleRegressor"]


class EnsembleRegressor(ShrubEnsemble):
    """An ensemble of shrubs for regression: shrubs split by variance, leaves predict means."""

    _regression: ClassVar[bool] = True

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn examples in order; the same as ``learn_one`` in a loop.

        Args:
            X: ``(n, n_features)``: array, data frame or sparse matrix; NaN for missing.
            y: ``(n,)`` finite targets.
            sample_weight: ``(n,)`` weights as those of ``learn_one``; None for 1 each. Rows that
                are not learned leave no trace.
        """
        if sample_weight is None:
            self._learn_many(X, y, None)
        else:
            self._learn_weighed(X, as_vector(y, "a regressor"), sample_weight, None)
        return self

    def prequential(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Predict each row before learning it, and return the predictions, ``(n,)``.

        If it is interrupted, by Ctrl-C or any other exception, the exception has those that were
        made as ``predictions``.
        """
        targets = as_vector(y, "a regressor")
        predicted = np.full(len(targets), np.nan)
        try:
            self._learn_many(X, targets, predicted)
        except BaseException as error:
            made = predicted[: np.count_nonzero(~np.isnan(predicted))]
            error.predictions = made  # type: ignore[attr-defined]
            raise
        return predicted

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn.

        ``sample_weight`` is that of `partial_fit`, not all zero.
        """
        fresh = type(self)(**self.get_params())
        if sample_weight is not None:
            n_rows = len(as_vector(y, "a regressor"))
            SampleWeights.of_many(sample_weight, n_rows).check_not_all_zero()
        return self._replace_by(fresh.partial_fit(X, y, sample_weight))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The targets, ``(n,)``."""
        return self._predict_matrix(X)[0][:, 0]

    def score(self, X: Any, y: Any) -> float:
        """R², the share of the variance explained, on examples that are not learned."""
        predicted = self.predict(X)
        targets = _check_targets(y, len(predicted))
        errors = float(np.sum((targets - predicted) ** 2))
        spread = float(np.sum((targets - targets.mean()) ** 2))
        return 1.0 - errors / spread if spread > 0 else float(errors == 0)

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        seconds = np.zeros(2)
        predicted = np.empty(len(block))
        with self._owner as owner:
            self._require_engine(owner)
            targets = _check_targets(learned.y, len(learned))
            for now, X, then, X_learned in self._interleaved(owner, block, learned):
                self._require_engine(owner).interleave_targets(
                    X, X_learned, targets[then], predicted[now], seconds
                )
        unknown = np.full(len(block), np.nan)
        return Outcome(predicted, unknown, float(seconds[0]), float(seconds[1]))

    def _plain_outcome(self, y: Any) -> float:
        return _check_target(y)

    def _add_outcome(self, admission: Everybody, outcome: float) -> NDArray[np.float64]:
        return np.array([outcome])

    def _learn_many(self, X: Any, y: Any, predicted: NDArray[np.float64] | None) -> None:
        with self._owner as owner:
            self._parameters_in_force(owner)
        read = read_input(X)
        with self._owner as owner:
            warn_if_frozen(owner, stacklevel=3)
            admission = self._admission(owner)
            parts = self._parts(owner, read, admission)
            with all_or_nothing(owner.tables):
                first = next(parts)
                rows = self._add_rows(owner, first, admission)
                targets = _check_targets(y, read.n_rows)
                if len(targets) == 0 and owner.engine is None:
                    raise no_examples(len(owner.tables))
                admission.warn(stacklevel=3)
                self._grow(owner, admission)
            learned = (admission, lambda rows: targets[rows])
            for where, block in self._blocks(owner, (first, rows), parts, learned):
                engine = self._require_engine(owner)
                done, end = where.start, where.stop
                while done < end:
                    now = slice(done, end)
                    if predicted is None:
                        done += engine.learn_many(block[done - end :], targets[now])
                    else:
                        done += engine.prequential(
                            block[done - end :], targets[now], predicted[now]
                        )
                    if done < end:
                        warn_if_frozen(owner, stacklevel=3)


def _check_target(y: Any) -> float:
    if isinstance(y, str | bytes):
        raise TypeError(f"y must be a number, got {shown(y)}")
    try:
        target = float(y)
    except OverflowError:
        raise ValueError("y must be finite, got an integer beyond all floats") from None
    except (TypeError, ValueError):
        raise TypeError(f"y must be a number, got {shown(y)}") from None
    if not math.isfinite(target):
        raise ValueError(f"y must be finite, got {shown(y)}")
    return target


def _check_targets(y: Any, n_rows: int) -> NDArray[np.float64]:
    vector = as_vector(y, "a regressor")
    if vector.dtype.kind not in "biuf":
        vector = np.array([_check_target(target) for target in vector], dtype=np.float64)
    targets = np.ascontiguousarray(vector, dtype=np.float64)
    check_lengths(n_rows, len(targets))
    if not np.isfinite(targets).all():
        raise ValueError("y must be finite, but it contains NaN or infinity")
    return targets
