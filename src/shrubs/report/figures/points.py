"""Accuracy or error against memory: a point per run, and the steps of the Pareto fronts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from shrubs.analysis.divergence import loss_limit
from shrubs.analysis.fronts import Front
from shrubs.report.figures.plot import MUTED, Axis, add_legend, dress, look, rounded
from shrubs.report.legend import Entry, Legend
from shrubs.report.units import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["Points", "memory_points", "method_points"]


@dataclass(frozen=True)
class Points:
    """A front with what its runs are called and how they are drawn, in the same order."""

    kind: ClassVar[str] = "points"
    name: ClassVar[str] = "front"
    title: str
    x: Axis
    y: Axis
    front: Front
    entries: tuple[Entry, ...]

    @property
    def limit(self) -> float | None:
        """The largest error worth showing, if one goes far beyond."""
        return None if self.front.better == "higher" else loss_limit(self.front.scores)

    @property
    def alt(self) -> str:
        """See `Figure`."""
        front = self.front
        words = [
            f"{entry.label} {self.y.text(y)} with {self.x.text(x)}"
            for entry, x, y in zip(self.entries, front.sizes, front.scores, strict=True)
        ]
        return f"{self.title}: {listed(words, 12)}."

    def payload(self, order: Mapping[str, int]) -> dict[str, Any]:
        """See `Figure`."""
        front = self.front
        return {
            "xAxis": asdict(self.x),
            "yAxis": asdict(self.y),
            "points": [
                {"run": order[entry.label], "x": max(round(x), 1), "y": rounded(y)}
                for entry, x, y in zip(self.entries, front.sizes, front.scores, strict=True)
            ],
            "limit": rounded(self.limit),
            "fronts": front.fronts,
            "byLearner": front.by_learner,
            "better": front.better,
        }

    def draw(self) -> Canvas:
        """See `Figure`."""
        from matplotlib.figure import Figure as Canvas

        canvas = Canvas(figsize=(6.8, 3.2))
        axes = canvas.subplots()
        self._draw_fronts(axes)
        front = self.front
        unbeaten = {i for positions in front.fronts for i in positions}
        named: set[str] = set()
        for i, (entry, x, y) in enumerate(
            zip(self.entries, front.sizes, front.scores, strict=True)
        ):
            axes.plot(
                [max(x, 1)],
                [y],
                linestyle="",
                markersize=5 if front.by_learner else 8,
                alpha=0.3 if front.by_learner and i not in unbeaten else 1,
                label=None if entry.label in named else entry.label,
                **look(entry),
            )
            named.add(entry.label)
        if self.limit is not None:
            axes.set_ylim(0, self.limit)
        dress(axes, self.x, self.y)
        axes.set_title(self.title)
        add_legend(axes)
        return canvas

    def _draw_fronts(self, axes: Axes) -> None:
        """A learner's own front in its colour, the common one in grey."""
        front = self.front
        right = max(front.sizes) * 1.5
        for positions in front.fronts:
            xs = [max(front.sizes[i], 1) for i in positions] + [right]
            ys = [front.scores[i] for i in positions] + [front.scores[positions[-1]]]
            if front.by_learner:
                own: dict[str, Any] = {
                    "color": self.entries[positions[0]].style.colour,
                    "zorder": 1.2,
                }
            else:
                own = {"color": MUTED, "zorder": 0.5, "label": "front"}
            axes.step(xs, ys, where="post", linewidth=1, **own)


def memory_points(front: Front, legend: Legend) -> Points:
    """How well each run did with how much memory."""
    is_accuracy = front.better == "higher"
    return Points(
        "Accuracy against memory" if is_accuracy else "Error against memory",
        Axis("most memory", "bytes", log=True),
        Axis("accuracy (share right)", "share")
        if is_accuracy
        else Axis("mean absolute error", "number"),
        front,
        tuple(map(legend.entry, front.runs)),
    )


def method_points(front: Front, legend: Legend) -> Points:
    """Every configuration of a study, and the front of each method."""
    return Points(
        "Accuracy against size",
        Axis("mean size", "bytes", log=True),
        Axis("mean running accuracy", "share"),
        front,
        tuple(map(legend.entry, front.runs)),
    )
