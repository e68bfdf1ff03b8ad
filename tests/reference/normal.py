"""Draws from the standard normal distribution (the ziggurat of Marsaglia and Tsang, 2000)."""

import math

from .exponential import exponential
from .logarithm import logarithm
from .random_numbers import Random

N_LAYERS = 256
TAIL = 3.6541528853610088  # where the lowest layer ends and the tail begins
AREA = 0.00492867323399  # of each layer, and of the lowest one with the tail


def _height(x: float) -> float:
    return exponential(-0.5 * x * x)


def _widths() -> list[float]:
    """The width of each layer, the lowest first, and 0 above the highest.

    The lowest is as wide as a rectangle of its area.
    """
    widths = [AREA / _height(TAIL), TAIL]
    while len(widths) < N_LAYERS:
        height = AREA / widths[-1] + _height(widths[-1])
        widths.append(math.sqrt(-2.0 * logarithm(height)))
    return [*widths, 0.0]


class Normal:
    """Draws numbers with mean 0 and deviation 1.

    >>> Normal().draw(Random(1, 0))
    -0.8068844274071488
    """

    def __init__(self) -> None:
        self._widths = _widths()

    def draw(self, random: Random) -> float:
        while True:
            bits = random.next()
            layer = bits & 0xFF
            u = float(bits >> 11) * 2.0**-52 - 1.0
            x = u * self._widths[layer]
            if abs(x) < self._widths[layer + 1]:
                return x
            if layer == 0:
                return math.copysign(_draw_tail(random), u)
            low = _height(self._widths[layer])
            high = _height(self._widths[layer + 1])
            if low + random.uniform() * (high - low) < _height(x):
                return x


def _draw_tail(random: Random) -> float:
    """A number beyond `TAIL` (Marsaglia, 1964)."""
    while True:
        a = -logarithm(1.0 - random.uniform()) / TAIL
        b = -logarithm(1.0 - random.uniform())
        if b + b >= a * a:
            return TAIL + a
