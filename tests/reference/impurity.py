"""How good a split is: Gini for classes, variance for targets.

A set of examples is a list of rows, each the position of an example in the window; in ascending
order they are in the order of arrival. A higher score is a purer split.
"""

from typing import Protocol, TypeVar

from .leaf_values import class_distribution, mean_target
from .target_scale import TargetScale

Value_co = TypeVar("Value_co", covariant=True)


class Impurity(Protocol[Value_co]):
    """What growing a shrub needs to know about the labels."""

    def is_pure(self, rows: list[int]) -> bool:
        """Tell whether all labels are equal."""

    def score(self, rows: list[int], left: list[int]) -> float:
        """Score the split of `rows` into `left` and the others."""

    def bounds(self, rows: list[int]) -> tuple[float, float]:
        """Return the score of no split of `rows`, and that of one with pure sides."""

    def leaf_value(self, rows: list[int]) -> Value_co:
        """Return what a leaf with these examples holds."""


class Gini:
    """Impurity of classes.

    labels: class per example of the window, each in [0, n_classes).
    """

    def __init__(self, labels: list[int], n_classes: int) -> None:
        self._labels = labels
        self._n_classes = n_classes

    def is_pure(self, rows: list[int]) -> bool:
        """Tell whether all classes are equal."""
        return all(self._labels[row] == self._labels[rows[0]] for row in rows)

    def score(self, rows: list[int], left: list[int]) -> float:
        """Return sum_c L_c^2 / n_L + sum_c R_c^2 / n_R, rounded once."""
        went_left = set(left)
        right = [row for row in rows if row not in went_left]
        n_left = len(left)
        n_right = len(right)
        squares_left = sum(count * count for count in self._counts(left))
        squares_right = sum(count * count for count in self._counts(right))
        return float(squares_left * n_right + squares_right * n_left) / float(n_left * n_right)

    def bounds(self, rows: list[int]) -> tuple[float, float]:
        """Return sum_c R_c^2 / n of all rows, and n."""
        squares = sum(count * count for count in self._counts(rows))
        return float(squares) / float(len(rows)), float(len(rows))

    def leaf_value(self, rows: list[int]) -> tuple[int, ...]:
        """Return the class distribution in fixed point."""
        return class_distribution(self._counts(rows))

    def _counts(self, rows: list[int]) -> list[int]:
        counts = [0] * self._n_classes
        for row in rows:
            counts[self._labels[row]] += 1
        return counts


class Variance:
    """Impurity of targets.

    targets: target per example of the window, with the scale of that window.
    """

    def __init__(self, targets: list[float], target_scale: TargetScale) -> None:
        self._targets = targets
        self._target_scale = target_scale

    def is_pure(self, rows: list[int]) -> bool:
        """Tell whether all targets are equal."""
        return all(self._targets[row] == self._targets[rows[0]] for row in rows)

    def score(self, rows: list[int], left: list[int]) -> float:
        """Return S_L^2 / n_L + S_R^2 / n_R; the sums are taken in the order of the lists."""
        sum_left = self._sum(left)
        sum_right = self._sum(rows) - sum_left
        n_left = float(len(left))
        n_right = float(len(rows) - len(left))
        return sum_left * sum_left / n_left + sum_right * sum_right / n_right

    def bounds(self, rows: list[int]) -> tuple[float, float]:
        """Return S^2 / n, and the sum of the squares."""
        total = self._sum(rows)
        squares = 0.0
        for row in rows:
            target = self._target_scale.scale(self._targets[row])
            squares += target * target
        return total * total / float(len(rows)), squares

    def leaf_value(self, rows: list[int]) -> float:
        """Return the mean target."""
        return mean_target([self._targets[row] for row in rows], self._target_scale)

    def _sum(self, rows: list[int]) -> float:
        total = 0.0
        for row in rows:
            total += self._target_scale.scale(self._targets[row])
        return total
