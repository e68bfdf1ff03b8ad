"""A shrub as plain data: its nodes, the rules it votes by, and a drawing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from shrubs._core import unnamed_code
from shrubs.learners._tables import is_missing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Addition",
    "Leaf",
    "Node",
    "Prediction",
    "Shrub",
    "Split",
    "Vote",
    "Words",
    "build_shrub",
    "build_split",
    "follow",
    "rules",
]

_ONE = 32768

Prediction: TypeAlias = Mapping[Hashable, float] | float
"""Probabilities by label, or a target, or an `Addition`."""


@dataclass(frozen=True)
class Leaf:
    """What a leaf predicts: probabilities by label (zeros left out), or a target.

    Every second shrub of `shrubs.ShrubRegressor` predicts what the linear model leaves of a target.
    """

    prediction: Prediction


@dataclass(frozen=True)
class Split:
    """An inner node.

    An example goes ``left`` if its ``feature`` is at most ``threshold`` (numeric) or equal to it
    (nominal), and ``right`` otherwise. Where it is missing, ``missing_left`` decides. A threshold
    of NaN sends every present value to the right.
    """

    feature: Hashable
    threshold: Any
    nominal: bool
    missing_left: bool
    left: Node
    right: Node

    def goes_left(self, value: Any) -> bool:
        """Whether an example with this value goes left."""
        if is_missing(value):
            return self.missing_left
        if self.nominal:
            return bool(value == self.threshold)
        if isinstance(value, str | bytes):  # no number, so none to compare
            return self.missing_left
        with np.errstate(over="ignore"):  # a target may be larger
            return bool(np.float32(value) <= self.threshold)

    def condition(self, to_left: bool) -> str:
        """The question in words, as answered by the examples of one side."""
        missing = "" if to_left != self.missing_left else " or missing"
        if isinstance(self.threshold, float) and math.isnan(self.threshold):
            return f"{self.feature} is missing" if to_left else f"{self.feature} is present"
        if self.nominal:
            operator = "==" if to_left else "!="
            return f"{self.feature} {operator} {self.threshold!r}{missing}"
        return f"{self.feature} {'<=' if to_left else '>'} {self.threshold:.6g}{missing}"


Node: TypeAlias = Split | Leaf

_NOTHING = Leaf(0.0)


class Addition(float):
    """What a leaf adds to the target that the linear model predicts."""


@dataclass(frozen=True)
class Vote:
    """How one shrub voted: its weight, the rule that applied, and what the rule predicts."""

    weight: float
    rule: tuple[str, ...]
    prediction: Prediction

    @property
    def in_words(self) -> str:
        """The rule and what it predicts, without the weight."""
        parts = self.rule
        if len(parts) > 1:
            parts = tuple(f"({part})" if " or " in part else part for part in parts)
        return f"if {' and '.join(parts) or 'always'}: {_in_words(self.prediction)}"

    def __str__(self) -> str:
        return f"{self.weight:.3f}  {self.in_words}"


@dataclass(frozen=True)
class Shrub:
    """A member of the ensemble: its weight, the example it was born at, and its tree."""

    weight: float
    born: int
    root: Node

    @property
    def n_nodes(self) -> int:
        """Inner nodes and leaves together."""
        return len(_lines(self.root))

    @property
    def depth(self) -> int:
        """The longest way from the root to a leaf, 0 for a single leaf."""
        deepest, waiting = 0, [(self.root, 0)]
        while waiting:
            node, depth = waiting.pop()
            deepest = max(deepest, depth)
            if isinstance(node, Split):
                waiting += [(node.left, depth + 1), (node.right, depth + 1)]
        return deepest

    def __str__(self) -> str:
        head = f"shrub of weight {self.weight:.3f}, born at example {self.born}"
        return "\n".join([head, *_lines(self.root)])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shrub with matplotlib and return the axes."""
        from shrubs.learners._drawing import draw_shrub

        return draw_shrub(self, ax)


def follow(
    weight: float, nodes: Sequence[tuple[Any, ...]], words: Words, row: Mapping[Hashable, Any]
) -> Vote:
    """The way of an example through the core's preorder list of nodes, as a rule."""
    rule, at = [], 0
    while nodes[at][0] != "leaf":
        split = build_split(nodes[at][1:], words, _NOTHING, _NOTHING)
        to_left = split.goes_left(row.get(split.feature))
        rule.append(split.condition(to_left))
        at += 1
        if not to_left:
            at = _end_of(nodes, at)
    return Vote(weight, tuple(rule), _said(nodes[at], words))


