"""The columns of the results of a stream: what they show, how it is written, which is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shrubs.analysis.runs import Task
from shrubs.analysis.scores import Better
from shrubs.report.units import decimals, memory, microseconds, percent, significant

__all__ = ["ACCURACIES_EXPLAINED", "Column", "columns"]

ACCURACIES_EXPLAINED = (
    "Accuracy is the share of all predictions that were right; mean running accuracy is the mean "
    "over time of the share right so far, which the paper calls test-then-train accuracy."
)


@dataclass(frozen=True)
class Column:
    """One column: the name of its metric, and how ``text`` writes it for people."""

    name: str
    heading: str
    better: Better
    text: Callable[[float], str]
    explanation: str


# fmt: off
_CLASSIFICATION = (
    Column("accuracy", "accuracy %", "higher", percent,
           "share of all predictions that were right"),
    Column("mean_running_accuracy", "mean running acc. %", "higher", percent,
           "mean over time of the share right so far: the accuracy of the paper's tables"),
    Column("balanced_accuracy", "balanced acc. %", "higher", percent,
           "mean over the classes of the share of their examples that was right"),
    Column("kappa", "kappa", "higher", decimals,
           "share of the errors avoided that a guess with the same class shares would make"),
    Column("kappa_m", "kappa-M", "higher", decimals,
           "share of the errors avoided that the majority class so far would make"),
    Column("kappa_temporal", "kappa-temporal", "higher", decimals,
           "share of the errors avoided that no-change would make; below 0, no-change is better"),
    Column("macro_f1", "macro F1", "higher", decimals,
           "mean over the classes of the harmonic mean of precision and recall"),
    Column("auc", "AUC", "higher", decimals,
           "area under the ROC curve, mean over windows of 1,000 examples; two classes only"),
    Column("log_loss", "log loss", "lower", decimals,
           "mean of -ln(probability given to the true class)"),
)
_REGRESSION = (
    Column("mae", "MAE", "lower", significant, "mean absolute error"),
    Column("rmse", "RMSE", "lower", significant, "root mean squared error"),
    Column("r2", "R²", "higher", decimals, "share of the variance explained"),
)
_COST = (
    Column("max_memory_bytes", "memory", "lower", memory,
           "the most memory at any point of the trace, everything counted; 1 KB is 1024 bytes"),
    Column("predict_seconds", "predict µs", "lower", microseconds,
           "microseconds per example to predict"),
    Column("learn_seconds", "learn µs", "lower", microseconds,
           "microseconds per example to learn"),
)
# fmt: on


def columns(task: Task) -> tuple[Column, ...]:
    """The columns that suit the task."""
    return (*(_CLASSIFICATION if task == "classification" else _REGRESSION), *_COST)
