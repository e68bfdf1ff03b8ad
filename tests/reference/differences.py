"""Ranks, tests and cliques straight from their definitions."""

from fractions import Fraction
from itertools import combinations, product


def ranks(values):
    """One plus the number of smaller values, plus half the number of other equal ones."""
    return [
        Fraction(1)
        + sum(other < value for other in values)
        + Fraction(sum(other == value for other in values) - 1, 2)
        for value in values
    ]


def wilcoxon(first, second):
    """Tries every choice of signs."""
    differences = [a - b for a, b in zip(first, second, strict=True) if a != b]
    sizes = ranks([abs(each) for each in differences])

    def smaller_sum(signs):
        up = sum(rank for rank, sign in zip(sizes, signs, strict=True) if sign > 0)
        return min(up, sum(sizes) - up)

    seen = smaller_sum([1 if each > 0 else -1 for each in differences])
    outcomes = [smaller_sum(signs) <= seen for signs in product((1, -1), repeat=len(sizes))]
    return Fraction(sum(outcomes), len(outcomes))


def holm_rejects(p_values, alpha):
    """Step by step: the smallest against alpha / n, the next against alpha / (n - 1), and stop."""
    rejected = [False] * len(p_values)
    left = sorted(range(len(p_values)), key=lambda i: p_values[i])
    while left and p_values[left[0]] * len(left) <= alpha:
        rejected[left.pop(0)] = True
    return rejected


def cliques(ordered, different):
    """All runs of neighbours without a differing pair that lie in no longer such run."""
    runs = [
        tuple(ordered[i:j])
        for i in range(len(ordered))
        for j in range(i + 2, len(ordered) + 1)
        if not any(pair in different for pair in combinations(ordered[i:j], 2))
    ]
    return [run for run in runs if not any(set(run) < set(other) for other in runs)]
