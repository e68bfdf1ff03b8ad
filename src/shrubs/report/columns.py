"""The columns of every table: what they show, how it is written, which way is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from shrubs.report.runs import StreamRuns
from shrubs.report.units import decimals, memory, microseconds, percent, significant
from shrubs.results import Record

__all__ = ["ACCURACIES_EXPLAINED", "Column", "columns"]

ACCURACIES_EXPLAINED = (
    "Accuracy is the share of all predictions that were right; mean running accuracy is the mean "
    "over time of the share right so far, which the paper calls test-then-train accuracy."
)


@dataclass(frozen=True)
class Column:
    """One column: ``value`` reads it from a record, ``text`` writes it for people."""

    name: str
    heading: str
    explanation: str
    better: Literal["higher", "lower"]
    value: Callable[[Record], float | None]
    text: Callable[[float], str]


def _metric(name: str) -> Callable[[Record], float | None]:
    return lambda record: record.metrics.get(name)


def _per_example(name: str) -> Callable[[Record], float | None]:
    def value(record: Record) -> float | None:
        seconds = record.metrics.get(name)
        return None if seconds is None or not record.n_examples else seconds / record.n_examples

    return value


_CLASSIFICATION = (
    Column(
        "accuracy",
        "accuracy %",
        "share of all predictions that were right",
        "higher",
        _metric("accuracy"),
        percent,
    ),
    Column(
        "mean_running_accuracy",
        "mean running acc. %",
        "mean over time of the share right so far: the accuracy of the paper's tables",
        "higher",
        _metric("mean_running_accuracy"),
        percent,
    ),
    Column(
        "kappa",
        "kappa",
        "share of the errors avoided that a guess with the same class shares would make",
        "higher",
        _metric("kappa"),
        decimals,
    ),
    Column(
        "kappa_m",
        "kappa-M",
        "share of the errors avoided that the majority class so far would make",
        "higher",
        _metric("kappa_m"),
        decimals,
    ),
    Column(
        "kappa_temporal",
        "kappa-temporal",
        "share of the errors avoided that no-change would make; below 0, no-change is better",
        "higher",
        _metric("kappa_temporal"),
        decimals,
    ),
    Column(
        "macro_f1",
        "macro F1",
        "mean over the classes of the harmonic mean of precision and recall",
        "higher",
        _metric("macro_f1"),
        decimals,
    ),
    Column(
        "log_loss",
        "log loss",
        "mean of -ln(probability given to the true class)",
        "lower",
        _metric("log_loss"),
        decimals,
    ),
)

_REGRESSION = (
    Column("mae", "MAE", "mean absolute error", "lower", _metric("mae"), significant),
    Column("rmse", "RMSE", "root mean squared error", "lower", _metric("rmse"), significant),
    Column("r2", "R²", "share of the variance explained", "higher", _metric("r2"), decimals),
)

_COST = (
    Column(
        "most_memory_bytes",
        "memory",
        "the most memory at any point of the trace, everything counted; 1 KB is 1024 bytes",
        "lower",
        _metric("most_memory_bytes"),
        memory,
    ),
    Column(
        "predict_seconds",
        "predict µs",
        "microseconds per example to predict",
        "lower",
        _per_example("predict_seconds"),
        microseconds,
    ),
    Column(
        "learn_seconds",
        "learn µs",
        "microseconds per example to learn",
        "lower",
        _per_example("learn_seconds"),
        microseconds,
    ),
)


def columns(runs: StreamRuns) -> tuple[Column, ...]:
    """The columns that suit the task."""
    return (*(_CLASSIFICATION if runs.task == "classification" else _REGRESSION), *_COST)
