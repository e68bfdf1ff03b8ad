"""Running metrics, updated block by block.

Accuracy is in [0, 1]. ``accuracy`` is the share of right predictions; ``mean_running_accuracy`` is
the mean over time of that share, which is what the paper's tables show; ``balanced_accuracy`` is
the mean over the classes of the share of their examples that was right. ``auc`` is the mean over
windows of the area under the ROC curve, for two classes. Where examples have weights, one of weight
2 counts as two.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassificationMetrics", "RegressionMetrics"]

_SMALLEST_PROBABILITY = 1e-15


class ClassificationMetrics:
    """Accuracy and its relatives, from predicted and true class indices.

    Args:
        n_classes: the number of classes; more may come.
        window_size: examples of ``windowed_accuracy`` and ``windowed_auc``.

    >>> metrics = ClassificationMetrics(2)
    >>> metrics.update(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), np.full(4, 0.5))
    array([ True,  True, False,  True])
    >>> metrics.values()["accuracy"], metrics.values()["mean_running_accuracy"]
    (0.75, 0.8541666666666666)
    """

    def __init__(self, n_classes: int, *, window_size: int = 1000) -> None:
        self.n_examples = 0
        self._weight = 0.0
        self._confusion = np.zeros((n_classes, n_classes))
        self._n_right = 0.0
        self._sum_running = 0.0
        self._recent = np.zeros(window_size, dtype=bool)
        self._recent_weights = np.zeros(window_size)
        self._recent_y = np.zeros(window_size, dtype=np.int64)
        self._recent_p = np.zeros(window_size)
        self._sum_auc = 0.0
        self._n_auc = 0
        self._n_no_change_right = 0.0
        self._n_majority_right = 0.0
        self._counts = np.zeros(n_classes)
        self._last = -1  # no label yet
        self._log_loss = 0.0
        self._log_loss_known = True

    def update(
        self,
        y: NDArray[Any],
        predicted: NDArray[Any],
        p_true: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.bool_]:
        """Take in a block, ``(n,)`` each; returns which predictions were right.

        A prediction of -1 is none, and wrong. NaN in ``p_true`` makes the log loss unknown.
        """
        if len(y) == 0:
            return np.empty(0, dtype=bool)
        weights = np.ones(len(y)) if weights is None else weights
        self._make_room(int(max(y.max(), predicted.max())) + 1)
        right = y == predicted
        self._update_auc(y, p_true, weights)
        self._update_accuracy(right, weights)
        self._update_baselines(y, weights)
        made = predicted >= 0
        n_classes = len(self._counts)
        cell = y[made] * n_classes + predicted[made]
        cells = np.bincount(cell, weights[made], minlength=n_classes**2)
        self._confusion += cells.reshape(n_classes, n_classes)
        self._log_loss_known = self._log_loss_known and not np.isnan(p_true).any()
        losses = weights * np.log(np.maximum(p_true, _SMALLEST_PROBABILITY))
        self._log_loss -= float(losses.sum())
        return np.asarray(right)

    def _make_room(self, n_classes: int) -> None:
        missing = n_classes - len(self._counts)
        if missing > 0:
            self._confusion = np.pad(self._confusion, ((0, missing), (0, missing)))
            self._counts = np.pad(self._counts, (0, missing))

    def _update_accuracy(self, right: NDArray[np.bool_], weights: NDArray[np.float64]) -> None:
        n_right = self._n_right + np.cumsum(weights * right)
        totals = self._weight + np.cumsum(weights)
        running = np.divide(n_right, totals, out=np.zeros(len(right)), where=totals > 0)
        self._sum_running += float((weights * running).sum())
        size = len(self._recent)
        latest = right[-size:]
        self._recent[(self.n_examples + np.arange(len(right)))[-len(latest) :] % size] = latest
        self._n_right, self._weight = float(n_right[-1]), float(totals[-1])
        self.n_examples += len(right)

    def _update_auc(
        self, y: NDArray[Any], p_true: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> None:
        """Fill the window; whenever it is all new, its area counts."""
        size, done = len(self._recent_y), 0
        while done < len(y):
            at = (self.n_examples + done) % size
            n = min(size - at, len(y) - done)
            self._recent_y[at : at + n] = y[done : done + n]
            self._recent_p[at : at + n] = p_true[done : done + n]
            self._recent_weights[at : at + n] = weights[done : done + n]
            done += n
            area = self._area(size) if at + n == size else None
            if area is not None:
                self._sum_auc += area
                self._n_auc += 1

    def _area(self, n: int) -> float | None:
        return _area(self._recent_y[:n], self._recent_p[:n], self._recent_weights[:n])

    def _update_baselines(self, y: NDArray[Any], weights: NDArray[np.float64]) -> None:
        """What the last label and the most frequent class so far would have got right."""
        before = np.concatenate([[self._last], y[:-1]])
        self._n_no_change_right += float(weights[before == y].sum())
        self._last = int(y[-1])
        one_hot = np.zeros((len(y) + 1, len(self._counts)))
        one_hot[0] = self._counts
        one_hot[np.arange(1, len(y) + 1), y] = weights
        counts = np.cumsum(one_hot, axis=0)
        self._n_majority_right += float(weights[counts[:-1].argmax(axis=1) == y].sum())
        self._counts = counts[-1]

    def is_consistent(self) -> bool:
        """Whether all counts are of the same classes, and the window holds what it should."""
        n = len(self._counts)
        windows = (self._recent, self._recent_y, self._recent_p, self._recent_weights)
        sizes = {len(window) for window in windows}
        return self._confusion.shape == (n, n) and len(sizes) == 1 and min(sizes) > 0

    @property
    def accuracy(self) -> float:
        """The share of right predictions."""
        return self._n_right / (self._weight or 1.0)

    @property
    def windowed_accuracy(self) -> float:
        """The share of right predictions among the last examples."""
        n = min(self.n_examples, len(self._recent))
        weights = self._recent_weights[:n]
        return float(weights @ self._recent[:n] / (weights.sum() or 1.0))

    @property
    def windowed_auc(self) -> float | None:
        """The area under the ROC curve of the last examples.

        None unless they are of two classes, 0 and 1, with known probabilities.
        """
        n = min(self.n_examples, len(self._recent))
        return self._area(n)

    @property
    def confusion(self) -> NDArray[Any]:
        """Counts by true class (rows) and predicted class (columns), or sums of weights."""
        counts = self._confusion.astype(np.int64)
        return counts if (counts == self._confusion).all() else np.array(self._confusion)

    def values(self) -> dict[str, float | None]:
        """All metrics by name."""
        n = self._weight or 1.0
        shares = self._confusion.sum(axis=1) / n, self._confusion.sum(axis=0) / n
        windowed_auc = self.windowed_auc if len(self._counts) == 2 else None
        return {
            "accuracy": self.accuracy,
            "balanced_accuracy": self._balanced_accuracy(),
            "mean_running_accuracy": self._sum_running / n,
            "windowed_accuracy": self.windowed_accuracy,
            "kappa": _beyond(self.accuracy, float(shares[0] @ shares[1])),
            "kappa_m": _beyond(self.accuracy, self._n_majority_right / n),
            "kappa_temporal": _beyond(self.accuracy, self._n_no_change_right / n),
            "macro_f1": self._macro_f1(),
            "auc": self._sum_auc / self._n_auc if self._n_auc else windowed_auc,
            "windowed_auc": windowed_auc,
            "log_loss": self._log_loss / n if self._log_loss_known else None,
        }

    def _balanced_accuracy(self) -> float:
        present = self._counts > 0
        right = np.diag(self._confusion)[present]
        return float((right / self._counts[present]).mean()) if present.any() else 0.0

    def _macro_f1(self) -> float:
        right = np.diag(self._confusion)
        seen = self._counts + self._confusion.sum(axis=0)
        present = seen > 0
        return float((2 * right[present] / seen[present]).mean()) if present.any() else 0.0


def _area(
    y: NDArray[np.int64], p_true: NDArray[np.float64], weights: NDArray[np.float64]
) -> float | None:
    """How often an example of class 1 is given more of it than one of class 0; ties count half."""
    is_one, is_zero = y == 1, y == 0
    if not (is_one | is_zero).all() or np.isnan(p_true).any():
        return None
    zeros = 1 - p_true[is_zero]
    order = np.argsort(zeros)
    up_to = np.concatenate([[0.0], np.cumsum(weights[is_zero][order])])
    ones, of_ones = p_true[is_one], weights[is_one]
    below = sum(up_to[np.searchsorted(zeros[order], ones, side)] for side in ("left", "right"))
    pairs = of_ones.sum() * up_to[-1]
    return float(of_ones @ below / (2 * pairs)) if pairs > 0 else None


def _beyond(accuracy: float, baseline: float) -> float:
    """The share of the baseline's errors that is avoided."""
    return (accuracy - baseline) / (1 - baseline) if baseline < 1 else 0.0


