"""Targets of a window, scaled by a power of two and centred."""

import math
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class TargetScale:
    """How the targets of one window are scaled: z = y * 2^-exponent - centre."""

    exponent: int
    centre: float

    @property
    def shrink(self) -> float:
        """The factor from targets to scaled targets."""
        return math.ldexp(1.0, -self.exponent)

    @property
    def stretch(self) -> float:
        """The factor from scaled targets back to targets."""
        return math.ldexp(1.0, self.exponent)

    def scale(self, y: float) -> float:
        """Return the scaled and centred target."""
        return y * self.shrink - self.centre

    def unscale(self, z: float) -> float:
        """Return the target of `z`; what is too large becomes the largest finite number."""
        return clamp((z + self.centre) * self.stretch, sys.float_info.max)


def measure_target_scale(targets: list[float]) -> TargetScale:
    """Find the power of two next below the largest of `targets`, and their mean in that scale.

    >>> measure_target_scale([4.0, 6.0])
    TargetScale(exponent=2, centre=1.25)
    """
    exponent = _floor_log2(max(abs(y) for y in targets))
    shrink = math.ldexp(1.0, -exponent)
    total = 0.0
    for y in targets:
        total += y * shrink
    return TargetScale(exponent, total / float(len(targets)))


def _floor_log2(largest: float) -> int:
    """Return floor(log2(largest)) in [-1022, 1022], and 0 for 0."""
    if largest == 0.0:
        return 0
    # frexp gives largest = fraction * 2^exponent with the fraction in [0.5, 1). The bounds keep
    # 2^exponent and its inverse among the normal numbers.
    _, exponent = math.frexp(largest)
    return min(max(exponent - 1, -1022), 1022)


def clamp(value: float, bound: float) -> float:
    """Return `value`, moved into [-bound, bound]."""
    return min(max(value, -bound), bound)
