"""How far one run is ahead of another on the same stream, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist, fmean, stdev

from shrubs.analysis.runs import Run
from shrubs.analysis.traces import regular_points
from shrubs.results import Record

__all__ = ["MAX_STRETCHES", "Lead", "lead"]

MAX_STRETCHES = 30
"""Into how many stretches a stream is cut at most."""

MIN_STRETCHES = 10


@dataclass(frozen=True)
class Lead:
    """By how much one run is better, in accuracy or in mean absolute error.

    ``margin`` is half of its 95 % interval, None where the traces are too short to tell: the stream
    is cut into ``n_stretches`` equal stretches, and Student's interval of the mean of their
    differences is taken. Stretches as long as these are nearly independent; the interval is about
    this stream alone.
    """

    by: float
    margin: float | None
    n_stretches: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out that both are equally good."""
        return self.margin is not None and self.by > self.margin


def lead(best: Run, rival: Run) -> Lead | None:
    """How far ``best`` is ahead of ``rival``; None if one of the two has no score."""
    metric, sign = ("accuracy", 1) if "accuracy" in best.record.metrics else ("mae", -1)
    ours, theirs = (run.record.metrics.get(metric) for run in (best, rival))
    if ours is None or theirs is None:
        return None
    by = sign * (ours - theirs)
    our_sums, their_sums = (_sums(run.record, metric) for run in (best, rival))
    common = sorted(our_sums.keys() & their_sums.keys())
    regular = [common[i] for i in regular_points(common)]
    points = [(0, 0.0), *((n, our_sums[n] - their_sums[n]) for n in regular)]
    differences = [(b - a) / (m - n) for (n, a), (m, b) in pairwise(_stretches(points))]
    if len(differences) < MIN_STRETCHES or not all(map(math.isfinite, differences)):
        return Lead(by, None, 0)
    error = stdev(differences, fmean(differences)) / math.sqrt(len(differences))
    return Lead(by, _student(len(differences) - 1) * error, len(differences))


def _sums(record: Record, metric: str) -> dict[int, float]:
    """The sum of what the metric is the mean of, at every point of the trace."""
    positions, values = record.trace.get("n_examples", ()), record.trace.get(metric, ())
    known = zip(positions, values, strict=False)
    return {n: math.nan if value is None else n * value for n, value in known}


def _stretches(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Points at equal distances, so many that there are at most `MAX_STRETCHES` between them."""
    step = max(math.ceil((len(points) - 1) / MAX_STRETCHES), 1)
    kept = list(points[::step])
    if len(kept) > 2 and kept[-1][0] - kept[-2][0] != kept[1][0]:  # the rest of the stream
        kept.pop()
    return kept


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution, to three digits from nine degrees on.

    >>> round(_student(9), 3), round(_student(29), 3)
    (2.262, 2.045)
    """
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
