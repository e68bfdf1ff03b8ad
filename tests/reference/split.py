"""The best split of a set of examples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from . import candidates as candidate
from .candidates import Candidate
from .feature_order import FeatureOrder
from .impurity import Impurity
from .random_numbers import Random

Splitter = Literal["best", "random"]


@dataclass(frozen=True)
class Split:
    """Which examples go left: those at most the threshold, or equal to it if nominal."""

    feature: int
    threshold: float
    nominal: bool
    missing_left: bool

    def goes_left(self, x: list[float]) -> bool:
        """Tell whether `x`, of shape (n_features,), goes left."""
        value = x[self.feature]
        if math.isnan(value):
            return self.missing_left
        if self.nominal:
            return value == self.threshold
        return value <= self.threshold


@dataclass(frozen=True)
class SplitOptions:
    """What a split may be.

    nominal: per feature, whether it is nominal. max_features: how many features are tried per
    node, constant ones not counted. min_samples_leaf: examples on either side, at least 1.
    """

    nominal: Sequence[bool]
    max_features: int
    splitter: Splitter
    min_samples_leaf: int


@dataclass(frozen=True)
class Best:
    """The best split so far."""

    score: float = -math.inf
    split: Split | None = None


class SplitFinder:
    """Finds the splits of one shrub; of equal scores the first found wins.

    x: features of the window, of shape (n_examples, n_features).
    """

    def __init__(
        self,
        x: list[list[float]],
        impurity: Impurity[object],
        options: SplitOptions,
        random: Random,
    ) -> None:
        self._x = x
        self._columns = [list(column) for column in zip(*x, strict=True)]
        self._impurity = impurity
        self._options = options
        self._random = random
        self._feature_order = FeatureOrder(len(options.nominal), options.max_features, random)

    def find(self, rows: list[int]) -> Split | None:
        """Return the best split of the examples at `rows`, or None if there is none."""
        best = Best()
        n_tried = 0
        for feature in self._feature_order.features():
            if candidate.is_constant(self._columns[feature], rows):
                continue
            best = self._better(best, feature, rows)
            n_tried += 1
            if n_tried >= self._options.max_features and best.split is not None:
                break
        return best.split

    def _better(self, best: Best, feature: int, rows: list[int]) -> Best:
        """Return the best cut so far, after those of one feature; a constant one has none."""
        column = self._columns[feature]
        if candidate.is_constant(column, rows):
            return best
        for option in self._allowed_candidates(feature, column, rows):
            score = self._impurity.score(rows, option.left)
            if score > best.score:
                best = Best(score, self._split(feature, option, rows))
        return best

    def _allowed_candidates(
        self, feature: int, column: list[float], rows: list[int]
    ) -> list[Candidate]:
        """Return the candidates with enough examples on either side."""
        allowed = []
        for option in self._candidates(feature, column, rows):
            n_left = len(option.left)
            n_right = len(rows) - n_left
            if min(n_left, n_right) >= self._options.min_samples_leaf:
                allowed.append(option)
        return allowed

    def _candidates(self, feature: int, column: list[float], rows: list[int]) -> list[Candidate]:
        nominal = self._options.nominal[feature]
        if self._options.splitter == "best":
            if nominal:
                return candidate.best_nominal(column, rows)
            return candidate.best_numeric(column, rows)
        if nominal:
            return candidate.random_nominal(column, rows, self._random)
        return candidate.random_numeric(column, rows, self._random)

    def _split(self, feature: int, option: Candidate, rows: list[int]) -> Split:
        missing_left = option.missing_left
        if not any(math.isnan(self._x[row][feature]) for row in rows):
            # Nothing was missing here, so later on missing ones follow the majority.
            missing_left = len(option.left) >= len(rows) - len(option.left)
        nominal = self._options.nominal[feature]
        return Split(feature, option.threshold, nominal, missing_left)
