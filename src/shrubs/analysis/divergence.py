"""What lies so far beyond the best that showing it would hide everything else."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["loss_limit"]

_FACTOR = 5


def loss_limit(largest: Iterable[float], *, at_least: float = 0.0) -> float | None:
    """The largest loss worth an axis: five times that of the best; None if all are within.

    Args:
        largest: the largest loss of each run; losses are not negative.
        at_least: a limit below this shows too little.

    >>> loss_limit([1.5, 2.0, 3e30])
    7.5
    """
    losses = list(largest)
    best = min((loss for loss in losses if loss > 0), default=0.0)
    limit = max(_FACTOR * best, at_least)
    return limit if limit < max(losses, default=0.0) else None
