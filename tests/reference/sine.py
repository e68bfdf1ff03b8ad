"""Points above and below a sine curve (Gama et al., 2004), as MOA draws them."""

import math

from .random_numbers import Random
from .single_precision import to_single

_PI_HIGH = 3.1415926218032837  # ends in zero bits: times a small integer is exact
_PI_LOW = 3.178650954705639e-08
_N_TERMS = 11


def sine(x: float) -> float:
    """Return the sine of `x` in [0, 10], the same to the last bit on every platform.

    >>> sine(0.5), sine(3.0)
    (0.479425538604203, 0.1411200080598672)
    """
    k = math.floor(x / math.pi + 0.5)
    r = (x - k * _PI_HIGH) - k * _PI_LOW
    series = 1.0 / float(math.factorial(2 * _N_TERMS - 1))
    for i in range(_N_TERMS - 2, -1, -1):
        series = 1.0 / float(math.factorial(2 * i + 1)) - series * (r * r)
    return -r * series if k % 2 else r * series


def label_of(function: int, x: float, y: float) -> int:
    """Return 0 (positive) or 1 (negative)."""
    curve = sine(x) if function <= 2 else 0.5 + 0.3 * sine(3.0 * math.pi * x)
    is_below = y < curve
    return 0 if is_below == (function % 2 == 1) else 1


class ReferenceSine:
    def __init__(
        self,
        seed: int,
        function: int = 1,
        irrelevant_features: bool = True,
        balance: bool = False,
    ) -> None:
        self._random = Random(seed, 0)
        self._function = function
        self._n_irrelevant = 2 if irrelevant_features else 0
        self._balance = balance
        self._next_class = 1

    def next(self) -> tuple[list[float], int]:
        while True:
            x = [self._random.uniform(), self._random.uniform()]
            label = label_of(self._function, x[0], x[1])
            if not self._balance or label == self._next_class:
                break
        self._next_class = 1 - label
        x += [self._random.uniform() for _ in range(self._n_irrelevant)]
        return [to_single(value) for value in x], label
