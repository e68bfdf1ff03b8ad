"""The critical-difference diagram: methods along their average rank, bars over what is alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from shrubs.analysis.differences import Differences
from shrubs.report.figures.plot import INK, rounded
from shrubs.report.theme import Style, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["Diagram", "diagram"]

_ROW = 0.42
_BAR = 0.16


@dataclass(frozen=True)
class Diagram:
    """Methods with their ranks, best first, and the bars that join those that are alike.

    A bar is the first and the last position of its methods.
    """

    kind: ClassVar[str] = "diagram"
    name: str
    title: str
    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    styles: tuple[Style, ...]
    bars: tuple[tuple[int, int], ...]
    caption: str

    @property
    def alt(self) -> str:
        """See `Figure`."""
        ranks = (f"{m} {r:.2f}" for m, r in zip(self.methods, self.ranks, strict=True))
        return f"{self.title}, average ranks: {', '.join(ranks)}"

    def payload(self, order: Mapping[str, int]) -> dict[str, Any]:
        """See `Figure`; it has a legend of its own."""
        return {
            "methods": self.methods,
            "ranks": [rounded(rank) for rank in self.ranks],
            "looks": [{"slot": style.slot, "marker": style.marker} for style in self.styles],
            "bars": self.bars,
            "caption": self.caption,
        }

    def draw(self) -> Canvas:
        """See `Figure`; heights are counted downwards from the axis of ranks."""
        from matplotlib.figure import Figure as Canvas

        n = len(self.methods)
        first = 0.3 + _BAR * len(self.bars)
        depth = first + _ROW * ((n + 1) // 2)
        canvas = Canvas(figsize=(6.8, 0.6 + 0.5 * depth))
        axes = canvas.subplots()
        axes.set(xlim=(1, n), ylim=(depth, -0.6))
        axes.axis("off")
        axes.plot([1, n], [0, 0], color=INK, linewidth=1, clip_on=False)
        for rank in range(1, n + 1):
            axes.plot([rank, rank], [-0.12, 0], color=INK, linewidth=1, clip_on=False)
            axes.text(rank, -0.2, str(rank), ha="center", va="bottom", fontsize=8)
        for i in range(n):
            self._draw_stem(axes, i, first)
        for position, (low, high) in enumerate(self.bars):
            ends = [self.ranks[low] - 0.04, self.ranks[high] + 0.04]
            height = 0.18 + _BAR * position
            axes.plot(ends, [height, height], color=INK, linewidth=3, solid_capstyle="round")
        axes.set_title(self.title, pad=14)
        return canvas

    def _draw_stem(self, axes: Axes, i: int, first: float) -> None:
        """From the place on the axis down and out to the name, left for the better half."""
        n = len(self.methods)
        left = i < (n + 1) // 2
        height = first + _ROW * (i if left else n - 1 - i)
        rank, colour = self.ranks[i], self.styles[i].colour
        end = 0.85 if left else n + 0.15
        axes.plot([rank, rank, end], [0, height, height], color=colour, linewidth=1, clip_on=False)
        axes.plot([rank], [0], marker="o", markersize=4, color=colour, clip_on=False, zorder=3)
        text = f"{self.methods[i]}  {rank:.2f}"
        side = "right" if left else "left"
        axes.text(end + (-0.08 if left else 0.08), height, text, ha=side, va="center", fontsize=8)


def diagram(name: str, title: str, found: Differences) -> Diagram:
    """The diagram of a comparison."""
    looks = styles(found.methods)
    place = {method: i for i, method in enumerate(found.methods)}
    return Diagram(
        name,
        title,
        found.methods,
        found.ranks,
        tuple(looks[method] for method in found.methods),
        tuple((place[clique[0]], place[clique[-1]]) for clique in found.cliques),
        _caption(found),
    )


def _caption(found: Differences) -> str:
    p = "below 0.001" if found.friedman_p < 0.001 else f"{found.friedman_p:.3f}"
    text = (
        f"Average rank on {found.n_streams} streams, the best first. Friedman's test: "
        f"chi-squared {found.friedman_statistic:.1f}, p {p}. "
    )
    if not found.p_values:
        return text + "The ranks do not differ by more than chance, so no pairs are tested."
    return text + (
        f"A bar joins neighbours that pairwise Wilcoxon tests with Holm's correction do not tell "
        f"apart at {found.alpha:g}."
    )
