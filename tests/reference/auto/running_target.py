"""The scale of the last targets of a regression, so that no unit and no size of them matters."""

import math
import sys

from tests.reference.target_scale import TargetScale

from .quick_math import clamp, inverse_root

_LONGEST = 1000
_MOST_DEVIATIONS = 100.0
_LEAST_VARIANCE = 1e-300
_LARGEST_EXPONENT = 1022


class RunningTarget:
    """z = (y * down - mean) / deviation, where `down` is a power of two for the largest target."""

    def __init__(self) -> None:
        self._exponent = 0
        self._seen = 0
        self.mean = 0.0
        self._variance = 0.0
        self._low = 0.0
        self._high = 0.0
        self._is_record = True

    @property
    def down(self) -> float:
        """The power of two that makes targets small."""
        return math.ldexp(1.0, -self._exponent)

    @property
    def scale(self) -> TargetScale:
        """What targets count as in a split: y * down - mean."""
        return TargetScale(self._exponent, self.mean)

    @property
    def _deviation(self) -> float:
        if self._variance > _LEAST_VARIANCE:
            return self._variance * inverse_root(self._variance)
        return 1.0

    def standardise(self, y: float) -> float:
        """Return `y` in deviations from the mean; the first target is taken for the mean."""
        if self._seen == 0:
            return 0.0
        z = (y * self.down - self.mean) / self._deviation
        return clamp(z, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)

    def restore(self, z: float) -> float:
        """Return the target for `z` deviations, kept finite."""
        y = (z * self._deviation + self.mean) * math.ldexp(1.0, self._exponent)
        return clamp(y, -sys.float_info.max, sys.float_info.max)

    def bounded(self, y: float) -> float:
        """Return the nearest number among the targets so far; any after one beyond all before."""
        return y if self._is_record else clamp(y, self._low, self._high)

    def learn(self, y: float) -> None:
        """Let `y` enter the mean and the variance."""
        self._is_record = self._seen == 0 or not self._low <= y <= self._high
        self._low = min(self._low, y) if self._seen else y
        self._high = max(self._high, y) if self._seen else y
        exponent = _exponent_of(y)
        if self._seen == 0:
            self._exponent = exponent
        elif exponent > self._exponent:
            rise = math.ldexp(1.0, -min(exponent - self._exponent, _LARGEST_EXPONENT))
            self.mean *= rise
            self._variance *= rise * rise
            self._exponent = exponent
        self._seen = min(self._seen + 1, _LONGEST)
        share = 1.0 / float(self._seen)
        difference = y * self.down - self.mean
        self.mean += share * difference
        if self._seen > 1:
            self._variance += share * (difference * difference - self._variance)


def _exponent_of(y: float) -> int:
    """Return floor(log2 |y|), but from -1022 to 1022."""
    exponent = math.frexp(y)[1] - 1 if y != 0.0 else -_LARGEST_EXPONENT
    return max(-_LARGEST_EXPONENT, min(exponent, _LARGEST_EXPONENT))
