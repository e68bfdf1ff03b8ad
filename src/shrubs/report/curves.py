"""Accuracy and memory over the stream."""

from __future__ import annotations

from shrubs.report.figure import Axis, Lines, Series
from shrubs.report.runs import Run, StreamRuns

__all__ = ["accuracy_curves", "kept_positions", "memory_curve"]

MOST_POINTS = 250
"""A longer trace is thinned: more points than pixels cost size and show nothing."""

_EXAMPLES = Axis("examples", "count")

# The recent accuracy is over the last 1,000 examples, the default of the evaluation.
_ACCURACIES = (
    ("windowed_accuracy", "Recent accuracy", Axis("right among the last 1,000", "share")),
    ("accuracy", "Accuracy so far", Axis("right since the start", "share")),
    ("kappa_temporal", "Kappa-temporal so far", Axis("errors of no-change avoided", "number")),
)
_ERRORS = (
    ("mae", "Mean absolute error", Axis("MAE since the start", "number")),
    ("rmse", "Root mean squared error", Axis("RMSE since the start", "number")),
    ("r2", "Variance explained", Axis("R² since the start", "number")),
)


def accuracy_curves(runs: StreamRuns, most_points: int = MOST_POINTS) -> list[Lines]:
    """How well each run did along the stream, by several metrics; empty without traces."""
    metrics = _ACCURACIES if runs.task == "classification" else _ERRORS
    curves = []
    for metric, title, axis in metrics:
        series = _series(runs, metric, most_points)
        if series:
            curves.append(Lines(metric, title, _EXAMPLES, axis, series, runs.known_drifts))
    return curves


def memory_curve(runs: StreamRuns, most_points: int = MOST_POINTS) -> Lines | None:
    """Bytes kept by each run along the stream; None without traces."""
    series = _series(runs, "memory_bytes", most_points, drifts=False)
    if not series:
        return None
    axis = Axis("memory", "bytes", log=True)
    return Lines("memory", "Memory", _EXAMPLES, axis, series, runs.known_drifts)


def kept_positions(n_points: int, most_points: int) -> list[int]:
    """Evenly spread positions of a trace, the last one always among them.

    >>> kept_positions(10, 4)
    [0, 3, 6, 9]
    """
    step = max(-(-n_points // most_points), 1)
    return list(range((n_points - 1) % step, n_points, step)) if n_points else []


def _series(
    runs: StreamRuns, metric: str, most_points: int, *, drifts: bool = True
) -> tuple[Series, ...]:
    drawn = (_one_series(run, metric, most_points, drifts) for run in runs.runs)
    return tuple(series for series in drawn if series is not None)


def _one_series(run: Run, metric: str, most_points: int, drifts: bool) -> Series | None:
    trace = run.record.trace
    positions, values = trace.get("n_examples", []), trace.get(metric, [])
    if not positions or len(values) != len(positions):
        return None
    kept = kept_positions(len(positions), most_points)
    return Series(
        run,
        tuple(positions[i] for i in kept),
        tuple(values[i] for i in kept),
        run.record.found_drifts if drifts else (),
    )