class RegressionMetrics:
    """Mean absolute error, root mean squared error and R² of predicted targets.

    Args:
        window_size: examples of ``windowed_mae``.

    >>> metrics = RegressionMetrics()
    >>> _ = metrics.update(np.array([1.0, 3.0]), np.array([1.0, 1.0]), np.full(2, np.nan))
    >>> metrics.values()
    {'mae': 1.0, 'windowed_mae': 1.0, 'rmse': 1.4142135623730951, 'r2': -1.0}
    """

    def __init__(self, *, window_size: int = 1000) -> None:
        self.n_examples = 0
        self._weight = 0.0
        self._recent = np.zeros(window_size)
        self._recent_weights = np.zeros(window_size)
        self._absolute = 0.0
        self._squared = 0.0
        self._mean = 0.0
        self._spread = 0.0

    def update(
        self,
        y: NDArray[Any],
        predicted: NDArray[Any],
        p_true: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Take in a block, ``(n,)`` each; returns the absolute errors."""
        errors = np.abs(np.asarray(y - predicted, dtype=np.float64))
        if len(y) == 0:
            return np.asarray(errors)
        weights = np.ones(len(y)) if weights is None else weights
        self._update_sums(y, errors, weights)
        size = len(self._recent)
        places = (self.n_examples + np.arange(len(y)))[-size:] % size
        self._recent[places], self._recent_weights[places] = errors[-size:], weights[-size:]
        self.n_examples += len(y)
        return np.asarray(errors)

    def _update_sums(
        self, y: NDArray[Any], errors: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> None:
        """Means and spreads of two parts, put together (Chan, Golub and LeVeque, 1979)."""
        n = float(weights.sum())
        total = self._weight + n
        if n == 0:
            return
        with np.errstate(over="ignore", invalid="ignore"):  # then they are not known
            self._absolute += float((weights * errors).sum())
            self._squared += float((weights * errors**2).sum())
            mean = float((weights * y).sum()) / n
            difference = mean - self._mean
            self._spread += float((weights * (y - mean) ** 2).sum())
        self._spread += difference * difference * self._weight * n / total
        self._mean += difference * n / total
        self._weight = total

    def is_consistent(self) -> bool:
        """Whether the window holds what it should."""
        return len(self._recent) == len(self._recent_weights) > 0

    @property
    def windowed_mae(self) -> float:
        """The mean absolute error of the last examples."""
        n = min(self.n_examples, len(self._recent))
        weights = self._recent_weights[:n]
        with np.errstate(over="ignore", invalid="ignore"):
            return float((weights * self._recent[:n]).sum() / (weights.sum() or 1.0))

    def values(self) -> dict[str, float | None]:
        """All metrics by name; None for what is not known, or too large for a number."""
        n = self._weight or 1.0
        values = {
            "mae": self._absolute / n,
            "windowed_mae": self.windowed_mae,
            "rmse": math.sqrt(self._squared / n),
            "r2": 1 - self._squared / self._spread if self._spread > 0 else math.nan,
        }
        return {name: v if math.isfinite(v) else None for name, v in values.items()}
