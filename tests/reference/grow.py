"""Trains a shrub on a window (CART)."""

from typing import Generic, TypeVar

from .impurity import Impurity
from .random_numbers import Random
from .shrub import Leaf, Node, Shrub
from .split import SplitFinder, SplitOptions

Value = TypeVar("Value")


class Grower(Generic[Value]):
    """Grows shrubs whose leaves hold what `impurity` says.

    max_depth: splits on a path, at most; None for no limit.
    """

    def __init__(
        self, impurity: Impurity[Value], options: SplitOptions, max_depth: int | None
    ) -> None:
        self._impurity = impurity
        self._options = options
        self._max_depth = max_depth

    def grow(self, x: list[list[float]], random: Random) -> Shrub[Value]:
        """Grow a shrub on the features of a window, of shape (n_examples, n_features)."""
        finder = SplitFinder(x, self._impurity, self._options, random)
        return self._grow_below(x, list(range(len(x))), 0, finder)

    def _grow_below(
        self, x: list[list[float]], rows: list[int], depth: int, finder: SplitFinder
    ) -> Shrub[Value]:
        """Grow the part of the shrub for the examples at `rows`, in the order of arrival."""
        if self._must_be_leaf(rows, depth):
            return Leaf(self._impurity.leaf_value(rows))
        split = finder.find(rows)
        if split is None:
            return Leaf(self._impurity.leaf_value(rows))
        left_rows = [row for row in rows if split.goes_left(x[row])]
        right_rows = [row for row in rows if not split.goes_left(x[row])]
        left = self._grow_below(x, left_rows, depth + 1, finder)
        right = self._grow_below(x, right_rows, depth + 1, finder)
        return Node(split, left, right)

    def _must_be_leaf(self, rows: list[int], depth: int) -> bool:
        if self._max_depth is not None and depth >= self._max_depth:
            return True
        if len(rows) < 2 * self._options.min_samples_leaf:
            return True
        return self._impurity.is_pure(rows)
