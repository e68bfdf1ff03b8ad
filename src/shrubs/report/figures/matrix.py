"""The confusion matrix: which classes are taken for which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from shrubs.analysis.runs import StreamRuns
from shrubs.report.figures.plot import INK
from shrubs.report.legend import Entry, Legend
from shrubs.report.units import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

__all__ = ["Matrix", "matrices"]


@dataclass(frozen=True)
class Matrix:
    """Counts by true class (rows) and predicted class (columns)."""

    kind: ClassVar[str] = "matrix"
    title: ClassVar[str] = "Confusion matrix"
    entry: Entry
    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def name(self) -> str:
        """See `Figure`."""
        return f"confusion {self.entry.label}"

    @property
    def alt(self) -> str:
        """See `Figure`."""
        shares = [
            f"{name} {100 * row[i] / max(sum(row), 1):.0f} %"
            for i, (name, row) in enumerate(zip(self.classes, self.counts, strict=True))
        ]
        return f"{self.title} of {self.entry.label}; recognised of each class: {listed(shares, 12)}"

    def payload(self, order: Mapping[str, int]) -> dict[str, Any]:
        """See `Figure`."""
        run = order[self.entry.label]
        return {"run": run, "classes": self.classes, "counts": self.counts}

    def draw(self) -> Canvas:
        """See `Figure`."""
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.figure import Figure as Canvas

        canvas = Canvas(figsize=(4.2, 3.8))
        axes = canvas.subplots()
        totals = [max(sum(row), 1) for row in self.counts]
        shares = [[n / total for n in row] for row, total in zip(self.counts, totals, strict=True)]
        shades = LinearSegmentedColormap.from_list("shades", ["#f2f8f6", "#007668"])
        axes.imshow(shares, cmap=shades, vmin=0, vmax=1)
        n_classes = len(self.classes)
        if n_classes <= 12:
            for i, row in enumerate(shares):
                for j, share in enumerate(row):
                    colour = "white" if share > 0.55 else INK
                    text = f"{100 * share:.0f}"
                    axes.text(j, i, text, ha="center", va="center", color=colour, fontsize=8)
        if n_classes <= 30:
            axes.set_xticks(range(n_classes), self.classes, rotation=45, ha="right")
            axes.set_yticks(range(n_classes), self.classes)
        axes.set(xlabel="predicted", ylabel="true, percent of its row")
        axes.grid(visible=False)
        axes.set_title(self.entry.label, fontsize=9)
        return canvas


def matrices(runs: StreamRuns, legend: Legend) -> list[Matrix]:
    """One matrix per run that counted; empty for a regression."""
    return [
        Matrix(
            legend.entry(run),
            _names(run.record.classes or (), len(run.record.confusion)),
            run.record.confusion,
        )
        for run in runs.runs
        if run.record.confusion
    ]


def _names(classes: tuple[str, ...], n_classes: int) -> tuple[str, ...]:
    """Labels of all classes; those that nobody announced are called by their index."""
    return (*classes, *(f"class {i}" for i in range(len(classes), n_classes)))[:n_classes]
