"""Ranks of values, average ranks of methods, and the tests of Friedman and Wilcoxon on them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["average_ranks", "friedman", "ranks", "wilcoxon"]


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


def wilcoxon(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p-value of "neither of the two is better".

    Differences of zero are left out, as Wilcoxon did. Equal differences share their mean rank. If
    nothing were behind the signs, each of the 2^n choices of signs would be equally likely; the
    p-value is the share of those whose smaller sum of ranks is no larger than the one seen.

    Args:
        first: such as the accuracies of a method by stream.
        second: those of another method, on the same streams.

    >>> wilcoxon([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.6, 0.4, 0.5, 0.3])
    0.0625
    """
    differences = [a - b for a, b in zip(first, second, strict=True) if a != b]
    # Doubled, mean ranks are whole numbers.
    doubled = [round(2 * rank) for rank in ranks([abs(each) for each in differences])]
    positive = sum(rank for rank, each in zip(doubled, differences, strict=True) if each > 0)
    seen = min(positive, sum(doubled) - positive)
    # choices[s]: how many choices of signs give the positive ranks the sum s.
    choices = [1]
    for rank in doubled:
        longer = choices + [0] * rank
        for total, n in enumerate(choices):
            longer[total + rank] += n
        choices = longer
    return min(2 * sum(choices[: seen + 1]) / sum(choices), 1.0)


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
