"""Examples around moving centroids (random radial basis functions), as MOA draws them."""

import math
from dataclasses import dataclass

from .normal import Normal
from .random_numbers import Random
from .single_precision import to_features


@dataclass
class _Centroid:
    centre: list[float]
    label: int
    deviation: float
    weight: float
    speed: list[float]


def _to_grid(value: float) -> float:
    """Round to a multiple of 2^-52, so that all sums of centres and speeds are exact."""
    return (1.0 + value) - 1.0


def _length(direction: list[float]) -> float:
    squares = 0.0
    for u in direction:  # not sum(): it rounds differently from Python 3.12 on
        squares += u * u
    return math.sqrt(squares)


class ReferenceRandomRBF:
    def __init__(
        self,
        seed: int,
        model_seed: int,
        *,
        n_features: int = 10,
        n_classes: int = 2,
        n_centroids: int = 50,
        n_drift_centroids: int = 50,
        speed: float = 0.0,
    ) -> None:
        self._random = Random(seed, 0)
        self._normal = Normal()
        model = Random(model_seed, 1)
        self._centroids = [
            _Centroid(
                centre=[_to_grid(model.uniform()) for _ in range(n_features)],
                label=model.below(n_classes),
                deviation=model.uniform(),
                weight=model.uniform(),
                speed=[0.0] * n_features,
            )
            for _ in range(n_centroids)
        ]
        for centroid in self._centroids[:n_drift_centroids]:
            direction = [model.uniform() for _ in range(n_features)]
            length = _length(direction)
            if length > 0.0:
                centroid.speed = [_to_grid(speed * (u / length)) for u in direction]

    def next(self) -> tuple[list[float], int]:
        for centroid in self._centroids:
            _move(centroid)
        centroid = self._choose()
        direction = [2.0 * self._random.uniform() - 1.0 for _ in centroid.centre]
        length = _length(direction)
        distance = self._normal.draw(self._random) * centroid.deviation
        scale = distance / length if length > 0.0 else 0.0
        x = [c + u * scale for c, u in zip(centroid.centre, direction, strict=True)]
        return to_features(x), centroid.label

    def _choose(self) -> _Centroid:
        total = 0.0
        for centroid in self._centroids:
            total += centroid.weight
        target = self._random.uniform() * total
        reached = 0.0
        for centroid in self._centroids:
            reached += centroid.weight
            if reached > target:
                return centroid
        return self._centroids[-1]


def _move(centroid: _Centroid) -> None:
    """One step along its direction; what would pass 0 or 1 stops there and turns round."""
    for i, speed in enumerate(centroid.speed):
        moved = centroid.centre[i] + speed
        if moved > 1.0 or moved < 0.0:
            moved = 1.0 if moved > 1.0 else 0.0
            centroid.speed[i] = -speed
        centroid.centre[i] = moved
