"""The life of an ensemble: the weights of its shrubs, births, deaths and drifts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from shrubs.analysis.runs import StreamRuns
from shrubs.analysis.traces import MAX_POINTS, Life, life
from shrubs.report.figures.plot import MUTED, Axis, dress, mark_drifts, percent_ticks
from shrubs.report.legend import Entry, Legend
from shrubs.report.theme import AGES
from shrubs.report.units import count, listed, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["Bands", "bands", "life_bands"]


@dataclass(frozen=True)
class Bands:
    """A life drawn as bands; ``ages`` are the upper bounds of the shades."""

    kind: ClassVar[str] = "bands"
    title: ClassVar[str] = "Life of the ensemble"
    entry: Entry
    life: Life
    ages: tuple[int, ...]
    caption: str

    @property
    def name(self) -> str:
        """See `Figure`."""
        return f"life {self.entry.label}"

    @property
    def alt(self) -> str:
        """See `Figure`."""
        n_shrubs = number(len(self.life.members[-1]), "shrub")
        at = f" Drifts at {listed(list(map(count, drifts)))}." if (drifts := self._drifts) else ""
        return (
            f"{self.title}, {self.entry.label}: {n_shrubs} at the end, "
            f"{sum(self.life.births):,} born and {sum(self.life.deaths):,} gone along the "
            f"stream.{at}"
        )

    @property
    def _drifts(self) -> tuple[int, ...]:
        return self.life.known_drifts or self.life.found_drifts

    def payload(self, order: Mapping[str, int]) -> dict[str, Any]:
        """See `Figure`; members as age, weight in thousandths, age, weight, ..."""
        return {
            "run": order[self.entry.label],
            "x": self.life.x,
            "members": [
                [value for age, weight in point for value in (age, round(weight * 1000))]
                for point in self.life.members
            ],
            "ages": self.ages,
            "births": self.life.births,
            "deaths": self.life.deaths,
            "known": self.life.known_drifts,
            "found": self.life.found_drifts,
            "caption": self.caption,
        }

    def draw(self) -> Canvas:
        """See `Figure`."""
        from matplotlib.figure import Figure as Canvas

        life = self.life
        canvas = Canvas(figsize=(6.8, 3.2))
        top, bottom = canvas.subplots(2, 1, sharex=True, height_ratios=(4, 1))
        self._draw_blocks(top)
        for axes in (top, bottom):
            mark_drifts(axes, life.known_drifts)
        above = [1.04] * len(life.found_drifts)
        alarm: dict[str, Any] = {"marker": "v", "color": "#920012", "clip_on": False}
        top.plot(life.found_drifts, above, linestyle="", label="detected drift", **alarm)
        top.set(xlim=(0, life.x[-1]), ylim=(0, 1), ylabel="weight")
        top.yaxis.set_major_formatter(percent_ticks)
        top.grid(visible=False)
        edges = [0, *life.x]
        bottom.stairs(life.births, edges, fill=True, color="#00926a")
        bottom.stairs([-n for n in life.deaths], edges, fill=True, color=MUTED)
        dress(bottom, Axis("examples", "count"), Axis("born, gone", "number"))
        top.set_title(f"{self.title}: {self.entry.label}", fontsize=9, pad=14)
        top.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=7)
        return canvas

    def _draw_blocks(self, axes: Axes) -> None:
        """One collection of rectangles per shade: thousands of single ones would take a minute."""
        from matplotlib.collections import PolyCollection

        x = self.life.x
        corners: list[list[list[tuple[int, float]]]] = [[] for _ in self.ages]
        for left, right, members in zip([0, *x[:-1]], x, self.life.members, strict=True):
            low = 0.0
            for age, weight in members:
                high = low + weight
                block = [(left, low), (right, low), (right, high), (left, high)]
                corners[self._shade(age)].append(block)
                low = high
        look: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.08}
        for i, (blocks, bound) in enumerate(zip(corners, self.ages, strict=True)):
            colour = AGES[round(i * (len(AGES) - 1) / max(len(self.ages) - 1, 1))]
            label = f"younger than {bound:,}"
            axes.add_collection(PolyCollection(blocks, facecolors=colour, label=label, **look))

    def _shade(self, age: int) -> int:
        return next((i for i, bound in enumerate(self.ages) if age < bound), len(self.ages) - 1)


def bands(runs: StreamRuns, legend: Legend, max_points: int = MAX_POINTS) -> list[Bands]:
    """One figure per run with more than one shrub; empty if there is none."""
    return [
        life_bands(legend.entry(run), found)
        for run in runs.runs
        if (found := life(run.record, max_points)) is not None
    ]


def life_bands(entry: Entry, life: Life) -> Bands:
    """The figure of one life."""
    return Bands(entry, life, _age_bounds(life), _caption(life))


def _age_bounds(life: Life) -> tuple[int, ...]:
    """Bounds 1, 2, 5, 10, 20, ... up to the first above the oldest age; at most one per shade."""
    oldest = max((age for point in life.members for age, _ in point), default=0)
    bounds: list[int] = []
    while not bounds or bounds[-1] <= oldest:
        power, digit = divmod(len(bounds), 3)
        bounds.append((1, 2, 5)[digit] * 10**power)
    return tuple(bounds[-len(AGES) :])


def _caption(life: Life) -> str:
    """What the detector found, in a sentence or two."""
    n_known, n_found = len(life.known_drifts), len(life.found_drifts)
    text = number(n_known, "known drift") if n_known else "No known drifts"
    text += f", {n_found or 'none'} detected"
    seen = [count(delay) for delay in life.delays if delay is not None]
    if seen:
        text += f", {listed(seen)} examples after a known one"
    if n_known and n_found > len(seen):
        text += ". A gradual drift is known by its middle and may show before"
    return text + "."
