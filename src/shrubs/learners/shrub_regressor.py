"""Shrub ensembles for regression."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners._inputs import as_vector
from shrubs.learners._parameters import Auto, MaxFeatures, Splitter
from shrubs.learners._tables import Classes
from shrubs.learners.shrub_ensemble import ShrubEnsemble, row_blocks
from shrubs.learners.snapshot import plain_row
from shrubs.protocols import Row

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ShrubRegressor"]

_NEEDS_PYTHON = 1


class ShrubRegressor(ShrubEnsemble):
    """The shrub ensemble for targets: shrubs split by variance, leaves predict means.

    With all hyperparameters "auto" it needs no tuning (docs/no-tuning.md). Give any of them a
    value, or take `paper`, and it is the algorithm of the paper; those left "auto" then have the
    value in parentheses.

    Args:
        max_shrubs: M, the most shrubs kept, 1 to 65,534 (32).
        window_size: B, the most examples kept, 1 to 65,535 (256).
        step_size: alpha of the gradient step, greater than 0 (0.5).
        loss: "mse".
        max_depth: of a shrub, at least 1; None (so) grows until the leaves are pure.
        max_features: features tried per node: None for all (so), "sqrt", a number or a share.
        splitter: "best" tries every cut, "random" (so) one uniform cut per tried feature.
        min_samples_leaf: examples in every leaf, at least 1 (1).
        steps_per_example: gradient steps per example, at least 1 (1).
        grow_every: a new shrub is considered at every so many examples, 1 to 1,000,000 (1). More
            than 1 is an approximation that saves time; the weights still follow every example.
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB". None is
            1 MB where all is "auto", and otherwise no cap.
        nominal_features: names (or positions) of features that hold codes of categories. Texts
            are always categories.
        target_scaling: measure the step in variances of the window's targets, so that the unit
            of the target does not matter. False is the paper's algorithm, with the gradient as
            the paper prints it.
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> learner = ShrubRegressor()
    >>> for i in range(200):
    ...     _ = learner.learn_one({"a": i % 10}, 3.0 * (i % 10))
    >>> round(learner.predict_one({"a": 7}), 1)
    21.0

    >>> learner = ShrubRegressor(max_shrubs=8, window_size=64)
    >>> for i in range(200):
    ...     _ = learner.learn_one({"a": i % 10}, 3.0 * (i % 10))
    >>> round(learner.predict_one({"a": 7}), 6)
    21.0
    """

    _regression: ClassVar[bool] = True

    def __init__(
        self,
        *,
        max_shrubs: int | Auto = "auto",
        window_size: int | Auto = "auto",
        step_size: float | Auto = "auto",
        loss: Literal["mse"] | Auto = "auto",
        max_depth: int | Auto | None = "auto",
        max_features: MaxFeatures | Auto = "auto",
        splitter: Splitter | Auto = "auto",
        min_samples_leaf: int | Auto = "auto",
        steps_per_example: int | Auto = "auto",
        grow_every: int | Auto = "auto",
        memory_limit: int | str | None = None,
        nominal_features: Sequence[Hashable] | None = None,
        target_scaling: bool = True,
        seed: int | None = 0,
    ) -> None:
        self.max_shrubs = max_shrubs
        self.window_size = window_size
        self.step_size = step_size
        self.loss = loss
        self.max_depth = max_depth
        self.max_features = max_features
        self.splitter = splitter
        self.min_samples_leaf = min_samples_leaf
        self.steps_per_example = steps_per_example
        self.grow_every = grow_every
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.target_scaling = target_scaling
        self.seed = seed
        self._check_parameters(self.get_params())

    # -- one example -----------------------------------------------------------------------------

    def learn_one(self, x: Row, y: float) -> Self:
        """Learn one example: ``x`` by name or position, ``y`` a finite number."""
        core = self._engine
        if core is None or not isinstance(y, float) or core.learn_target_row(x, y):
            self._learn_new(x, _check_target(y))
        return self

    def _learn_new(self, x: Row, target: float) -> None:
        """Learn an example with a feature, category or kind of row not met before."""
        row = plain_row(x, self._features)
        features = self._features_of_row(row)
        _core.check_row(row, features.columns, list(features.categories), features.nominal)
        status = self._adopt(features, Classes()).learn_target_row(row, target)
        assert status != _NEEDS_PYTHON, "the tables know every name and category of the row"

    def predict_one(self, x: Row) -> float:
        """The target of one example; 0 before the first one."""
        if self._engine is None:
            return 0.0
        found = self._engine.predict_target_row(x)
        if found is None:
            found = self._engine.predict_target_row(plain_row(x, self._features))
        return 0.0 if found is None else found

    # -- many examples ---------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn examples in order; the same as ``learn_one`` in a loop.

        Args:
            X: ``(n, n_features)``: array, data frame or sparse matrix; NaN for missing.
            y: ``(n,)`` finite targets.
        """
        self._learn(X, y, None)
        return self

    def prequential(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Predict each row before learning it, and return the predictions, ``(n,)``."""
        targets = as_vector(y, "a regressor")
        predicted = np.empty(len(targets))
        self._learn(X, targets, predicted)
        return predicted

    def _learn(self, X: Any, y: Any, predicted: NDArray[np.float64] | None) -> None:
        features, blocks = self._read_learning(X)
        targets = _check_targets(y, sum(len(block) for block in blocks))
        if len(targets) == 0 and self._engine is None:
            raise ValueError(
                f"Found array with 0 sample(s) (shape=(0, {len(features)})) while a minimum of 1 "
                "is required."
            )
        core = self._adopt(features, Classes())
        for start, block in row_blocks(blocks):
            rows = slice(start, start + len(block))
            if predicted is None:
                core.learn(block, targets[rows])
            else:
                core.prequential(block, targets[rows], predicted[rows])

    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything and learn."""
        fresh = type(self)(**self.get_params()).partial_fit(X, y)
        self._parameters = fresh._parameters
        self._engine, self._features, self._classes = fresh._engine, fresh._features, fresh._classes
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The targets, ``(n,)``."""
        return self._predict_matrix(X, 1)[:, 0]

    def score(self, X: Any, y: Any) -> float:
        """R², the share of the variance explained, on examples that are not learned."""
        targets = np.asarray(y, dtype=np.float64)
        errors = float(np.sum((targets - self.predict(X)) ** 2))
        spread = float(np.sum((targets - targets.mean()) ** 2))
        return 1.0 - errors / spread if spread > 0 else float(errors == 0)


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
