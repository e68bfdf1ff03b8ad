"""The two sides of a rotating hyperplane (Hulten, Spencer and Domingos, 2001), as in MOA."""

from .random_numbers import Random
from .single_precision import to_single


class ReferenceHyperplane:
    def __init__(
        self,
        seed: int,
        *,
        n_features: int = 10,
        n_drift_features: int = 2,
        magnitude: float = 0.0,
        noise: float = 0.05,
        reversal: float = 0.1,
    ) -> None:
        self._random = Random(seed, 0)
        self._weights = [self._random.uniform() for _ in range(n_features)]
        self._steps = [magnitude] * n_drift_features
        self._noise = noise
        self._reversal = reversal

    def next(self) -> tuple[list[float], int]:
        x, side, total = [], 0.0, 0.0
        for weight in self._weights:
            value = self._random.uniform()
            x.append(value)
            side += weight * value
            total += weight
        label = 1 if side >= 0.5 * total else 0
        if self._random.uniform() < self._noise:
            label = 1 - label
        for i, step in enumerate(self._steps):
            self._weights[i] += step
            if self._random.uniform() < self._reversal:
                self._steps[i] = -step
        return [to_single(value) for value in x], label
