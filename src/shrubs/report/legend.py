"""What runs are called in figures, and how they are drawn: the same in all figures of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shrubs.analysis.runs import Run
from shrubs.report.theme import DASHES, Style, styles

__all__ = ["Entry", "Legend"]


@dataclass(frozen=True)
class Entry:
    """A run in the legend; ``dash`` is a position in `DASHES`."""

    label: str
    learner: str
    detail: str
    style: Style
    dash: int


@dataclass(frozen=True)
class Legend:
    """The look of every learner; ``dashes`` tells apart those that share a colour."""

    styles: Mapping[str, Style]
    dashes: Mapping[str, int]

    @classmethod
    def of(cls, learners: Iterable[str]) -> Legend:
        """Of learners that share a colour, and of their configurations, the first is solid."""
        names = list(dict.fromkeys(learners))
        looks = styles(names)
        slots = [looks[name].slot for name in names]
        return cls(looks, {name: slots[:i].count(slots[i]) for i, name in enumerate(names)})

    def entry(self, run: Run) -> Entry:
        """How a run is drawn."""
        dash = (self.dashes[run.learner] + run.variant) % len(DASHES)
        return Entry(run.label, run.learner, run.detail, self.styles[run.learner], dash)
