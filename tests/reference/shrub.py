"""A trained tree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from .split import Split

Value_co = TypeVar("Value_co", covariant=True)

NodeTuple: TypeAlias = tuple[str, int, float, bool, bool] | tuple[str, object]


@dataclass(frozen=True)
class Leaf(Generic[Value_co]):
    """The end of a path: a class distribution in fixed point, or a number."""

    value: Value_co

    def predict(self, x: list[float]) -> Value_co:
        """Return the value of this leaf."""
        return self.value

    def to_nodes(self) -> list[NodeTuple]:
        """Return ("leaf", value) alone."""
        return [("leaf", self.value)]

    def leaves(self) -> "list[Leaf[Value_co]]":
        """Return this leaf alone."""
        return [self]

    def map_splits(self, change: Callable[[Split], Split]) -> "Leaf[Value_co]":
        """Return itself: it has no split."""
        return self


@dataclass(frozen=True)
class Node(Generic[Value_co]):
    """A split and the two shrubs below it."""

    split: Split
    left: "Node[Value_co] | Leaf[Value_co]"
    right: "Node[Value_co] | Leaf[Value_co]"

    def predict(self, x: list[float]) -> Value_co:
        """Return the value of the leaf that `x`, of shape (n_features,), reaches."""
        child = self.left if self.split.goes_left(x) else self.right
        return child.predict(x)

    def to_nodes(self) -> list[NodeTuple]:
        """Return the nodes as tuples: this one, then those on the left, then those on the right.

        A split is ("split", feature, threshold, nominal, missing_left), a leaf ("leaf", value).
        """
        split = self.split
        this = ("split", split.feature, split.threshold, split.nominal, split.missing_left)
        return [this, *self.left.to_nodes(), *self.right.to_nodes()]

    def leaves(self) -> "list[Leaf[Value_co]]":
        """Return the leaves from left to right."""
        return [*self.left.leaves(), *self.right.leaves()]

    def map_splits(self, change: Callable[[Split], Split]) -> "Node[Value_co]":
        """Return the same with other splits."""
        left, right = self.left.map_splits(change), self.right.map_splits(change)
        return Node(change(self.split), left, right)


Shrub: TypeAlias = Node[Value_co] | Leaf[Value_co]
