"""A shrub that is grown bit by bit, node by node, left before right."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from tests.reference.impurity import Impurity
from tests.reference.shrub import Leaf, Node, Shrub

from .sampled_split import SampledSplitFinder

Rows: TypeAlias = list[int]
AnyLeaf = TypeVar("AnyLeaf")

MAX_DEPTH = 16


@dataclass(frozen=True)
class Limits:
    """What limits a shrub. Nodes with fewer than `min_samples_split` examples are leaves."""

    max_leaves: int
    min_samples_split: int


class GrowingShrub(Generic[AnyLeaf]):
    """Grows one shrub; the first nodes grown use up the leaves that it may have."""

    def __init__(
        self,
        x: list[list[float]],
        impurity: Impurity[object],
        finder: SampledSplitFinder,
        limits: Limits,
        make_leaf: Callable[[Rows], AnyLeaf],
    ) -> None:
        self._x = x
        self._impurity = impurity
        self._finder = finder
        self._limits = limits
        self._make_leaf = make_leaf
        self._n_splits = 0
        self._work: Iterator[None] = iter(())
        self.n_visited = 0
        self._max_visited = math.inf
        self.n_to_gather = 0
        self.shrub: Shrub[AnyLeaf] | None = None

    def begin(self, rows: Rows, gather: Callable[[int], None] | None = None) -> None:
        """Begin with the examples at `rows`; `gather` is called with each when its turn comes."""
        self.n_to_gather = len(rows)
        self._work = self._grow_all(rows, gather)

    def advance(self, n_values: float) -> None:
        """Visit so many values, or all that it takes; `shrub` is there when it is grown."""
        enough = self.n_visited + n_values
        while self.n_visited < enough and self.shrub is None:
            next(self._work, None)

    def finish(self, n_values: float) -> None:
        """Visit so many values, and make leaves of all nodes that are left then."""
        self._max_visited = self.n_visited + n_values
        self.advance(math.inf)

    # Wherever it may pause, it yields.

    def _grow_all(self, rows: Rows, gather: Callable[[int], None] | None) -> Iterator[None]:
        for row in rows:
            if gather is not None:
                gather(row)
            self.n_visited += 1
            self.n_to_gather -= 1
            if self.n_to_gather > 0:
                yield
        self.shrub = yield from self._grow(rows, 0)

    def _grow(self, rows: Rows, depth: int) -> Iterator[None]:
        if not self._may_split(rows, depth):
            return self._leaf(rows)
        yield
        for i in range(1, len(rows)):
            if not self._impurity.is_pure([rows[0], rows[i]]):
                break
            self.n_visited += 1
            if i + 1 == len(rows):
                return self._leaf(rows)
            yield
        self.n_visited += self._finder.n_visited(rows)
        split = self._finder.find(rows)
        if split is None:
            return self._leaf(rows)
        left = [row for row in rows if split.goes_left(self._x[row])]
        right = [row for row in rows if not split.goes_left(self._x[row])]
        self.n_visited += len(rows)
        self._n_splits += 1
        return Node(
            split,
            (yield from self._grow(left, depth + 1)),
            (yield from self._grow(right, depth + 1)),
        )

    def _may_split(self, rows: Rows, depth: int) -> bool:
        return (
            len(rows) >= self._limits.min_samples_split
            and depth < MAX_DEPTH
            and self._n_splits + 1 < self._limits.max_leaves
            and self.n_visited < self._max_visited
        )

    def _leaf(self, rows: Rows) -> Leaf[AnyLeaf]:
        self.n_visited += len(rows)
        return Leaf(self._make_leaf(rows))
