"""The score of a cut: Gini for classes, variance for targets; the larger the better.

A set of examples is a list of rows, each the position of an example in the window. The left side of
a cut is given in parts, because rounding depends on what is summed first: each part by itself, then
part after part.
"""

from typing import Protocol, TypeAlias, TypeVar

from .leaves import AveragingLeaf, CountingLeaf

Rows: TypeAlias = list[int]
AnyLeaf_co = TypeVar("AnyLeaf_co", covariant=True)


class Tally(Protocol[AnyLeaf_co]):
    """What growing a shrub needs to know about the labels."""

    def can_gain(self, rows: Rows) -> bool:
        """Tell whether the labels differ."""

    def score(self, rows: Rows, left: list[Rows]) -> float:
        """Score the cut of `rows` into the parts of `left` and the others; neither is empty."""

    def leaf(self, rows: Rows) -> AnyLeaf_co:
        """Return the leaf of these examples."""


class ClassTally:
    """Classes: labels, each in [0, n_classes)."""

    def __init__(self, labels: list[int], n_classes: int) -> None:
        self._labels = labels
        self._n_classes = n_classes

    def can_gain(self, rows: Rows) -> bool:
        """Tell whether the classes differ."""
        return any(self._labels[row] != self._labels[rows[0]] for row in rows)

    def score(self, rows: Rows, left: list[Rows]) -> float:
        """Return sum_c L_c^2 / n_L + sum_c R_c^2 / n_R, rounded once."""
        lefts = self._counts([row for part in left for row in part])
        rights = [n - n_left for n, n_left in zip(self._counts(rows), lefts, strict=True)]
        n_left, n_right = sum(lefts), sum(rights)
        left_squares = sum(n * n for n in lefts)
        right_squares = sum(n * n for n in rights)
        return float(left_squares * n_right + right_squares * n_left) / float(n_left * n_right)

    def leaf(self, rows: Rows) -> CountingLeaf:
        """Return the counts of the classes."""
        return CountingLeaf(self._counts(rows))

    def _counts(self, rows: Rows) -> list[int]:
        counts = [0] * self._n_classes
        for row in rows:
            counts[self._labels[row]] += 1
        return counts


class TargetTally:
    """Targets, which count as y * down - centre."""

    def __init__(self, targets: list[float], down: float, centre: float) -> None:
        self._targets = targets
        self._down = down
        self._centre = centre

    def can_gain(self, rows: Rows) -> bool:
        """Tell whether the targets differ."""
        return any(self._targets[row] != self._targets[rows[0]] for row in rows)

    def score(self, rows: Rows, left: list[Rows]) -> float:
        """Return S_L^2 / n_L + S_R^2 / n_R."""
        sum_left = 0.0
        for part in left:
            sum_left += self._sum(part)
        sum_right = self._sum(rows) - sum_left
        n_left = sum(len(part) for part in left)
        n_right = len(rows) - n_left
        return sum_left * sum_left / float(n_left) + sum_right * sum_right / float(n_right)

    def leaf(self, rows: Rows) -> AveragingLeaf:
        """Return the mean of the targets."""
        leaf = AveragingLeaf()
        for row in rows:
            leaf.learn(self._targets[row])
        return leaf

    def _sum(self, rows: Rows) -> float:
        total = 0.0
        for row in rows:
            total += self._targets[row] * self._down - self._centre
        return total
