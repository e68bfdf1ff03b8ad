"""The Pareto front of two numbers: a cost to keep low and a gain to make high."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["pareto_front"]


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
