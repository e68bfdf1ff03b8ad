"""The kinds of figures, one per file: plain data, drawn by the page's script and by matplotlib.

A new kind is a file here, a line in `KINDS`, and its drawing in ``page/figures`` with a line in
``page/kinds.js``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from shrubs.report.figures.bands import Bands, bands
from shrubs.report.figures.diagram import Diagram, diagram
from shrubs.report.figures.lines import Lines, lines
from shrubs.report.figures.matrix import Matrix, matrices
from shrubs.report.figures.points import Points, memory_points, method_points

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

__all__ = [
    "KINDS",
    "Figure",
    "bands",
    "diagram",
    "lines",
    "matrices",
    "memory_points",
    "method_points",
]


class Figure(Protocol):
    """What every kind of figure has."""

    kind: ClassVar[str]

    @property
    def name(self) -> str:
        """What its file is called, after the stream."""

    @property
    def title(self) -> str:
        """What the reader sees above it."""

    @property
    def alt(self) -> str:
        """What there is to see, for those who do not."""

    def payload(self, order: Mapping[str, int]) -> dict[str, Any]:
        """The data that the page's script draws; ``order`` is the place of labels in the legend."""

    def draw(self) -> Canvas:
        """A finished drawing for print, not yet saved."""


KINDS: tuple[type[Figure], ...] = (Lines, Points, Matrix, Bands, Diagram)
