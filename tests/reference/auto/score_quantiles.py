"""How large scores have been: their quantiles at fixed levels, each kept by its own misses."""

import functools
import math
import sys

from .quick_math import bits_of, clamp, from_bits, quick_logarithm

LEVELS = (50, 100, 200, 300, 400, 500, 600, 700, 750, 800, 850, 900, 950, 975, 990, 999)
_STEP = 128
_SETTLED = 32
_MAX_DEBT = 32_000
_DEBT_SHARE = 4
_RARE = 0.001
_HIGHEST = 0x7FEFFFFF
_LEAST_PROBABILITY = 2.0**-64


def class_score(probabilities: list[float], label: int) -> float:
    """Return 1 for the most likely class, and for others the more the less likely they are."""
    if label == probabilities.index(max(probabilities)):
        return 1.0
    return 1.0 / max(probabilities[label], _LEAST_PROBABILITY)


def position(score: float) -> int:
    """Return a number that grows with a score nearly as its logarithm does, 2**20 per doubling."""
    return bits_of(score) >> 32


def value_at(place: int) -> float:
    """Return the largest score at a position."""
    return from_bits((place << 32) | 0xFFFFFFFF)


@functools.cache
def rare_run(share: float) -> int:
    """Return after how many in a row it was too unlikely that each has this share."""
    length, likelihood = 1, share
    while likelihood > _RARE:
        likelihood *= share
        length += 1
    return length


class Quantile:
    """The position below which a share of the scores falls, in thousandths."""

    def __init__(self, level: int) -> None:
        self._level = level
        self._extreme = 0
        self._run = 0  # scores in a row above it, or negative: not above it
        self._debt = 0
        self.place = 0

    def kept(self, lowest: int) -> int:
        """Return the position, at least the lowest; what it cannot pay for is not owed."""
        if self.place < lowest:
            self._debt = 0
        return max(lowest, self.place)

    def learn(self, score: int, step: int) -> None:
        """Rise after a miss, fall after a hit, and follow a run that cannot be chance."""
        missed = score > self.place
        pace = self._level if missed else self._level - 1000
        self._run = max(self._run, 0) + 1 if missed else min(self._run, 0) - 1
        if abs(self._run) == 1:
            self._extreme = score
        else:
            self._extreme = (min if missed else max)(self._extreme, score)
        self._debt = max(-_MAX_DEBT, min(self._debt + pace, _MAX_DEBT))
        self.place += step * pace + int(self._debt / _DEBT_SHARE)
        share = float(1000 - self._level if missed else self._level) / 1000.0
        if abs(self._run) >= rare_run(share):
            self.place = (max if missed else min)(self.place, self._extreme)
            self._run = 0
        self.place = max(0, min(self.place, _HIGHEST))


class ScoreQuantiles:
    """One quantile for each level; any other coverage lies between two of them."""

    def __init__(self) -> None:
        self._seen = 0
        self._quantiles = [Quantile(level) for level in LEVELS]

    def learn(self, score: float, least: float) -> None:
        """Let a score count; no quantile falls below `least`."""
        lowest, found = position(least), position(min(score, sys.float_info.max))
        step = _STEP * max(_SETTLED // self._seen, 1) if self._seen else 0
        places = []
        for quantile in self._quantiles:
            if self._seen == 0:
                quantile.place = found
            else:
                quantile.learn(found, step)
            places.append(quantile.kept(lowest))
        for quantile, place in zip(self._quantiles, sorted(places), strict=True):
            quantile.place = place
        self._seen = min(self._seen + 1, _SETTLED)

    def at(self, coverage: float) -> float:
        """Return what this share of the scores does not exceed; coverage: between 0 and 1."""
        if self._seen == 0:
            return math.inf
        below = [j for j, level in enumerate(LEVELS) if float(level) / 1000.0 <= coverage]
        if not below:
            first = float(LEVELS[0]) / 1000.0
            return value_at(self._quantiles[0].place) * (coverage / first)
        j = below[-1]
        low = self._quantiles[j].place
        if j == len(LEVELS) - 1:
            return value_at(low)
        begin, end = (_abscissa(float(level) / 1000.0) for level in LEVELS[j : j + 2])
        share = clamp((_abscissa(coverage) - begin) / (end - begin), 0.0, 1.0)
        return value_at(low + int(share * float(self._quantiles[j + 1].place - low)))


def _abscissa(coverage: float) -> float:
    """Return where a coverage lies: the logarithms of many scores' quantiles are straight here."""
    return quick_logarithm(-quick_logarithm(1.0 - coverage))
