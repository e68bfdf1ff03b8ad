"""Sums against a threshold (Street and Kim, 2001), as MOA draws them."""

from .random_numbers import Random
from .single_precision import to_single

THRESHOLDS = (8.0, 9.0, 7.0, 9.5)


class ReferenceSEA:
    """Class 0 if the first two of three features sum to at most the threshold."""

    def __init__(
        self, seed: int, function: int = 1, noise: float = 0.1, balance: bool = False
    ) -> None:
        self._random = Random(seed, 0)
        self._threshold = THRESHOLDS[function - 1]
        self._noise = noise
        self._balance = balance
        self._next_class = 1

    def next(self) -> tuple[list[float], int]:
        while True:
            x = [10.0 * self._random.uniform() for _ in range(3)]
            label = 0 if x[0] + x[1] <= self._threshold else 1
            if not self._balance or label == self._next_class:
                break
        self._next_class = 1 - label
        if self._random.uniform() < self._noise:
            label = 1 - label
        return [to_single(value) for value in x], label
