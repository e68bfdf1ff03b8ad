"""Ranks of values, average ranks of methods over streams, and Friedman's test on them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["average_ranks", "friedman", "ranks"]


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value: 1 for the smallest; equal values share the mean of their ranks.

    >>> ranks([0.3, 0.1, 0.3, 0.2])
    [3.5, 1.0, 3.5, 2.0]
    """
    ordered = sorted(values)
    first: dict[float, int] = {}
    for position, value in enumerate(ordered, start=1):
        first.setdefault(value, position)
    ties = Counter(ordered)
    return [first[value] + (ties[value] - 1) / 2 for value in values]


def average_ranks(scores: Sequence[Sequence[float]]) -> list[float]:
    """The mean over the streams of each method's rank; rank 1 has the highest score.

    Args:
        scores: one row per stream, one column per method; all known, higher is better.

    >>> average_ranks([[0.9, 0.8, 0.7], [0.6, 0.8, 0.7]])
    [2.0, 1.5, 2.5]
    """
    by_stream = _ranked(scores)
    return [sum(column) / len(by_stream) for column in zip(*by_stream, strict=True)]


def friedman(scores: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Friedman's statistic and p-value: whether average ranks differ by more than chance.

    The statistic is corrected for ties; its p-value is that of chi-squared with one degree of
    freedom less than there are methods. Where all methods tie everywhere: 0 and 1.

    Args:
        scores: as for `average_ranks`, at least 3 methods.
    """
    by_stream = _ranked(scores)
    n_streams, n_methods = len(by_stream), len(by_stream[0])
    if n_methods < 3:
        raise ValueError(f"scores must have at least 3 methods, got {n_methods}")
    middle = (n_methods + 1) / 2
    means = average_ranks(scores)
    between = 12 * n_streams / (n_methods * (n_methods + 1)) * sum((r - middle) ** 2 for r in means)
    tied = sum(n**3 - n for row in by_stream for n in Counter(row).values())
    untied = 1 - tied / (n_streams * n_methods * (n_methods**2 - 1))
    if untied == 0:
        return 0.0, 1.0
    statistic = between / untied
    return statistic, _chi_squared_beyond(statistic, n_methods - 1)


def _ranked(scores: Sequence[Sequence[float]]) -> list[list[float]]:
    if not scores or any(len(row) != len(scores[0]) for row in scores):
        raise ValueError("scores must have at least one row, and rows of equal length")
    for row in scores:
        for score in row:
            if not math.isfinite(score):
                raise ValueError(f"scores must be finite, got {score}")
    return [ranks([-score for score in row]) for row in scores]


def _chi_squared_beyond(value: float, degrees: int) -> float:
    """The chance of a chi-squared number above ``value``: a finite sum for whole degrees."""
    half = value / 2
    if degrees % 2:
        term = math.sqrt(value) * math.sqrt(2 / math.pi) * math.exp(-half)
        total, first = math.erfc(math.sqrt(half)), 3
    else:
        term = math.exp(-half)
        total, first = 0.0, 2
    for degree in range(first, degrees + 1, 2):
        total += term
        term *= value / degree
    return total
