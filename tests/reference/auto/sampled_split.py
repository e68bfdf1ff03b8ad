"""A good split from few cuts: one drawn between the extremes, or the best of sixteen."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tests.reference.candidates import is_constant, middle, missing_rows, present_rows
from tests.reference.random_numbers import Random
from tests.reference.single_precision import to_single
from tests.reference.split import Split

from .tally import Rows, Tally

CAREFUL_CUTS = 16


@dataclass(frozen=True)
class SampledSearch:
    """How much is tried.

    n_cuts: per feature, 1 or CAREFUL_CUTS; with the latter all cuts of at most so many examples.
    n_features: tried per node, constant ones not counted.
    """

    n_cuts: int
    n_features: int


@dataclass(frozen=True)
class Cut:
    """Present examples go left if they are in one of the `left` parts."""

    threshold: float
    left: list[Rows]


class SampledSplitFinder:
    """Finds the splits of one shrub; of equal scores the first found wins.

    x: features of the window, of shape (n_examples, n_features). nominal: per feature. The order of
    the features is shuffled from node to node.
    """

    def __init__(
        self,
        x: list[list[float]],
        nominal: Sequence[bool],
        tally: Tally[object],
        search: SampledSearch,
        random: Random,
    ) -> None:
        self._x = x
        self._nominal = nominal
        self._tally = tally
        self._search = search
        self._random = random
        self._features = list(range(len(nominal)))

    def find(self, rows: Rows) -> Split | None:
        """Return the best split found of the examples at `rows`, or None if there is none."""
        best: Split | None = None
        best_score = -math.inf
        n_tried = 0
        for feature in self._shuffled():
            if not is_constant(self._column(feature), rows):
                n_tried += 1
                for split, score in self._scored(feature, rows):
                    if score > best_score:
                        best, best_score = split, score
            if n_tried >= self._search.n_features and best is not None:
                break
        return best if best is None else self._centred(best, rows)

    def _shuffled(self) -> Iterator[int]:
        """Draw the features one by one, as long as the caller asks for more."""
        n = len(self._features)
        for i in range(n):
            drawn = i + self._random.below(n - i)
            self._features[i], self._features[drawn] = self._features[drawn], self._features[i]
            yield self._features[i]

    def _scored(self, feature: int, rows: Rows) -> Iterator[tuple[Split, float]]:
        """Every split tried of one feature. Missing values join the larger side."""
        column, nominal = self._column(feature), self._nominal[feature]
        missing = missing_rows(column, rows)
        for cut in self._cuts(feature, rows):
            n_left = sum(len(part) for part in cut.left)
            missing_left = n_left >= len(rows) - len(missing) - n_left
            left = [*cut.left, missing] if missing_left else cut.left
            if 0 < sum(len(part) for part in left) < len(rows):
                split = Split(feature, cut.threshold, nominal, missing_left)
                yield split, self._tally.score(rows, left)
        if missing:
            yield Split(feature, math.nan, nominal, True), self._tally.score(rows, [missing])

    def _cuts(self, feature: int, rows: Rows) -> list[Cut]:
        column, nominal = self._column(feature), self._nominal[feature]
        present = present_rows(column, rows)
        low = min(column[row] for row in present)
        high = max(column[row] for row in present)
        if not nominal and self._search.n_cuts == 1:
            return cuts_at(column, present, self._draw_threshold(low, high))
        if not nominal and len(rows) <= CAREFUL_CUTS:
            return all_cuts(column, present)
        drawn = self._draw_values(column, rows)
        values = {value for value in drawn if nominal or value < high}
        if not values and low < high:
            values = {low}
        cuts = categories if nominal else cuts_at
        return cuts(column, present, sorted(values))

    def _draw_threshold(self, low: float, high: float) -> list[float]:
        """Draw one number between the extremes, if they differ."""
        if low == high:
            return []
        threshold = to_single(low + self._random.uniform() * (high - low))
        return [threshold if threshold < high else low]

    def _draw_values(self, column: list[float], rows: Rows) -> set[float]:
        """Draw examples and return their values, without missing ones."""
        drawn = [column[rows[self._random.below(len(rows))]] for _ in range(self._search.n_cuts)]
        return {value for value in drawn if not math.isnan(value)}

    def _centred(self, split: Split, rows: Rows) -> Split:
        """Move a careful cut midway to the next larger value of the node."""
        if self._search.n_cuts == 1 or split.nominal or math.isnan(split.threshold):
            return split
        values = [self._x[row][split.feature] for row in rows]
        following = min(value for value in values if value > split.threshold)
        return replace(split, threshold=middle(split.threshold, following))

    def _column(self, feature: int) -> list[float]:
        return [x[feature] for x in self._x]


def all_cuts(column: list[float], present: Rows) -> list[Cut]:
    """Return the cuts between different values; targets are summed in ascending order of values."""
    ascending = sorted(present, key=lambda row: column[row])
    cuts = []
    for n_left in range(1, len(ascending)):
        below, above = column[ascending[n_left - 1]], column[ascending[n_left]]
        if below < above:
            cuts.append(Cut(below, [[row] for row in ascending[:n_left]]))
    return cuts


def cuts_at(column: list[float], present: Rows, thresholds: list[float]) -> list[Cut]:
    """Return the cuts at ascending thresholds; targets are summed from threshold to threshold."""
    cuts = []
    parts: list[Rows] = []
    lower = -math.inf
    for threshold in thresholds:
        parts = [*parts, [row for row in present if lower < column[row] <= threshold]]
        cuts.append(Cut(threshold, parts))
        lower = threshold
    return cuts


def categories(column: list[float], present: Rows, values: list[float]) -> list[Cut]:
    """Return the cuts of one category against the rest."""
    return [Cut(value, [[row for row in present if column[row] == value]]) for value in values]
