"""The outcomes before an example as two features more."""

import math

from tests.reference.single_precision import to_single

from .quick_math import clamp

_LARGEST = 1.7976931348623157e308


def recalled(y: list[float], row: int, n_classes: int | None, down: float) -> list[float]:
    """Return the label before the example at `row` and the one before that.

    Of targets, the one before and how it had changed, times `down`. Missing where there are not
    two.

    >>> recalled([3.0, 5.0], 2, None, 0.5)
    [2.5, 1.0]
    """
    if row < 2:
        return [math.nan, math.nan]
    last, before = y[row - 1], y[row - 2]
    if n_classes is not None:
        return [float(last), float(before)]
    return [to_single(last * down), to_single(last * down - before * down)]


def changes(y: list[float]) -> list[float]:
    """Return how each target differs from the one before; 0 for the first.

    >>> changes([1.0, 3.0, 2.0])
    [0.0, 2.0, -1.0]
    """
    return [kept_finite(y[i] - y[i - 1]) if i else 0.0 for i in range(len(y))]


def kept_finite(value: float) -> float:
    """Return the value, or the largest number of its sign."""
    return clamp(value, -_LARGEST, _LARGEST)
