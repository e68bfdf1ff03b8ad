"""A short description of what an ensemble goes by: important features and heavy rules."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.reference.class_numbers import ClassNumbers, renumbered
from tests.reference.shrub import Leaf, Shrub
from tests.reference.single_precision import to_single
from tests.reference.split import Split

from .leaves import AveragingLeaf, CountingLeaf
from .recalled import kept_finite

MAX_CONDITIONS = 3
FIRST_RECALLED = 0xFFFE
_N_IMPORTANCES = 5
_N_RULES = 3

Condition: TypeAlias = tuple[int, float, bool, bool, bool]
"""Feature, threshold, nominal, missing_left, and whether the rule goes left."""

Rule: TypeAlias = tuple[float, list[Condition], int, float]
"""Weight, conditions, the most frequent class (0 for targets), its share or the mean target."""


@dataclass(frozen=True)
class Seen:
    """What some leaves have seen."""

    n: float
    mean: float
    """Of targets, scaled."""
    purity: float
    """Larger where outcomes are more alike."""
    counts: list[int]
    label: int
    outcome: float


@dataclass
class Look:
    """Made shrub by shrub; `down` scales targets; recalled features are the last two."""

    begun: int
    gains: list[float]
    importances: list[tuple[int, float]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    def visit(self, shrub: Shrub[CountingLeaf | AveragingLeaf], weight: float, down: float) -> None:
        """Add what a shrub goes by."""
        seen = _seen_by(shrub, down)
        if seen.n > 0.0 and not isinstance(shrub, Leaf):
            self._descend(shrub, seen, [], (weight, down, seen))

    def _descend(
        self,
        at: Shrub[CountingLeaf | AveragingLeaf],
        seen: Seen,
        conditions: list[Condition],
        whole: tuple[float, float, Seen],
    ) -> None:
        weight, down, root = whole
        if isinstance(at, Leaf) or len(conditions) == MAX_CONDITIONS:
            heavy = to_single(weight * seen.n / root.n * _added(seen, root))
            self._add((heavy, conditions, seen.label, seen.outcome))
            return
        sides = [
            (True, at.left, _seen_by(at.left, down)),
            (False, at.right, _seen_by(at.right, down)),
        ]
        if all(side.n > 0.0 for _, _, side in sides):
            gain = sides[0][2].purity + sides[1][2].purity - seen.purity
            self.gains[at.split.feature] += weight * max(gain, 0.0) / root.n
        for to_left, child, side in sides:
            if side.n > 0.0:
                condition = self._condition(at.split, to_left)
                self._descend(child, side, [*conditions, condition], whole)

    def _condition(self, split: Split, to_left: bool) -> Condition:
        feature = self._number(split.feature)
        return (feature, split.threshold, split.nominal, split.missing_left, to_left)

    def _number(self, column: int) -> int:
        n_features = len(self.gains) - 2
        return column if column < n_features else FIRST_RECALLED + column - n_features

    def _add(self, rule: Rule) -> None:
        if rule[0] > 0.0:
            self.rules = sorted([*self.rules, rule], key=lambda rule: -rule[0])[:_N_RULES]

    def finish(self) -> None:
        """Find the most important features."""
        total = 0.0
        for gain in self.gains:
            total += gain
        ordered = sorted(range(len(self.gains)), key=lambda column: -self.gains[column])
        self.importances = [
            (self._number(column), to_single(self.gains[column] / total))
            for column in ordered[:_N_IMPORTANCES]
            if self.gains[column] > 0.0
        ]

    def forget_feature(self, feature: int) -> None:
        """Forget all that is about a feature."""
        self.gains[feature] = 0.0
        self.importances = [entry for entry in self.importances if entry[0] != feature]
        self._keep_rules(lambda rule: all(condition[0] != feature for condition in rule[1]))

    def renumber_classes(self, now: ClassNumbers) -> None:
        """Forget all that is about a class that goes."""
        numbered = [_renumbered(rule, now) for rule in self.rules]
        self.rules = [rule for rule in numbered if rule is not None]

    def _keep_rules(self, keeps: Callable[[Rule], bool]) -> None:
        self.rules = [rule for rule in self.rules if keeps(rule)]


def _renumbered(rule: Rule, now: ClassNumbers) -> Rule | None:
    """The same rule of other numbers; None if it is about a class that goes."""
    weight, conditions, label, outcome = rule
    number, numbered = now[label], []
    for feature, threshold, *rest in conditions:
        asks_for_class = feature >= FIRST_RECALLED and not math.isnan(threshold)
        asked = renumbered(threshold, now) if asks_for_class else threshold
        if asks_for_class and math.isnan(asked):
            return None
        numbered.append((feature, asked, *rest))
    return None if number is None else (weight, numbered, number, outcome)


def _seen_by(at: Shrub[CountingLeaf | AveragingLeaf], down: float) -> Seen:
    leaves = [leaf.value for leaf in at.leaves()]
    if isinstance(leaves[0], AveragingLeaf):
        return _targets_of([leaf for leaf in leaves if isinstance(leaf, AveragingLeaf)], down)
    return _labels_of([leaf.counts for leaf in leaves if isinstance(leaf, CountingLeaf)])


def _targets_of(leaves: list[AveragingLeaf], down: float) -> Seen:
    n, total = 0.0, 0.0
    for leaf in leaves:
        n += float(leaf.count)
        total += float(leaf.count) * (leaf.mean * down)
    if n == 0.0:
        return Seen(0.0, 0.0, 0.0, [], 0, 0.0)
    return Seen(n, total / n, total * total / n, [], 0, kept_finite(total / n / down))


def _labels_of(leaves: list[list[int]]) -> Seen:
    counts = [sum(column) for column in zip(*leaves, strict=True)]
    n = float(sum(counts))
    if n == 0.0:
        return Seen(0.0, 0.0, 0.0, counts, 0, 0.0)
    label = counts.index(max(counts))
    purity = float(sum(count * count for count in counts)) / n
    return Seen(n, 0.0, purity, counts, label, float(counts[label]) / n)


def _added(seen: Seen, root: Seen) -> float:
    """What a rule adds: more of its class than in all leaves, or a mean away from theirs."""
    if not seen.counts:
        return abs(seen.mean - root.mean)
    return max(seen.outcome - float(root.counts[seen.label]) / root.n, 0.0)
