"""The front of the learners that learn targets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._engine.ensemble import ShrubEnsemble
from shrubs.learners._engine.reading import no_examples, row_blocks
from shrubs.learners._inputs import as_vector
from shrubs.learners._tables import Classes
from shrubs.protocols import Block, Outcome

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EnsembleRegressor"]


class EnsembleRegressor(ShrubEnsemble):
    """An ensemble of shrubs for regression: shrubs split by variance, leaves predict means."""

    _regression: ClassVar[bool] = True

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn examples in order; the same as ``learn_one`` in a loop.

        Args:
            X: ``(n, n_features)``: array, data frame or sparse matrix; NaN for missing.
            y: ``(n,)`` finite targets.
        """
        self._learn_many(X, y, None)
        return self

    def prequential(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Predict each row before learning it, and return the predictions, ``(n,)``."""
        self._parameters_in_force()
        targets = as_vector(y, "a regressor")
        predicted = np.empty(len(targets))
        self._learn_many(X, targets, predicted)
        return predicted

    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything and learn."""
        return self._replace_by(type(self)(**self.get_params()).partial_fit(X, y))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The targets, ``(n,)``."""
        return self._predict_matrix(X, 1)[:, 0]

    def score(self, X: Any, y: Any) -> float:
        """R², the share of the variance explained, on examples that are not learned."""
        targets = np.asarray(y, dtype=np.float64)
        errors = float(np.sum((targets - self.predict(X)) ** 2))
        spread = float(np.sum((targets - targets.mean()) ** 2))
        return 1.0 - errors / spread if spread > 0 else float(errors == 0)

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        seconds = np.zeros(2)
        predicted = np.empty(len(block))
        self._require_engine().interleave_targets(block.X, learned.X, learned.y, predicted, seconds)
        unknown = np.full(len(block), np.nan)
        return Outcome(predicted, unknown, float(seconds[0]), float(seconds[1]))

    def _read_outcome(self, y: Any) -> tuple[Any, Classes]:
        return _check_target(y), self._classes

    def _learn_many(self, X: Any, y: Any, predicted: NDArray[np.float64] | None) -> None:
        features, blocks = self._read_learning(X)
        targets = _check_targets(y, sum(len(block) for block in blocks))
        if len(targets) == 0 and self._engine is None:
            raise no_examples(features)
        engine = self._adopt(features, self._classes)
        for rows, block in row_blocks(blocks):
            if predicted is None:
                engine.learn_many(block, targets[rows])
            else:
                engine.prequential(block, targets[rows], predicted[rows])


def _check_target(y: Any) -> float:
    if isinstance(y, str | bytes):
        raise TypeError(f"y must be a number, got {y!r}")
    try:
        target = float(y)
    except OverflowError:
        raise ValueError("y must be finite, got an integer beyond all floats") from None
    except (TypeError, ValueError):
        raise TypeError(f"y must be a number, got {y!r}") from None
    if not math.isfinite(target):
        raise ValueError(f"y must be finite, got {y!r}")
    return target


def _check_targets(y: Any, n_rows: int) -> NDArray[np.float64]:
    vector = as_vector(y, "a regressor")
    if vector.dtype.kind not in "biuf":
        vector = np.array([_check_target(target) for target in vector], dtype=np.float64)
    targets = np.ascontiguousarray(vector, dtype=np.float64)
    if len(targets) != n_rows:
        raise ValueError(
            f"X and y have inconsistent numbers of samples: {n_rows} and {len(targets)}"
        )
    if not np.isfinite(targets).all():
        raise ValueError("y must be finite, but it contains NaN or infinity")
    return targets
