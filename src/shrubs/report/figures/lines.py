"""Values over the stream: one line per run, with the drifts that are known and those detected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shrubs.analysis.divergence import loss_limit
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
from shrubs.report.units import count, listed, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["Lines", "Series", "lines"]

# Recent is over the last 1,000 examples, the default of the evaluation.
_ACCURACIES = (
    ("windowed_accuracy", "Recent accuracy", Axis("right among the last 1,000", "share")),
    ("accuracy", "Accuracy so far", Axis("right since the start", "share")),
    ("kappa_temporal", "Kappa-temporal so far", Axis("errors of no-change avoided", "number")),
    ("balanced_accuracy", "Balanced accuracy so far", Axis("right, mean over classes", "share")),
    ("windowed_auc", "Recent area under the ROC curve", Axis("AUC of the last 1,000", "share")),
)
_ERRORS = (
    ("windowed_mae", "Recent error", Axis("mean absolute error of the last 1,000", "number")),
    ("mae", "Error so far", Axis("mean absolute error since the start", "number")),
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
    """Values over the stream; on the page, those of one ``panel`` take turns in one chart.

    ``limits`` are the least and the largest value worth showing, where there are any; ``beyond``
    says in words who goes further. ``drifts`` are marked across the figure.
    """

    kind: ClassVar[str] = "lines"
    name: str
    title: str
    panel: str
    y: Axis
    series: tuple[Series, ...]
    drifts: tuple[int, ...]
    drift_kind: str
    limits: tuple[float | None, float | None] = (None, None)
    beyond: str = ""

    @property
    def alt(self) -> str:
        """See `Figure`."""
        ends = [
            f"{series.entry.label} ends at {self.y.text(known[-1])}"
            for series in self.series
            if (known := [value for value in series.curve.y if value is not None])
        ]
        drifts = f" Drifts at {listed(list(map(count, self.drifts)))}." if self.drifts else ""
        return f"{self.title} over the stream: {listed(ends)}.{drifts}"

    def payload(self, order: Mapping[str, int]) -> dict[str, Any]:
        """See `Figure`."""
        return {
            "panel": self.panel,
            "yAxis": asdict(self.y),
            "drifts": self.drifts,
            "driftKind": self.drift_kind,
            "limits": [rounded(limit) for limit in self.limits],
            "beyond": self.beyond,
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
        mark_drifts(axes, self.drifts)
        low, high = self.limits
        if (low, high) != (None, None):  # an error begins at 0, the others end at 1
            axes.set_ylim(0 if low is None else low, 1 if high is None else high)
        dress(axes, Axis("examples", "count"), self.y)
        axes.set_title(self.title)
        add_legend(axes)
        return canvas


def lines(runs: StreamRuns, legend: Legend, max_points: int = MAX_POINTS) -> list[Lines]:
    """How well each run did along the stream, by several metrics, and its memory."""
    metrics = _ACCURACIES if runs.task == "classification" else _ERRORS
    detected = f"drifts detected from the errors of {runs.watch.label}"
    drift_kind = "known drifts" if runs.known_drifts else detected
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
            drawn = Lines(name, title, panel, axis, series, runs.drifts, drift_kind)
            figures.append(_limited(drawn))
    return figures


def _limited(figure: Lines) -> Lines:
    """With limits, if a run goes so far that nothing else could be seen."""
    if figure.y.unit != "number":
        return figure
    is_error = figure.name not in ("r2", "kappa_temporal")
    largest = {
        series.entry.label: max(value if is_error else 1 - value for value in known)
        for series in figure.series
        if (known := [value for value in series.curve.y if value is not None])
    }
    limit = loss_limit(largest.values(), at_least=0.0 if is_error else 2.0)
    if limit is None:
        return figure
    gone = [
        f"{label} {'rises' if is_error else 'falls'} to "
        f"{significant(loss if is_error else 1 - loss)}"
        for label, loss in largest.items()
        if loss > limit
    ]
    limits = (None, limit) if is_error else (1 - limit, None)
    return replace(figure, limits=limits, beyond=f"beyond the axis: {listed(gone)}")


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
