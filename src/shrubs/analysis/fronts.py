"""Fronts of accuracy over size: who is on them, the area below (APF), the best under a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shrubs.analysis.runs import Run, StreamRuns
from shrubs.analysis.scores import Better

__all__ = [
    "BUDGETS",
    "LARGEST_BYTES",
    "SMALLEST_BYTES",
    "Front",
    "apf",
    "best_under",
    "log_apf",
    "memory_front",
    "pareto_front",
]

LARGEST_BYTES = 204_800 * 1024
"""The size that normalises the paper's printed areas, for all streams: 204,800 KB."""

SMALLEST_BYTES = 1024
"""Where the logarithmic axis begins; a smaller model counts as this small."""

BUDGETS: Mapping[str, float] = {
    "no limit": math.inf,
    "10 MB": 10 * 1024**2,
    "1 MB": 1024**2,
    "128 KB": 128 * 1024,
}
"""The paper's budgets in bytes; it tells of the last one in words only."""


@dataclass(frozen=True)
class Front:
    """Runs by size in bytes and by score, and those that are unbeaten.

    ``fronts`` are the positions of the unbeaten ones, smallest first: among all runs, or, if
    ``by_learner``, one front for each learner.
    """

    runs: tuple[Run, ...]
    sizes: tuple[float, ...]
    scores: tuple[float, ...]
    better: Better
    fronts: tuple[tuple[int, ...], ...]
    by_learner: bool = False


def memory_front(runs: StreamRuns) -> Front | None:
    """The most memory each run took and how well it did; None if no record holds both."""
    metric, sign = ("accuracy", 1) if runs.task == "classification" else ("mae", -1)
    found = [
        (run, size, score)
        for run in runs.runs
        if (size := run.record.metrics.get("max_memory_bytes")) is not None
        and (score := run.record.metrics[metric]) is not None
    ]
    if not found:
        return None
    chosen, sizes, scores = zip(*found, strict=True)
    front = pareto_front(sizes, [sign * score for score in scores])
    return Front(chosen, sizes, scores, "higher" if sign > 0 else "lower", (tuple(front),))


def pareto_front(costs: Sequence[float], gains: Sequence[float]) -> list[int]:
    """The positions of the points that no other point beats, cheapest first.

    A point is beaten by one that costs no more and gains no less, and is better in one of the two.
    Of equal points the first one stays.

    Args:
        costs: such as memory in bytes, finite.
        gains: such as accuracy, finite, as many as ``costs``.

    >>> pareto_front([10, 20, 30, 40], [0.5, 0.7, 0.6, 0.8])
    [0, 1, 3]
    """
    if len(costs) != len(gains):
        raise ValueError(f"costs and gains must be equally many, got {len(costs)} and {len(gains)}")
    for name, values in (("costs", costs), ("gains", gains)):
        for value in values:
            if not math.isfinite(value):
                raise ValueError(f"{name} must be finite, got {value}")
    front: list[int] = []
    highest = -math.inf
    for i in sorted(range(len(costs)), key=lambda i: (costs[i], -gains[i], i)):
        if gains[i] > highest:
            front.append(i)
            highest = gains[i]
    return front


def apf(
    sizes: Sequence[float], accuracies: Sequence[float], *, largest: float = LARGEST_BYTES
) -> float:
    """The normalised area under the front of accuracy over size, in [0, 1].

    The front goes on to the right at its best accuracy up to ``largest``. Neighbouring points are
    joined by straight lines. There is no area left of the smallest model, and models above
    ``largest`` do not count. Without any model the area is 0.

    Args:
        sizes: bytes of the models.
        accuracies: in [0, 1], as many as ``sizes``.
        largest: the largest size under consideration, in bytes.

    >>> apf([20, 60], [0.5, 0.9], largest=100)
    0.64
    """
    return _area(sizes, accuracies, 0.0, largest, lambda size: size)


def log_apf(
    sizes: Sequence[float],
    accuracies: Sequence[float],
    *,
    smallest: float = SMALLEST_BYTES,
    largest: float = LARGEST_BYTES,
) -> float:
    """The same area with size on a logarithmic axis from ``smallest`` to ``largest``.

    On the linear axis a model of 10 KB and one of 1 MB differ by half a percent of the width; here
    every doubling of the size weighs the same.

    >>> log_apf([10, 1000], [0.5, 0.9], smallest=1, largest=10_000)
    0.575
    """
    return _area(sizes, accuracies, smallest, largest, math.log2)


def _area(
    sizes: Sequence[float],
    accuracies: Sequence[float],
    smallest: float,
    largest: float,
    position: Callable[[float], float],
) -> float:
    """The area between two sizes, divided by the width of the axis."""
    if not smallest < largest:
        raise ValueError(f"largest must be above {smallest:g} bytes, got {largest:g}")
    front = [
        (max(sizes[i], smallest), accuracies[i])
        for i in pareto_front(sizes, accuracies)
        if sizes[i] <= largest
    ]
    if not front:
        return 0.0
    corners = [(position(size), height) for size, height in [*front, (largest, front[-1][1])]]
    area = sum(
        (right - left) * (low + high) / 2 for (left, low), (right, high) in pairwise(corners)
    )
    return area / (position(largest) - position(smallest))


def best_under(
    sizes: Sequence[float], accuracies: Sequence[float], budget: float = math.inf
) -> int | None:
    """The position of the most accurate model of at most ``budget`` bytes; None if there is none.

    Of equally accurate models the smallest counts, of equal ones the first.

    >>> best_under([100, 900, 2000], [0.7, 0.8, 0.9], budget=1000)
    1
    """
    if len(sizes) != len(accuracies):
        raise ValueError(
            f"sizes and accuracies must be equally many, got {len(sizes)} and {len(accuracies)}"
        )
    allowed = [i for i, size in enumerate(sizes) if size <= budget]
    return min(allowed, key=lambda i: (-accuracies[i], sizes[i]), default=None)
