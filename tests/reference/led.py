"""The digits of a seven-segment display with noise (Breiman et al., 1984), as MOA draws them."""

from .random_numbers import Random

SEGMENTS = (
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
)
N_SEGMENTS, N_IRRELEVANT = 7, 17


class ReferenceLED:
    """Draws a digit, flips each segment with probability `noise`, adds 17 random bits."""

    def __init__(self, seed: int, n_drift_features: int = 0, noise: float = 0.1) -> None:
        self._random = Random(seed, 0)
        self._n_drift_features = n_drift_features
        self._threshold = int(noise * 2.0**32)

    def next(self) -> tuple[list[float], int]:
        word = self._random.next()
        digit = ((word >> 32) * 10) >> 32
        x = [float(segment) for segment in SEGMENTS[digit]]
        for first in range(0, N_SEGMENTS, 2):  # one draw serves two segments
            flips = self._random.next()
            for i, half in ((first, flips >> 32), (first + 1, flips & 0xFFFFFFFF)):
                if i < N_SEGMENTS and half < self._threshold:
                    x[i] = 1.0 - x[i]
        x += [float((word >> i) & 1) for i in range(N_IRRELEVANT)]
        for i in range(self._n_drift_features):
            x[i], x[N_SEGMENTS + i] = x[N_SEGMENTS + i], x[i]
        return x, digit


def one_hot(x: list[float]) -> list[float]:
    """Return two columns per bit: is it 0, is it 1."""
    return [column for bit in x for column in (1.0 - bit, bit)]
