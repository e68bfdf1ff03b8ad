"""What the kinds of figures share: axes, and matplotlib's settings for print on white."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shrubs.report.legend import Entry
from shrubs.report.theme import DASHES, MARKERS
from shrubs.report.units import count, memory, percent, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["INK", "MUTED", "SETTINGS", "Axis", "add_legend", "dress", "look", "mark_drifts",
           "percent_ticks", "rounded", "stroke"]  # fmt: skip

INK, MUTED = "#16201b", "#8b929c"

SETTINGS: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": "#333a36",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlesize": 10,
    "grid.color": "#e9ece9",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "pdf.fonttype": 42,  # text stays text
    "svg.fonttype": "path",
    "svg.hashsalt": "shrubs",  # the same input gives the same file
    "text.parse_math": False,  # a name with dollar signs is still a name
}

_MARKERS = dict(zip(MARKERS, "os^DvPX|os", strict=True))


@dataclass(frozen=True)
class Axis:
    """What is shown along one direction. A share is in [0, 1] and shown in percent."""

    label: str
    unit: Literal["count", "share", "bytes", "number"]
    log: bool = False

    def text(self, value: float) -> str:
        """A value as people read it."""
        return _TEXTS[self.unit](value)


def rounded(value: float | None) -> float | None:
    """As many digits as can be seen on the page."""
    return None if value is None else float(f"{value:.5g}")


def look(entry: Entry) -> dict[str, Any]:
    """Colour and marker, as matplotlib names them."""
    marker, colour = entry.style.marker, entry.style.colour
    hollow = marker in ("ring", "box")
    return {
        "color": colour,
        "marker": _MARKERS[marker],
        "markerfacecolor": "white" if hollow else colour,
        "markeredgecolor": colour if hollow or marker == "bar" else "white",
    }


def stroke(entry: Entry) -> Any:
    """Solid or dashed, as matplotlib writes it."""
    dashes = tuple(length * 0.6 for length in DASHES[entry.dash])
    return (0, dashes) if dashes else "-"


def dress(axes: Axes, x: Axis, y: Axis) -> None:
    """Label both axes, with ticks that suit their units."""
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set(xlabel=x.label, ylabel=y.label)
    for axis, name, drawn in ((x, "x", axes.xaxis), (y, "y", axes.yaxis)):
        if axis.log:
            axes.set(**{f"{name}scale": "log"})
            drawn.set_major_locator(FixedLocator(_ROUND_BYTES))
            drawn.set_minor_locator(NullLocator())
        if axis.unit in _TICKS:
            drawn.set_major_formatter(_TICKS[axis.unit])


def percent_ticks(value: float, position: Any) -> str:
    """A share at a tick."""
    return f"{100 * value:.0f} %"


_TEXTS: dict[str, Callable[[float], str]] = {
    "count": count,
    "share": lambda value: f"{percent(value)} %",
    "bytes": memory,
    "number": significant,
}
_TICKS: dict[str, Callable[[float, Any], str]] = {
    "count": lambda value, position: f"{value:,.0f}",
    "share": percent_ticks,
    "bytes": lambda value, position: memory(value).replace(".0 ", " ").replace(".00 ", " "),
}
_ROUND_BYTES = [factor * 1024**power for power in range(4) for factor in (1, 10, 100)]


def add_legend(axes: Axes) -> None:
    """Below the figure; short names stand six in a row."""
    _, labels = axes.get_legend_handles_labels()
    n_columns = 6 if max(map(len, labels)) <= 6 else 2
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.18), ncols=n_columns, fontsize=8)


def mark_drifts(axes: Axes, positions: Iterable[int]) -> None:
    """A dashed line at every known drift."""
    for position in positions:
        axes.axvline(position, color=INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1.5)
