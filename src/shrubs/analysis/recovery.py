"""How a run took each drift: how far it fell, and how long it took to come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from shrubs.analysis.drifts import detection_delays
from shrubs.analysis.runs import StreamRuns
from shrubs.results import Record

__all__ = ["POINTS", "SHARE", "Recovery", "recoveries"]

POINTS = 0.02
"""An accuracy within two points of that before the drift is back."""

SHARE = 0.1
"""So is an error of a tenth more than that before."""


@dataclass(frozen=True)
class Recovery:
    """One drift and the metric over the last 1,000 examples around it.

    ``delay`` is the number of examples until the drift was detected. ``worst`` is None if the run
    stayed near the value ``before``. ``n_examples`` passed from the drift until it was back; None
    if it was not by ``until``, where the next drift came or the stream ended. Positions are those
    of the trace.
    """

    drift: int
    delay: int | None
    before: float
    worst: float | None
    n_examples: int | None
    until: int


def recoveries(runs: StreamRuns) -> list[Recovery]:
    """How the best run took every drift."""
    record, known, drifts = runs.best.record, runs.known_drifts, runs.drifts
    delays = detection_delays(drifts, record.found_drifts) if known else [None] * len(drifts)
    ends = [*drifts[1:], record.n_examples][: len(drifts)]
    found = (
        _recovery(record, drift, end, delay)
        for drift, end, delay in zip(drifts, ends, delays, strict=True)
    )
    return [recovery for recovery in found if recovery is not None]


def _recovery(record: Record, drift: int, end: int, delay: int | None) -> Recovery | None:
    """None if the trace has no point before the drift, or none after it."""
    metric = "windowed_accuracy" if "accuracy" in record.metrics else "windowed_mae"
    earlier = [value for _, value in _points(record, metric, 0, drift)]
    later = list(_points(record, metric, drift, end))
    if not earlier or not later:
        return None
    before = earlier[-1]
    is_bad = _is_bad_accuracy if metric == "windowed_accuracy" else _is_bad_error
    first = next((i for i, (_, value) in enumerate(later) if is_bad(value, before)), None)
    if first is None:
        return Recovery(drift, delay, before, None, 0, end)
    low = list(takewhile(lambda point: is_bad(point[1], before), later[first:]))
    worst = (min if metric == "windowed_accuracy" else max)(value for _, value in low)
    back = first + len(low)
    n_examples = later[back][0] - drift if back < len(later) else None
    return Recovery(drift, delay, before, worst, n_examples, end)


def _points(record: Record, metric: str, after: int, end: int) -> Iterator[tuple[int, float]]:
    positions: Sequence[int] = record.trace.get("n_examples", ())
    values: Sequence[float | None] = record.trace.get(metric, ())
    for position, value in zip(positions, values, strict=False):
        if after < position <= end and value is not None:
            yield position, value


def _is_bad_accuracy(value: float, before: float) -> bool:
    return value < before - POINTS


def _is_bad_error(value: float, before: float) -> bool:
    return value > before * (1 + SHARE)
