"""Grows a shrub by random splits on the last examples of the window, left before right."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from tests.reference.impurity import Impurity
from tests.reference.shrub import Leaf, Node, Shrub
from tests.reference.split import SplitFinder

Rows: TypeAlias = list[int]
AnyLeaf = TypeVar("AnyLeaf")

MAX_DEPTH = 16


@dataclass(frozen=True)
class Limits:
    """What limits a shrub. Nodes with fewer than `min_samples_split` examples are leaves."""

    max_leaves: int
    min_samples_split: int


class LastGrower(Generic[AnyLeaf]):
    """Grows one shrub; the first nodes grown use up the leaves that it may have."""

    def __init__(
        self,
        x: list[list[float]],
        impurity: Impurity[object],
        finder: SplitFinder,
        limits: Limits,
        make_leaf: Callable[[Rows], AnyLeaf],
    ) -> None:
        self._x = x
        self._impurity = impurity
        self._finder = finder
        self._limits = limits
        self._make_leaf = make_leaf
        self._n_splits = 0

    def grow(self, rows: Rows, depth: int = 0) -> Shrub[AnyLeaf]:
        """Grow the part of the shrub for the examples at `rows`."""
        split = self._finder.find(rows) if self._may_split(rows, depth) else None
        if split is None:
            return Leaf(self._make_leaf(rows))
        self._n_splits += 1
        left, right = partition(rows, lambda row: split.goes_left(self._x[row]))
        return Node(split, self.grow(left, depth + 1), self.grow(right, depth + 1))

    def _may_split(self, rows: Rows, depth: int) -> bool:
        return (
            not self._impurity.is_pure(rows)
            and len(rows) >= self._limits.min_samples_split
            and depth < MAX_DEPTH
            and self._n_splits + 1 < self._limits.max_leaves
        )


def partition(rows: Rows, goes_left: Callable[[int], bool]) -> tuple[Rows, Rows]:
    """Return the rows that go left and the others, in the order of a partition in place.

    A row that goes right changes places with the last row not looked at.

    >>> partition([1, 2, 3, 4, 5], lambda row: row % 2 == 1)
    ([1, 5, 3], [4, 2])
    """
    rows = list(rows)
    begin, end = 0, len(rows)
    while begin < end:
        if goes_left(rows[begin]):
            begin += 1
        else:
            end -= 1
            rows[begin], rows[end] = rows[end], rows[begin]
    return rows[:begin], rows[begin:]
