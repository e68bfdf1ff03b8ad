"""The outcomes before an example as two features more."""

import math

from tests.reference.single_precision import to_single

from .quick_math import clamp

_LARGEST = 1.7976931348623157e308


def recalled(
    y: list[float], row: int, n_classes: int | None, down: float, lag: int = 0
) -> list[float]:
    """Return the label before the example at `row` and the one before that, `lag` examples earlier.

    Of targets, the one before and how it had changed, times `down`. Missing where there are not
    two.

    >>> recalled([3.0, 5.0], 2, None, 0.5)
    [2.5, 1.0]
    """
    if row - lag < 2:
        return [math.nan, math.nan]
    last, before = y[row - lag - 1], y[row - lag - 2]
    if n_classes is not None:
        return [float(last), float(before)]
    return [to_single(last * down), to_single(last * down - before * down)]


def changes(y: list[float], lag: int = 0) -> list[float]:
    """Return how each target differs from the last one known before; 0 where there is none.

    >>> changes([1.0, 3.0, 2.0])
    [0.0, 2.0, -1.0]
    """
    back = 1 + lag
    return [kept_finite(y[i] - y[i - back]) if i >= back else 0.0 for i in range(len(y))]


def kept_finite(value: float) -> float:
    """Return the value, or the largest number of its sign."""
    return clamp(value, -_LARGEST, _LARGEST)
