"""Shrub ensembles as River estimators (extra ``shrubs[river]``).

They go into River's pipelines, metrics and ``evaluate.progressive_val_score`` like its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

try:
    from river import base
except ModuleNotFoundError as error:
    message = "shrubs.adapters.river needs River: pip install 'shrubs[river]'"
    raise ModuleNotFoundError(message, name=error.name) from None

from shrubs import learners
from shrubs.learners._engine.classification import EnsembleClassifier
from shrubs.learners._engine.regression import EnsembleRegressor

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PaperShrubClassifier", "PaperShrubRegressor", "ShrubClassifier", "ShrubRegressor"]


class _Classifier(EnsembleClassifier, base.MiniBatchClassifier):  # type: ignore[misc]
    """River's methods for many examples in terms of scikit-learn's."""

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_many(self, X: pd.DataFrame, y: pd.Series[Any]) -> None:
        """Learn the rows of a data frame in order."""
        self.partial_fit(X, y)

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Probabilities by label for each row."""
        import pandas as pd

        if self._engine is None:
            self._check_parameters()
            return pd.DataFrame(index=X.index)
        probabilities, labels = self._predict_matrix(X)
        return pd.DataFrame(probabilities, index=X.index, columns=labels)

    def predict_many(self, X: pd.DataFrame) -> pd.Series[Any]:
        """The most likely label of each row."""
        import pandas as pd

        if self._engine is None:
            self._check_parameters()
            return pd.Series(dtype=object)
        return pd.Series(self.predict(X), index=X.index)


class _Regressor(EnsembleRegressor, base.MiniBatchRegressor):  # type: ignore[misc]
    """River's methods for many examples in terms of scikit-learn's."""

    def learn_many(self, X: pd.DataFrame, y: pd.Series[Any]) -> None:
        """Learn the rows of a data frame in order."""
        self.partial_fit(X, y)

    def predict_many(self, X: pd.DataFrame) -> pd.Series[Any]:
        """The target of each row."""
        import pandas as pd

        if self._engine is None:
            self._check_parameters()
            return pd.Series(0.0, index=X.index)
        return pd.Series(self.predict(X), index=X.index)


class ShrubClassifier(learners.ShrubClassifier, _Classifier):  # type: ignore[misc]
    """`shrubs.ShrubClassifier` as a River classifier; the same parameters."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"memory_limit": "32KB"}


class ShrubRegressor(learners.ShrubRegressor, _Regressor):  # type: ignore[misc]
    """`shrubs.ShrubRegressor` as a River regressor; the same parameters."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"memory_limit": "32KB"}


class PaperShrubClassifier(learners.PaperShrubClassifier, _Classifier):  # type: ignore[misc]
    """`shrubs.PaperShrubClassifier` as a River classifier; the same parameters.

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> model = preprocessing.StandardScaler() | PaperShrubClassifier(max_shrubs=8, window_size=64)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.75%
    """

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"max_shrubs": 8, "window_size": 32}


class PaperShrubRegressor(learners.PaperShrubRegressor, _Regressor):  # type: ignore[misc]
    """`shrubs.PaperShrubRegressor` as a River regressor; the same parameters."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"max_shrubs": 8, "window_size": 32}
