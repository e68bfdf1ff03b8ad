"""The life of an ensemble: the weights of its shrubs, births, deaths and drifts."""

from __future__ import annotations

from shrubs.analysis.drifts import detection_delays
from shrubs.report.curves import MOST_POINTS, kept_positions
from shrubs.report.figure import Bands
from shrubs.report.runs import Run, StreamRuns
from shrubs.report.theme import AGES
from shrubs.report.units import count
from shrubs.results import Record

__all__ = ["ensemble_lives"]


def ensemble_lives(runs: StreamRuns, most_points: int = MOST_POINTS) -> list[Bands]:
    """One figure per run with more than one shrub; empty if there is none."""
    return [_life(run, most_points) for run in runs.runs if _is_ensemble(run.record)]


def _is_ensemble(record: Record) -> bool:
    positions = record.trace.get("n_examples", [])
    return len(record.shrubs) == len(positions) and any(len(point) > 1 for point in record.shrubs)


def _life(run: Run, most_points: int) -> Bands:
    record = run.record
    kept = kept_positions(len(record.shrubs), most_points)
    x = tuple(int(record.trace["n_examples"][i]) for i in kept)
    points = [record.shrubs[i] for i in kept]
    members = tuple(
        tuple((max(at - int(born), 0), float(weight)) for born, weight in sorted(point))
        for at, point in zip(x, points, strict=True)
    )
    alive = [{int(born) for born, _ in point} for point in points]
    before = [set[int](), *alive[:-1]]
    oldest = max((age for point in members for age, _ in point), default=0)
    return Bands(
        name="life",
        title="Life of the ensemble",
        run=run,
        x=x,
        members=members,
        ages=_age_bounds(oldest),
        births=tuple(len(now - then) for now, then in zip(alive, before, strict=True)),
        deaths=tuple(len(then - now) for now, then in zip(alive, before, strict=True)),
        known_drifts=record.known_drifts,
        found_drifts=record.found_drifts,
        caption=_caption(record),
    )


def _age_bounds(oldest: int) -> tuple[int, ...]:
    """Bounds 1, 2, 5, 10, 20, ... up to the first above the oldest age; at most one per shade."""
    bounds: list[int] = []
    while not bounds or bounds[-1] <= oldest:
        power, digit = divmod(len(bounds), 3)
        bounds.append((1, 2, 5)[digit] * 10**power)
    return tuple(bounds[-len(AGES) :])


def _caption(record: Record) -> str:
    """What the detector found, in a sentence or two; it watches classifiers only."""
    known, found = record.known_drifts, record.found_drifts
    if "accuracy" not in record.metrics:
        return f"{len(known) or 'No'} known {_drift(len(known))}."
    text = f"{len(known) or 'No'} known {_drift(len(known))}, {len(found) or 'none'} detected"
    delays = detection_delays(known, found)
    seen = [count(delay) for delay in delays if delay is not None]
    if seen:
        text += f", {_and(seen)} examples after a known one"
    if known and len(found) > len(seen):
        text += ". A gradual drift is known by its middle and may show before"
    return text + "."


def _drift(n: int) -> str:
    return "drift" if n == 1 else "drifts"


def _and(words: list[str]) -> str:
    """A list as it is spoken: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
