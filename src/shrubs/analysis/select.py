"""The best configuration under a memory budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = ["BUDGETS", "best_under"]

BUDGETS: Mapping[str, float] = {
    "no limit": math.inf,
    "10 MB": 10 * 1024**2,
    "1 MB": 1024**2,
    "128 KB": 128 * 1024,
}
"""The paper's budgets in bytes; it tells of the last one in words only."""


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
