"""Values along the stream, thinned to what can be seen, and the life of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from shrubs.analysis.drifts import detection_delays
from shrubs.results import Record

__all__ = [
    "MAX_POINTS",
    "Curve",
    "Life",
    "curve",
    "kept_positions",
    "life",
    "life_of",
    "regular_points",
]

MAX_POINTS = 400
"""A longer trace is thinned; that of an evaluation, with its points after drifts, is not."""


@dataclass(frozen=True)
class Curve:
    """Values over positions of the stream; None leaves a gap."""

    x: tuple[int, ...]
    y: tuple[float | None, ...]


@dataclass(frozen=True)
class Life:
    """The weights of an ensemble over the stream.

    ``members`` holds, for every position of ``x``, (age, weight) of each shrub, oldest first.
    ``births`` and ``deaths`` count the shrubs that came and went since the position before.
    ``delays`` says for each known drift after how many examples it was detected; None if it was
    not.
    """

    x: tuple[int, ...]
    members: tuple[tuple[tuple[int, float], ...], ...]
    births: tuple[int, ...]
    deaths: tuple[int, ...]
    known_drifts: tuple[int, ...]
    found_drifts: tuple[int, ...]
    delays: tuple[int | None, ...]


def curve(record: Record, metric: str, max_points: int = MAX_POINTS) -> Curve | None:
    """A metric along the stream; None if it was not traced, or never known."""
    positions, values = record.trace.get("n_examples", []), record.trace.get(metric, [])
    if len(values) != len(positions) or all(value is None for value in values):
        return None
    kept = kept_positions(len(positions), max_points)
    return Curve(tuple(positions[i] for i in kept), tuple(values[i] for i in kept))


def kept_positions(n_points: int, max_points: int) -> list[int]:
    """Evenly spread positions of a trace, the last one always among them.

    >>> kept_positions(10, 4)
    [0, 3, 6, 9]
    """
    step = max(-(-n_points // max_points), 1)
    return list(range((n_points - 1) % step, n_points, step)) if n_points else []


def regular_points(positions: Sequence[int]) -> list[int]:
    """Which points of a trace lie at equal distances: all but those that come closer after a drift.

    >>> regular_points([100, 200, 220, 240, 300, 350])
    [0, 1, 4]
    """
    every = max((b - a for a, b in pairwise([0, *positions])), default=1)
    return [i for i, position in enumerate(positions) if position % every == 0]


def life(record: Record, max_points: int = MAX_POINTS) -> Life | None:
    """The life of an ensemble; None if there was never more than one shrub."""
    positions = record.trace.get("n_examples", [])
    if len(record.shrubs) != len(positions) or all(len(point) < 2 for point in record.shrubs):
        return None
    regular = regular_points(positions)
    kept = [regular[i] for i in kept_positions(len(regular), max_points)]
    if kept[-1:] != [len(positions) - 1]:
        kept.append(len(positions) - 1)
    return life_of(
        [int(positions[i]) for i in kept],
        [record.shrubs[i] for i in kept],
        record.known_drifts,
        record.found_drifts,
    )


def life_of(
    positions: Sequence[int],
    points: Sequence[Sequence[tuple[int, float]]],
    known_drifts: tuple[int, ...],
    found_drifts: tuple[int, ...],
) -> Life:
    """The life of an ensemble with these shrubs, (born, weight) each, at these positions."""
    alive = [{int(born) for born, _ in point} for point in points]
    before = [set[int](), *alive[:-1]]
    return Life(
        x=tuple(positions),
        members=tuple(
            tuple((max(at - int(born), 0), float(weight)) for born, weight in sorted(point))
            for at, point in zip(positions, points, strict=True)
        ),
        births=tuple(len(now - then) for now, then in zip(alive, before, strict=True)),
        deaths=tuple(len(then - now) for now, then in zip(alive, before, strict=True)),
        known_drifts=known_drifts,
        found_drifts=found_drifts,
        delays=tuple(detection_delays(known_drifts, found_drifts)),
    )