def _end_of(nodes: Sequence[tuple[Any, ...]], at: int) -> int:
    """The place after a subtree."""
    n_missing = 1
    while n_missing:
        n_missing += -1 if nodes[at][0] == "leaf" else 1
        at += 1
    return at


def rules(shrub: Shrub) -> Iterator[Vote]:
    """Every rule of a shrub, its leaves from left to right."""
    waiting: list[tuple[Node, tuple[str, ...]]] = [(shrub.root, ())]
    while waiting:
        node, rule = waiting.pop()
        if isinstance(node, Leaf):
            yield Vote(shrub.weight, rule, node.prediction)
            continue
        waiting.append((node.right, (*rule, node.condition(False))))
        waiting.append((node.left, (*rule, node.condition(True))))


def _in_words(prediction: Prediction) -> str:
    if isinstance(prediction, Addition):
        return f"linear model {prediction:+.6g}"
    if isinstance(prediction, float):
        return f"{prediction:.6g}"
    likely = sorted(prediction.items(), key=lambda item: -item[1])
    likely = [item for item in likely if item[1] >= 0.005] or likely[:1]
    return ", ".join(f"{label!r} {share:.0%}" for label, share in likely)


def _lines(root: Node) -> list[str]:
    """One line per node, children indented under their parent."""
    lines: list[str] = []
    waiting: list[tuple[Node, int, str]] = [(root, 0, "")]
    while waiting:
        node, depth, condition = waiting.pop()
        indent = "    " * max(depth - 1, 0) + ("|-- " if depth else "")
        if isinstance(node, Leaf):
            lines.append(
                f"{indent}{condition}{': ' if condition else ''}{_in_words(node.prediction)}"
            )
            continue
        lines.append(f"{indent}{condition or 'all'}")
        waiting.append((node.right, depth + 1, node.condition(False)))
        waiting.append((node.left, depth + 1, node.condition(True)))
    return lines


class UnnamedCategory:
    """A category whose text was not kept; it equals every text of its code."""

    def __init__(self, code: int) -> None:
        self._code = code

    def __eq__(self, other: object) -> bool:
        if isinstance(other, UnnamedCategory):
            return self._code == other._code
        return unnamed_code(other) == self._code

    def __hash__(self) -> int:
        return hash(self._code)

    def __repr__(self) -> str:
        return f"(other #{self._code:x})"


@dataclass(frozen=True)
class Words:
    """What stands for the numbers in a shrub: names, categories and units by feature, labels."""

    names: Sequence[Hashable]
    categories: Sequence[Sequence[Hashable] | None]
    labels: Sequence[Hashable] | None
    units: Sequence[float]


def build_shrub(
    weight: float,
    born: int,
    nodes: Sequence[tuple[Any, ...]],
    words: Words,
) -> Shrub:
    """Put the core's preorder list of nodes together, from the last node to the first."""
    finished: list[Node] = []
    for node in reversed(nodes):
        if node[0] == "leaf":
            finished.append(Leaf(_said(node, words)))
            continue
        left, right = finished.pop(), finished.pop()
        finished.append(build_split(node[1:], words, left, right))
    return Shrub(weight, born, finished.pop())


def _said(leaf: tuple[Any, ...], words: Words) -> Prediction:
    return Addition(leaf[1]) if leaf[2:] else _prediction(leaf[1], words.labels)


def build_split(split: Sequence[Any], words: Words, left: Node, right: Node) -> Split:
    """A split of the core in words, above two nodes."""
    column, threshold, nominal, missing_left = split
    if not nominal:
        threshold *= words.units[column]
    elif not math.isnan(threshold):
        threshold = _category(int(threshold), words.categories[column])
    return Split(words.names[column], threshold, nominal, missing_left, left, right)


def _category(code: int, categories: Sequence[Hashable] | None) -> Hashable:
    if categories is None:
        return code
    return categories[code] if code < len(categories) else UnnamedCategory(code)


def _prediction(leaf: Any, labels: Sequence[Hashable] | None) -> Prediction:
    if labels is None:
        return float(leaf)
    return {labels[c]: entry / _ONE for c, entry in enumerate(leaf) if entry}
