"""A linear model by adaptive gradient steps."""

from tests.reference.class_numbers import ClassNumbers, renumber_row
from tests.reference.single_precision import to_single

from .buckets import bucket_of, says_nothing
from .feature_scale import FeatureScale
from .quick_math import inverse_root

_RATE = 0.05
# Keeps the first steps finite.
_LEAST_SQUARE = 1e-3


class LinearModel:
    """One row of W weights per feature, one for the constant, one per bucket of categories.

    Weights and sums of squared gradients are kept in single precision.
    """

    def __init__(self, n_features: int, width: int, n_buckets: int) -> None:
        self._n_features = n_features
        self._width = width
        self._n_buckets = n_buckets
        n_rows = n_features + 1 + n_buckets
        self._weights = [[0.0] * width for _ in range(n_rows)]
        self._squares = [[0.0] * width for _ in range(n_rows)]

    def score(self, x: list[float], scale: FeatureScale) -> list[float]:
        """Return the scores of all outputs."""
        scores = [0.0] * self._width
        for row, value in self._inputs(x, scale):
            for c in range(self._width):
                scores[c] += value * self._weights[row][c]
        return scores

    def learn(self, x: list[float], scale: FeatureScale, gradient: list[float]) -> None:
        """Take one step against `gradient`, of shape (W,)."""
        for row, value in self._inputs(x, scale):
            weights, squares = self._weights[row], self._squares[row]
            for c in range(self._width):
                slope = gradient[c] * value
                squares[c] = to_single(squares[c] + slope * slope)
                step = _RATE * slope * inverse_root(squares[c] + _LEAST_SQUARE)
                weights[c] = to_single(weights[c] - step)

    def forget_feature(self, i: int) -> None:
        """As if `i` had never been present; its categories share buckets with others and stay."""
        self._weights[i] = [0.0] * self._width
        self._squares[i] = [0.0] * self._width

    def renumber_classes(self, now: ClassNumbers) -> None:
        """As if there had been no example of a class that goes."""
        for row in [*self._weights, *self._squares]:
            renumber_row(row, now, 0.0)

    def _inputs(self, x: list[float], scale: FeatureScale) -> list[tuple[int, float]]:
        """Return the rows that take part, each with its value."""
        inputs = []
        for i, (value, deviations) in enumerate(zip(x, scale.standardise(x), strict=True)):
            if says_nothing(value, nominal=scale.nominal[i]):
                continue
            if scale.is_category(i):
                bucket = bucket_of(i, value, self._n_buckets)
                inputs.append((self._n_features + 1 + bucket, 1.0))
            else:
                inputs.append((i, deviations))
        return [*inputs, (self._n_features, 1.0)]
