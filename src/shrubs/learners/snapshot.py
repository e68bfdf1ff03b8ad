"""An immutable predictor: the shrubs and weights of a learner at one moment."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners._dates import spread_row
from shrubs.learners._engine.coverage import bound_of, intervals, set_of, sets
from shrubs.learners._engine.reading import as_rows, plain_row, spread_input
from shrubs.learners._inputs import read_input
from shrubs.learners._tables import as_array, check_names, feature_names
from shrubs.protocols import Row

__all__ = ["Snapshot", "predict_each"]


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

    def __init__(self, core: _core.Snapshot | _core.AutoSnapshot, *, regression: bool) -> None:
        self._core = core
        self._labels = None if regression else core.tables.labels()

    def __repr__(self) -> str:
        kind = "regression" if self._labels is None else f"{len(self._labels)} classes"
        return f"Snapshot({self.n_shrubs} shrubs, {kind}, {self.memory_bytes} bytes)"

    @property
    def n_shrubs(self) -> int:
        """The number of shrubs."""
        return int(self._core.n_shrubs)

    @property
    def memory_bytes(self) -> int:
        """Bytes of shrubs, weights and tables."""
        return int(self._core.memory_bytes)

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Probabilities by label for one example."""
        if self._labels is None:
            raise TypeError("a regression has no probabilities; use predict_one")
        return dict(zip(self._labels, self._predict_row(x), strict=True))

    def predict_one(self, x: Row) -> Any:
        """The label or target of one example; None while no class is known."""
        prediction = self._predict_row(x)
        if self._labels is None:
            return prediction
        return self._labels[prediction.index(max(prediction))] if prediction else None

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, ``(n, n_classes)``."""
        if self._labels is None:
            raise TypeError("a regression has no probabilities; use predict")
        return self._predict(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels or targets, ``(n,)``."""
        if self._labels is None:
            return self._predict(X)[:, 0]
        winners = np.argmax(self._predict(X), axis=1)
        return np.asarray(as_array(self._labels)[winners])

    def predict_named(
        self, names: list[str], X: NDArray[np.float64], start: int, stop: int
    ) -> list[Any] | None:
        """Labels or targets of rows ``start`` to ``stop`` of columns that hold numbers, by name.

        What has no column is missing. None if a feature holds categories, or if none has a name.

        Args:
            names: of the columns.
            X: ``(n, len(names))``; single precision holds its numbers.
            start: the first row.
            stop: the row behind the last.
        """
        found = self._core.predict_named(names, X, start, stop)
        if found is None or self._labels is None:
            return found
        return [self._labels[winner] for winner in cast("list[int]", found)]

    def predict_interval_one(self, x: Row, coverage: float = 0.9) -> tuple[float, float]:
        """As `shrubs.ShrubRegressor.predict_interval_one`."""
        bound = self._bound(coverage, regression=True)
        target = float(self._predict_row(x))
        return target - bound, target + bound

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """As `shrubs.ShrubRegressor.predict_interval`, ``(n, 2)``."""
        bound = self._bound(coverage, regression=True)
        return intervals(self.predict(X), bound)

    def predict_set_one(self, x: Row, coverage: float = 0.9) -> set[Hashable]:
        """As `shrubs.ShrubClassifier.predict_set_one`."""
        bound = self._bound(coverage, regression=False)
        return set_of(self.predict_proba_one(x), bound)

    def predict_set(self, X: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
        """As `shrubs.ShrubClassifier.predict_set`, ``(n, n_classes)``."""
        bound = self._bound(coverage, regression=False)
        return sets(self._predict(X), bound)

    def parts(self) -> dict[str, Any]:
        """All that a prediction is made of, as plain data; `shrubs.export` puts it into words."""
        tables = self._core.tables
        closed, ever_new = tables.crowd()[:2]
        return {
            "closed": closed,
            "ever_new": ever_new,
            "names": list(feature_names(tables)),
            "nominal": list(tables.nominal),
            "categories": tables.categories(),
            "labels": self._labels,
            **self._core.parts(),
        }

    def _bound(self, coverage: float, *, regression: bool) -> float:
        if regression != (self._labels is None):
            kinds = ("intervals", "sets")
            has, asked = kinds if self._labels is None else kinds[::-1]
            raise TypeError(f"this snapshot has {has}, not {asked}")
        return bound_of(self._core, coverage)

    def _predict_row(self, x: Row) -> Any:
        prediction = self._core.predict_row(x)
        if prediction is None:
            row = plain_row(x)
            check_names(self._core.tables, row)
            row = spread_row(self._core.tables, row, (), learning=False)
            prediction = self._core.predict_row(row)
        return prediction

    def _predict(self, X: Any) -> NDArray[np.float64]:
        tables = self._core.tables
        read = spread_input(tables, read_input(X), learning=False)
        blocks = [self._core.predict(block) for _, block in as_rows(tables, read, learning=False)]
        width = 1 if self._labels is None else len(self._labels)
        return np.concatenate(blocks) if blocks else np.empty((0, width))


def predict_each(
    snapshots: Sequence[Snapshot], names: list[str], X: NDArray[np.float64], ends: list[int]
) -> list[Any] | None:
    """As `Snapshot.predict_named`, of many: each predicts the rows before its end.

    None also for those of learners with tuning.
    """
    cores = [snapshot._core for snapshot in snapshots]
    auto = [core for core in cores if isinstance(core, _core.AutoSnapshot)]
    if len(auto) < len(cores):
        return None
    return _core.predict_named_each(auto, names, X, ends)
