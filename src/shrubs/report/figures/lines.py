"""Values over the stream: one line per run, with the drifts that are known and those detected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shrubs.analysis.runs import StreamRuns
from shrubs.analysis.traces import MAX_POINTS, Curve, curve
from shrubs.report.figures.plot import (
    Axis,
    add_legend,
    dress,
    look,
    mark_drifts,
    rounded,
    stroke,
)
from shrubs.report.legend import Entry, Legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["Lines", "Series", "lines"]

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
_MEMORY = ("memory_bytes", "Memory", Axis("memory", "bytes", log=True))


@dataclass(frozen=True)
class Series:
    """One line, and the drifts found by its run."""

    entry: Entry
    curve: Curve
    found_drifts: tuple[int, ...]


@dataclass(frozen=True)
class Lines:
    """Values over the stream; on the page, those of one ``panel`` take turns in one chart."""

    kind: ClassVar[str] = "lines"
    name: str
    title: str
    panel: str
    y: Axis
    series: tuple[Series, ...]
    known_drifts: tuple[int, ...]

    def payload(self, order: Mapping[str, int]) -> dict[str, Any]:
        """See `Figure`."""
        return {
            "panel": self.panel,
            "yAxis": asdict(self.y),
            "known": self.known_drifts,
            "series": [
                {
                    "run": order[series.entry.label],
                    "x": series.curve.x,
                    "y": [rounded(value) for value in series.curve.y],
                    "found": series.found_drifts,
                }
                for series in self.series
            ],
        }

    def draw(self) -> Canvas:
        """See `Figure`."""
        from matplotlib.figure import Figure as Canvas

        canvas = Canvas(figsize=(6.8, 3.2))
        axes = canvas.subplots()
        for i, series in enumerate(self.series):
            every = max(len(series.curve.x) // 8, 1)
            axes.plot(
                series.curve.x,
                [float("nan") if value is None else value for value in series.curve.y],
                linestyle=stroke(series.entry),
                linewidth=1.4,
                markersize=5,
                markevery=(every * i // len(self.series), every),
                label=series.entry.label,
                **look(series.entry),
            )
            _mark_found(axes, series)
        mark_drifts(axes, self.known_drifts)
        dress(axes, Axis("examples", "count"), self.y)
        axes.set_title(self.title)
        add_legend(axes)
        return canvas


def lines(runs: StreamRuns, legend: Legend, max_points: int = MAX_POINTS) -> list[Lines]:
    """How well each run did along the stream, by several metrics, and its memory."""
    metrics = _ACCURACIES if runs.task == "classification" else _ERRORS
    figures = []
    for metric, title, axis in (*metrics, _MEMORY):
        is_memory = metric == "memory_bytes"
        series = tuple(
            Series(legend.entry(run), traced, () if is_memory else run.record.found_drifts)
            for run in runs.runs
            if (traced := curve(run.record, metric, max_points)) is not None
        )
        if series:
            name, panel = ("memory", "memory") if is_memory else (metric, "accuracy")
            figures.append(Lines(name, title, panel, axis, series, runs.known_drifts))
    return figures


def _mark_found(axes: Axes, series: Series) -> None:
    """A triangle on the line wherever its run detected a drift."""
    known = [(x, y) for x, y in zip(series.curve.x, series.curve.y, strict=True) if y is not None]
    if known:
        axes.plot(
            series.found_drifts,
            np.interp(series.found_drifts, [x for x, _ in known], [y for _, y in known]),
            linestyle="",
            marker=7,  # a caret that stands on the line
            markersize=7,
            color=series.entry.style.colour,
        )
