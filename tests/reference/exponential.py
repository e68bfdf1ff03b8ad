"""The exponential and the softmax, the same to the last bit on every platform."""

import math

_LOG2_E = 1.4426950408889634
# ln 2 in two parts. The first ends in zero bits, so its product with a small integer is exact.
_LN_2_HIGH = 0.693147180369123816490
_LN_2_LOW = 1.90821492927058770002e-10
_COEFFICIENTS = [1.0 / float(math.factorial(i)) for i in range(13, -1, -1)]


def exponential(x: float) -> float:
    """Return e to the power `x`, or 0 for `x` below -700.

    >>> exponential(0.0), exponential(-1000.0)
    (1.0, 0.0)
    """
    if x < -700.0:
        return 0.0
    # x = k ln 2 + r with |r| <= ln 2 / 2, so e^x = e^r * 2^k.
    k = math.floor(x * _LOG2_E + 0.5)
    r = (x - float(k) * _LN_2_HIGH) - float(k) * _LN_2_LOW
    power_series = 0.0
    for coefficient in _COEFFICIENTS:
        power_series = power_series * r + coefficient
    return math.ldexp(power_series, k)


def softmax(scores: list[float]) -> list[float]:
    """Return probabilities that rise with the scores.

    >>> softmax([1.0, 1.0])
    [0.5, 0.5]
    """
    largest = max(scores)
    odds = [exponential(score - largest) for score in scores]
    total = 0.0
    for odd in odds:
        total += odd
    return [odd / total for odd in odds]
