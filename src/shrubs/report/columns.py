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
    explanation: str
    better: Better
    text: Callable[[float], str]


_CLASSIFICATION = (
    Column(
        "accuracy",
        "accuracy %",
        "share of all predictions that were right",
        "higher",
        percent,
    ),
    Column(
        "mean_running_accuracy",
        "mean running acc. %",
        "mean over time of the share right so far: the accuracy of the paper's tables",
        "higher",
        percent,
    ),
    Column(
        "kappa",
        "kappa",
        "share of the errors avoided that a guess with the same class shares would make",
        "higher",
        decimals,
    ),
    Column(
        "kappa_m",
        "kappa-M",
        "share of the errors avoided that the majority class so far would make",
        "higher",
        decimals,
    ),
    Column(
        "kappa_temporal",
        "kappa-temporal",
        "share of the errors avoided that no-change would make; below 0, no-change is better",
        "higher",
        decimals,
    ),
    Column(
        "macro_f1",
        "macro F1",
        "mean over the classes of the harmonic mean of precision and recall",
        "higher",
        decimals,
    ),
    Column(
        "log_loss",
        "log loss",
        "mean of -ln(probability given to the true class)",
        "lower",
        decimals,
    ),
)

_REGRESSION = (
    Column("mae", "MAE", "mean absolute error", "lower", significant),
    Column("rmse", "RMSE", "root mean squared error", "lower", significant),
    Column("r2", "R²", "share of the variance explained", "higher", decimals),
)

_COST = (
    Column(
        "most_memory_bytes",
        "memory",
        "the most memory at any point of the trace, everything counted; 1 KB is 1024 bytes",
        "lower",
        memory,
    ),
    Column(
        "predict_seconds",
        "predict µs",
        "microseconds per example to predict",
        "lower",
        microseconds,
    ),
    Column(
        "learn_seconds",
        "learn µs",
        "microseconds per example to learn",
        "lower",
        microseconds,
    ),
)


def columns(task: Task) -> tuple[Column, ...]:
    """The columns that suit the task."""
    return (*(_CLASSIFICATION if task == "classification" else _REGRESSION), *_COST)
