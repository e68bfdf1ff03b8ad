"""Wilcoxon's signed-rank test for two methods on the same streams, exact also with ties."""

from __future__ import annotations

from collections.abc import Sequence

from shrubs.analysis.ranks import ranks

__all__ = ["wilcoxon"]


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
