"""Figures as plain data: drawn by the page's script and by matplotlib from the same description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from shrubs.report.runs import Run

__all__ = ["Axis", "Bands", "Figure", "Lines", "Matrix", "Points", "Series"]


@dataclass(frozen=True)
class Axis:
    """What is shown along one direction. A share is in [0, 1] and shown in percent."""

    label: str
    unit: Literal["count", "share", "bytes", "number"]
    log: bool = False


@dataclass(frozen=True)
class Series:
    """One line: its run, its points (None leaves a gap) and the drifts found by its run."""

    run: Run
    x: tuple[int, ...]
    y: tuple[float | None, ...]
    found_drifts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Lines:
    """Values over the stream."""

    name: str
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    known_drifts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Bands:
    """The weights of an ensemble over the stream.

    ``members`` holds, for every position of ``x``, (age, weight) of each shrub, oldest first.
    ``ages`` are the upper bounds of the shades. ``births`` and ``deaths`` count the shrubs that
    came and went since the position before.
    """

    name: str
    title: str
    run: Run
    x: tuple[int, ...]
    members: tuple[tuple[tuple[int, float], ...], ...]
    ages: tuple[int, ...]
    births: tuple[int, ...]
    deaths: tuple[int, ...]
    known_drifts: tuple[int, ...]
    found_drifts: tuple[int, ...]
    caption: str


@dataclass(frozen=True)
class Points:
    """One point (x, y) per run; ``front`` are the positions of those on the Pareto front.

    ``better`` says whether a high or a low y is good. ``fronts``, if given, are the positions on
    the front of each learner, which are drawn in place of the common one.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    runs: tuple[Run, ...]
    values: tuple[tuple[float, float], ...]
    front: tuple[int, ...]
    better: Literal["higher", "lower"]
    fronts: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Matrix:
    """Counts by true class (rows) and predicted class (columns)."""

    name: str
    title: str
    run: Run
    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


Figure: TypeAlias = Lines | Bands | Points | Matrix
