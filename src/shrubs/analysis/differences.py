"""Which methods differ: Friedman's test, pairwise Wilcoxon tests with Holm's correction, cliques.

This is what a critical-difference diagram shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from shrubs.analysis.ranks import average_ranks, friedman, wilcoxon

__all__ = ["Differences", "cliques", "differences", "holm"]


@dataclass(frozen=True)
class Differences:
    """Methods with their average ranks, the best first, and what can be told apart.

    ``p_values`` are corrected, by pair in the order of ``methods``. ``cliques`` are the groups of
    methods that cannot be told apart.
    """

    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    n_streams: int
    friedman_statistic: float
    friedman_p: float
    p_values: Mapping[tuple[str, str], float]
    cliques: tuple[tuple[str, ...], ...]
    alpha: float

    @property
    def leaders(self) -> tuple[str, ...]:
        """The methods with the best rank, usually one."""
        ranked = zip(self.methods, self.ranks, strict=True)
        return tuple(method for method, rank in ranked if rank == self.ranks[0])


def differences(scores: Mapping[str, Sequence[float]], *, alpha: float = 0.05) -> Differences:
    """Compare methods by their scores on the same streams; higher is better.

    If Friedman's test finds no difference between the average ranks, all methods are one clique
    and no pairs are tested.

    Args:
        scores: by method, one score per stream; at least 3 methods.
        alpha: the level of all tests, in (0, 1).
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be in (0, 1), got {alpha}")
    names = list(scores)
    rows = list(zip(*scores.values(), strict=True))
    mean = dict(zip(names, average_ranks(rows), strict=True))
    statistic, p = friedman(rows)
    ordered = sorted(names, key=lambda name: mean[name])
    corrected: dict[tuple[str, str], float] = {}
    if p <= alpha:
        pairs = list(combinations(ordered, 2))
        raw = [wilcoxon(scores[a], scores[b]) for a, b in pairs]
        corrected = dict(zip(pairs, holm(raw), strict=True))
    different = {pair for pair, value in corrected.items() if value <= alpha}
    return Differences(
        tuple(ordered),
        tuple(mean[name] for name in ordered),
        len(rows),
        statistic,
        p,
        corrected,
        tuple(cliques(ordered, different)),
        alpha,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for many tests: compare the results with the level as it is.

    The smallest of n p-values counts n times, the next n - 1 times and so on; none may fall below
    the one before it, nor above 1.

    >>> holm([0.25, 0.125, 0.5])
    [0.5, 0.375, 0.5]
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for position, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, (len(p_values) - position) * p_values[i])
        corrected[i] = min(highest, 1.0)
    return corrected


def cliques(ordered: Sequence[str], different: set[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The longest runs of neighbours in rank of which no two differ; two methods or more.

    Args:
        ordered: methods by average rank.
        different: the pairs that differ, in that order.

    >>> cliques(["a", "b", "c", "d"], {("a", "c"), ("a", "d")})
    [('a', 'b'), ('b', 'c', 'd')]
    """
    found: list[tuple[str, ...]] = []
    reached = 0
    for start in range(len(ordered)):
        stop = start + 1
        while stop < len(ordered) and not any(
            (name, ordered[stop]) in different for name in ordered[start:stop]
        ):
            stop += 1
        if stop - start > 1 and stop > reached:
            found.append(tuple(ordered[start:stop]))
            reached = stop
    return found
