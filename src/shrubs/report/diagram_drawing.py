"""Draws the critical-difference diagram with matplotlib, for print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shrubs.report.critical_difference import Diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["draw_diagram"]

_INK = "#16201b"
_ROW = 0.42
_BAR = 0.16


def draw_diagram(diagram: Diagram) -> Canvas:
    """A finished drawing; heights are counted downwards from the axis of ranks."""
    from matplotlib.figure import Figure as Canvas

    n = len(diagram.methods)
    first = 0.3 + _BAR * len(diagram.bars)
    depth = first + _ROW * ((n + 1) // 2)
    canvas = Canvas(figsize=(6.8, 0.6 + 0.5 * depth))
    axes = canvas.subplots()
    axes.set(xlim=(1, n), ylim=(depth, -0.6))
    axes.axis("off")
    axes.plot([1, n], [0, 0], color=_INK, linewidth=1, clip_on=False)
    for rank in range(1, n + 1):
        axes.plot([rank, rank], [-0.12, 0], color=_INK, linewidth=1, clip_on=False)
        axes.text(rank, -0.2, str(rank), ha="center", va="bottom", fontsize=8)
    for i in range(n):
        _draw_stem(axes, diagram, i, first)
    for number, (low, high) in enumerate(diagram.bars):
        ends = [diagram.ranks[low] - 0.04, diagram.ranks[high] + 0.04]
        height = 0.18 + _BAR * number
        axes.plot(ends, [height, height], color=_INK, linewidth=3, solid_capstyle="round")
    axes.set_title(diagram.title, loc="left", fontweight="bold", fontsize=10, pad=14)
    return canvas


def _draw_stem(axes: Axes, diagram: Diagram, i: int, first: float) -> None:
    """From the place on the axis down and out to the name, left for the better half."""
    n = len(diagram.methods)
    left = i < (n + 1) // 2
    height = first + _ROW * (i if left else n - 1 - i)
    rank, colour = diagram.ranks[i], diagram.styles[i].colour
    end = 0.85 if left else n + 0.15
    axes.plot([rank, rank, end], [0, height, height], color=colour, linewidth=1, clip_on=False)
    axes.plot([rank], [0], marker="o", markersize=4, color=colour, clip_on=False, zorder=3)
    text = f"{diagram.methods[i]}  {rank:.2f}"
    side = "right" if left else "left"
    axes.text(end + (-0.08 if left else 0.08), height, text, ha=side, va="center", fontsize=8)
