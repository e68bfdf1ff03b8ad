"""The split of a node: the best of one random cut per feature, judged by at most 32 examples."""

import math
from dataclasses import replace

from tests.reference import candidates as candidate
from tests.reference.candidates import Candidate
from tests.reference.feature_order import FeatureOrder
from tests.reference.impurity import Impurity
from tests.reference.random_numbers import Random
from tests.reference.split import Best, Split, SplitFinder, SplitOptions

_MOST_SAMPLED = 32


def sample(rows: list[int]) -> list[int]:
    """Return the rows, or 32 of them, evenly spread."""
    n = min(len(rows), _MOST_SAMPLED)
    return [rows[i * len(rows) // n] for i in range(n)]


class SampledSplitFinder(SplitFinder):
    """Finds splits by examples that are not too many.

    The last `n_always` features are tried first, in every node, and count as none. The classes of
    few examples are soon told apart, so that fewer features are tried, and a cut between pure sides
    ends the search.
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
    ) -> None:
        super().__init__(x, impurity, options, random)
        self._n_features = len(options.nominal) - n_always
        self._always = range(self._n_features, len(options.nominal))
        self._of_classes = of_classes

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
        return 2 * len(sample(rows)) * (self.n_tried(rows) + len(self._always)) + 1

    def find(self, rows: list[int]) -> Split | None:
        """Return the best split of some of these examples, or None if all features are constant."""
        max_features = self.n_tried(rows)
        rows = sample(rows)
        flawless = float(len(rows)) if self._of_classes else math.inf
        best = Best()
        for feature in self._always:
            best = self._better(best, feature, rows)
        features = FeatureOrder(self._n_features, max_features, self._random).features()
        n_tried = 0
        while best.score < flawless:
            feature = next(features, -1)
            if feature < 0:
                break
            if not candidate.is_constant(self._columns[feature], rows):
                best = self._better(best, feature, rows)
                n_tried += 1
            if n_tried >= max_features and best.split is not None:
                break
        return best.split
