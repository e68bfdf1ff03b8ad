"""Mean and variance of each numeric feature, forgotten slowly."""

import math
from collections.abc import Sequence

from tests.reference.single_precision import to_single

from .quick_math import clamp, inverse_root

_LONGEST = 1000
_MOST_DEVIATIONS = 3.0


class FeatureScale:
    """The scale of the features seen so far; `binary` while all values of a feature were 0 or 1."""

    def __init__(self, nominal: Sequence[bool]) -> None:
        self.nominal = list(nominal)
        self.binary = [True] * len(self.nominal)
        self.means = [0.0] * len(self.nominal)
        self.variances = [0.0] * len(self.nominal)
        self._seen = [0] * len(self.nominal)

    def is_category(self, i: int) -> bool:
        """Tell whether `i` is nominal, and not zeros and ones alone: these count as numbers."""
        return self.nominal[i] and not self.binary[i]

    def inverse_deviation(self, i: int) -> float:
        """Return one over the deviation of `i`."""
        return inverse_root(self.variances[i] + 1e-12)

    def standardise(self, x: list[float]) -> list[float]:
        """Return `x` in deviations from the mean, at most 3; 0 for missing and categories."""
        standardised = []
        for i, value in enumerate(x):
            if math.isnan(value) or self.is_category(i):
                standardised.append(0.0)
                continue
            deviations = (value - self.means[i]) * self.inverse_deviation(i)
            standardised.append(to_single(clamp(deviations, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)))
        return standardised

    def forget(self, i: int) -> None:
        """As if `i` had never been present."""
        self.binary[i] = True
        self.means[i] = self.variances[i] = 0.0
        self._seen[i] = 0

    def learn(self, x: list[float]) -> None:
        """Let the present numbers of `x` enter."""
        for i, value in enumerate(x):
            if math.isnan(value):
                continue
            self.binary[i] = self.binary[i] and value in (0.0, 1.0)
            if self.is_category(i):
                continue
            self._seen[i] = min(self._seen[i] + 1, _LONGEST)
            share = 1.0 / float(self._seen[i])
            difference = value - self.means[i]
            self.means[i] += share * difference
            if self._seen[i] > 1:
                self.variances[i] += share * (difference * difference - self.variances[i])
