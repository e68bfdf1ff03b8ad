"""The split of a node: the best of one random cut per feature, judged by at most 32 examples.

Of more features than that, chance makes some look good: a jury of other examples judges the best
again.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from tests.reference import candidates as candidate
from tests.reference.candidates import Candidate
from tests.reference.impurity import Impurity
from tests.reference.random_numbers import Random
from tests.reference.single_precision import to_single
from tests.reference.split import Best, Split, SplitFinder, SplitOptions

from .node_draw import NodeDraw, cut_between
from .quick_math import clamp

_MOST_SAMPLED = 32
_N_FINALISTS = 4
_MOST_AGAIN = 8
_TOLL = 1.0 / 16.0
_MOST_MERIT = 4.0


def are_many(n_features: int) -> bool:
    """Tell whether there are more features than examples that judge them."""
    return n_features > _MOST_SAMPLED


def sample(rows: list[int]) -> list[int]:
    """Return the rows, or 32 of them, evenly spread."""
    n = min(len(rows), _MOST_SAMPLED)
    return [rows[i * len(rows) // n] for i in range(n)]


def others(rows: list[int], n_samples: int) -> list[int]:
    """Return rows that are not in the sample, so many times as many."""
    n = (n_samples + 1) * _MOST_SAMPLED
    return [rows[i * len(rows) // n] for i in range(n) if i % (n_samples + 1) != 0]


class SampledSplitFinder(SplitFinder):
    """Finds splits by examples that are not too many.

    The last `n_always` features are tried first, in every node, and count as none. The classes of
    few examples are soon told apart, so that fewer features are tried, and a cut between pure sides
    ends the search. The `favourites` are tried before those that are drawn, or alone where no
    others are, unless none of them divides the examples. Features that are judged again earn what
    their splits explain of other examples, less a toll.
    """

    def __init__(
        self,
        x: list[list[float]],
        impurity: Impurity[object],
        options: SplitOptions,
        random: Random,
        *,
        n_always: int,
        of_classes: bool,
        favourites: Sequence[int] = (),
        merits: list[float] | None = None,
    ) -> None:
        super().__init__(x, impurity, options, random)
        self._n_features = len(options.nominal) - n_always
        self._always = range(self._n_features, len(options.nominal))
        self._of_classes = of_classes
        self._favourites = favourites
        self._merits = [0.0] * self._n_features if merits is None else merits
        self._draw: NodeDraw

    def _candidates(self, feature: int, column: list[float], rows: list[int]) -> list[Candidate]:
        """Return the one cut that was drawn for the node."""
        present = candidate.present_rows(column, rows)
        if self._options.nominal[feature]:
            i = self._draw.example(len(rows))
            row = next(row for row in [*rows[i:], *rows] if row in present)
            return candidate.nominal_at(column[row], column, rows)
        values = [column[row] for row in present]
        threshold = cut_between(min(values), max(values), self._draw.share(feature))
        return candidate.numeric_at(threshold, column, rows)

    def _allowed_candidates(
        self, feature: int, column: list[float], rows: list[int]
    ) -> list[Candidate]:
        """Return them with the examples of the left side in the order of the sample."""
        allowed = super()._allowed_candidates(feature, column, rows)
        return [replace(option, left=sorted(option.left)) for option in allowed]

    def n_tried(self, rows: list[int]) -> int:
        """Return how many features are tried, those not counted that are tried always."""
        max_features = self._options.max_features
        return min(max_features, 2 + len(sample(rows)) // 2) if self._of_classes else max_features

    def n_visited(self, rows: list[int]) -> int:
        """Return as how many visited values a search counts."""
        n_features = self.n_tried(rows) + len(self._always) + len(self._favourites)
        n_again = _MOST_SAMPLED * _N_FINALISTS * self._n_again(rows)
        return 2 * len(sample(rows)) * n_features + n_again + 1

    def find(self, rows: list[int]) -> Split | None:
        """Return the best split of some of these examples, or None if all features are constant."""
        found = self._find_in(sample(rows), self.n_tried(rows))
        n_again = self._n_again(rows)
        if not found or n_again == 0:
            return found[0] if found else None
        jury = others(rows, n_again)
        explained = [self._explained(split, jury) for split in found]
        for split, share in zip(found, explained, strict=True):
            if split.feature < self._n_features:
                self._earn(split.feature, share, n_again)
        return found[explained.index(max(explained))]

    def _n_again(self, rows: list[int]) -> int:
        """Return how many times the examples of a sample judge its best splits again."""
        most = _MOST_AGAIN if are_many(self._n_features) else 0
        return min(max(len(rows) // _MOST_SAMPLED - 1, 0), most)

    def _explained(self, split: Split, rows: list[int]) -> float:
        """Return the share of their impurity that it takes away; 0 if it does not divide them."""
        left = [row for row in rows if split.goes_left(self._x[row])]
        least, largest = self._impurity.bounds(rows)
        if not 0 < len(left) < len(rows) or largest <= least:
            return 0.0
        return (self._impurity.score(rows, left) - least) / (largest - least)

    def _earn(self, feature: int, explained: float, n_samples: int) -> None:
        toll = _TOLL / float(n_samples)
        merit = clamp(self._merits[feature] + explained - toll, 0.0, _MOST_MERIT)
        self._merits[feature] = to_single(merit)

    def _find_in(self, rows: list[int], max_features: int) -> list[Split]:
        """Return the best splits of different tries, at most four, the best first."""
        flawless = float(len(rows)) if self._of_classes else math.inf
        found: list[Best] = []
        self._draw = NodeDraw(self._n_features, self._random)

        def try_feature(feature: int) -> None:
            best = self._better(Best(), feature, rows)
            if best.split is not None:
                found.append(best)
                found.sort(key=lambda each: -each.score)
                del found[_N_FINALISTS:]

        for feature in [*self._always, *self._favourites]:
            try_feature(feature)
        features = self._draw.features()
        n_tried = 0
        while not found or (found[0].score < flawless and n_tried < max_features):
            feature = next(features, -1)
            if feature < 0:
                break
            if not candidate.is_constant(self._columns[feature], rows):
                try_feature(feature)
                n_tried += 1
        return [best.split for best in found if best.split is not None]
