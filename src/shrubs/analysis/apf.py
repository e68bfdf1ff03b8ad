"""The area under the Pareto front (APF): one number for accuracy and size together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from shrubs.analysis.pareto import pareto_front

__all__ = ["LARGEST_BYTES", "SMALLEST_BYTES", "apf", "log_apf"]

LARGEST_BYTES = 204_800 * 1024
"""The size that normalises the paper's printed areas, for all streams: 204,800 KB."""

SMALLEST_BYTES = 1024
"""Where the logarithmic axis begins; a smaller model counts as this small."""


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
