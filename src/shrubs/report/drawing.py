"""Draws figures with matplotlib, for print: on white, with room for the legend below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shrubs.report.critical_difference import Diagram
from shrubs.report.diagram_drawing import draw_diagram
from shrubs.report.figure import Axis, Bands, Figure, Lines, Matrix, Points, Series
from shrubs.report.runs import Run
from shrubs.report.theme import AGES, DASHES
from shrubs.report.units import memory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["SETTINGS", "draw"]

_MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "down": "v",
    "plus": "P",
    "cross": "X",
    "bar": "|",
    "ring": "o",
    "box": "s",
}
_HOLLOW = ("ring", "box")

SETTINGS: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8b929c",
    "axes.labelcolor": "#333a36",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e9ece9",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "pdf.fonttype": 42,  # text stays text
    "svg.fonttype": "path",
    "svg.hashsalt": "shrubs",  # the same input gives the same file
    "text.parse_math": False,  # a name with dollar signs is still a name
}


def draw(figure: Figure | Diagram) -> Canvas:
    """A finished drawing, not yet saved; call it within `matplotlib.rc_context(SETTINGS)`."""
    from matplotlib.figure import Figure as Canvas

    if isinstance(figure, Diagram):
        return draw_diagram(figure)
    size = (4.2, 3.8) if isinstance(figure, Matrix) else (6.8, 3.2)
    canvas = Canvas(figsize=size)
    if isinstance(figure, Lines):
        _draw_lines(canvas.subplots(), figure)
    elif isinstance(figure, Points):
        _draw_points(canvas.subplots(), figure)
    elif isinstance(figure, Matrix):
        _draw_matrix(canvas.subplots(), figure)
    else:
        _draw_bands(canvas, figure)
    return canvas


def _line_style(run: Run) -> Any:
    dashes = tuple(length * 0.6 for length in DASHES[run.dash])
    return (0, dashes) if dashes else "-"


def _look(run: Run) -> dict[str, Any]:
    """Colour and marker, as matplotlib names them."""
    hollow = run.style.marker in _HOLLOW
    return {
        "color": run.style.colour,
        "marker": _MARKERS[run.style.marker],
        "markerfacecolor": "white" if hollow else run.style.colour,
        "markeredgecolor": run.style.colour if hollow or run.style.marker == "bar" else "white",
    }


def _draw_lines(axes: Axes, figure: Lines) -> None:
    n_series = len(figure.series)
    for i, series in enumerate(figure.series):
        every = max(len(series.x) // 8, 1)
        axes.plot(
            series.x,
            [float("nan") if value is None else value for value in series.y],
            linestyle=_line_style(series.run),
            linewidth=1.4,
            markersize=5,
            markevery=(every * i // n_series, every),
            label=series.run.label,
            **_look(series.run),
        )
        _mark_found(axes, series)
    _mark_drifts(axes, figure.known_drifts)
    _dress(axes, figure.x, figure.y)
    axes.set_title(figure.title, loc="left", fontweight="bold", fontsize=10)
    _add_legend(axes)


def _add_legend(axes: Axes) -> None:
    """Below the figure; short names stand six in a row."""
    _, labels = axes.get_legend_handles_labels()
    n_columns = 6 if max(map(len, labels)) <= 6 else 2
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.18), ncols=n_columns, fontsize=8)


def _mark_found(axes: Axes, series: Series) -> None:
    """A triangle on the line wherever its run detected a drift."""
    known = [(x, y) for x, y in zip(series.x, series.y, strict=True) if y is not None]
    if known:
        xs, ys = [x for x, _ in known], [y for _, y in known]
        heights = np.interp(series.found_drifts, xs, ys)
        axes.plot(
            series.found_drifts,
            heights,
            linestyle="",
            marker=7,  # a caret that stands on the line
            markersize=7,
            color=series.run.style.colour,
        )


def _mark_drifts(axes: Axes, positions: Iterable[int]) -> None:
    for position in positions:
        axes.axvline(position, color="#16201b", linewidth=0.9, linestyle=(0, (3, 2)), zorder=1.5)


def _draw_points(axes: Axes, figure: Points) -> None:
    right = max(x for x, _ in figure.values) * 1.5
    for positions in figure.fronts or (figure.front,):
        front = [figure.values[i] for i in positions]
        colour = figure.runs[positions[0]].style.colour if figure.fronts else "#8b929c"
        xs = [max(x, 1) for x, _ in front] + [right]
        ys = [y for _, y in front] + [front[-1][1]]
        label = None if figure.fronts else "front"
        depth = 1.2 if figure.fronts else 0.5
        axes.step(xs, ys, where="post", color=colour, linewidth=1, zorder=depth, label=label)
    unbeaten = {i for positions in figure.fronts for i in positions}
    named: set[str] = set()
    for i, (run, (x, y)) in enumerate(zip(figure.runs, figure.values, strict=True)):
        label = None if run.label in named else run.label
        named.add(run.label)
        pale = bool(figure.fronts) and i not in unbeaten
        axes.plot(
            [max(x, 1)],
            [y],
            linestyle="",
            markersize=5 if figure.fronts else 8,
            alpha=0.3 if pale else 1,
            label=label,
            **_look(run),
        )
    _dress(axes, figure.x, figure.y)
    axes.set_title(figure.title, loc="left", fontweight="bold", fontsize=10)
    _add_legend(axes)


def _dress(axes: Axes, x: Axis, y: Axis) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_xlabel(x.label)
    axes.set_ylabel(y.label)
    for axis, name, lone in ((x, "x", axes.xaxis), (y, "y", axes.yaxis)):
        if axis.log:
            axes.set(**{f"{name}scale": "log"})
            lone.set_major_locator(FixedLocator(_ROUND_BYTES))
            lone.set_minor_locator(NullLocator())
        text = _TICKS.get(axis.unit)
        if text is not None:
            lone.set_major_formatter(text)


_TICKS: dict[str, Callable[[float, Any], str]] = {
    "count": lambda value, position: f"{value:,.0f}",
    "share": lambda value, position: f"{100 * value:.0f} %",
    "bytes": lambda value, position: memory(value).replace(".0 ", " ").replace(".00 ", " "),
}
_ROUND_BYTES = [factor * 1024**power for power in range(4) for factor in (1, 10, 100)]


def _draw_matrix(axes: Axes, figure: Matrix) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    totals = [max(sum(row), 1) for row in figure.counts]
    shares = [[n / total for n in row] for row, total in zip(figure.counts, totals, strict=True)]
    shades = LinearSegmentedColormap.from_list("shades", ["#f2f8f6", "#007668"])
    axes.imshow(shares, cmap=shades, vmin=0, vmax=1)
    n_classes = len(figure.classes)
    if n_classes <= 12:
        for i, row in enumerate(shares):
            for j, share in enumerate(row):
                colour = "white" if share > 0.55 else "#16201b"
                text = f"{100 * share:.0f}"
                axes.text(j, i, text, ha="center", va="center", color=colour, fontsize=8)
    if n_classes <= 30:
        axes.set_xticks(range(n_classes), figure.classes, rotation=45, ha="right")
        axes.set_yticks(range(n_classes), figure.classes)
    axes.set(xlabel="predicted", ylabel="true, percent of its row")
    axes.grid(visible=False)
    axes.set_title(figure.run.label, loc="left", fontweight="bold", fontsize=9)


def _draw_bands(canvas: Canvas, figure: Bands) -> None:
    top, bottom = canvas.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    _draw_blocks(top, figure)
    for axes in (top, bottom):
        _mark_drifts(axes, figure.known_drifts)
    above = [1.04] * len(figure.found_drifts)
    look = {"marker": "v", "color": "#920012", "clip_on": False, "label": "detected drift"}
    top.plot(figure.found_drifts, above, linestyle="", **look)
    top.set(xlim=(0, figure.x[-1]), ylim=(0, 1), ylabel="weight")
    top.yaxis.set_major_formatter(_TICKS["share"])
    top.grid(visible=False)
    edges = [0, *figure.x]
    bottom.stairs(figure.births, edges, fill=True, color="#00926a")
    bottom.stairs([-n for n in figure.deaths], edges, fill=True, color="#8b929c")
    _dress(bottom, Axis("examples", "count"), Axis("born, gone", "number"))
    title = f"{figure.title}: {figure.run.label}"
    top.set_title(title, loc="left", fontweight="bold", fontsize=9, pad=14)
    top.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=7)


def _draw_blocks(axes: Axes, figure: Bands) -> None:
    """One collection of rectangles per shade: thousands of single ones would take a minute."""
    from matplotlib.collections import PolyCollection

    corners: list[list[list[tuple[float, float]]]] = [[] for _ in figure.ages]
    for left, right, members in zip([0, *figure.x], figure.x, figure.members, strict=False):
        low = 0.0
        for age, weight in members:
            high = low + weight
            block: list[tuple[float, float]] = [
                (left, low),
                (right, low),
                (right, high),
                (left, high),
            ]
            corners[_shade(age, figure.ages)].append(block)
            low = high
    for blocks, colour, bound in zip(corners, _shades(len(corners)), figure.ages, strict=True):
        label = f"younger than {bound:,}"
        drawn = PolyCollection(
            blocks, facecolors=colour, edgecolors="white", linewidths=0.08, label=label
        )
        axes.add_collection(drawn)


def _shades(n_ages: int) -> list[str]:
    last = len(AGES) - 1
    return [AGES[round(i * last / max(n_ages - 1, 1))] for i in range(n_ages)]


def _shade(age: int, bounds: Sequence[int]) -> int:
    return next((i for i, bound in enumerate(bounds) if age < bound), len(bounds) - 1)
