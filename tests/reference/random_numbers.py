"""The one random generator (splitmix64): the same numbers on every platform."""

_MASK = 2**64 - 1


def mix(z: int) -> int:
    """Scramble the 64 bits of `z`.

    >>> mix(1)
    6238072747940578789
    """
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class Random:
    """Random numbers for one example of the stream.

    Every example has numbers of its own, so that not growing a shrub on one example leaves the
    numbers of the later ones as they are.

    seed: in [0, 2**64). index: how many examples were learned before this one.
    """

    def __init__(self, seed: int, index: int) -> None:
        self._state = mix((mix(seed & _MASK) + index) & _MASK)

    def next(self) -> int:
        """Draw an integer in [0, 2**64)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        return mix(self._state)

    def uniform(self) -> float:
        """Draw a number in [0, 1)."""
        return float(self.next() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """Draw an integer in [0, n), for n in [1, 2**32)."""
        return ((self.next() >> 32) * n) >> 32
