"""The order in which the features are tried at a node."""

from collections.abc import Iterator

from .random_numbers import Random


class FeatureOrder:
    """Features in their own order if all are tried, else in an order drawn again at every node.

    The drawn order starts from the one that the node before left behind. Numbers are drawn one by
    one, so a node that stops early draws no more than it needs.
    """

    def __init__(self, n_features: int, max_features: int, random: Random) -> None:
        self._order = list(range(n_features))
        self._all_are_tried = max_features >= n_features
        self._random = random

    def features(self) -> Iterator[int]:
        """Return the features for one node, each once."""
        n_features = len(self._order)
        for i in range(n_features):
            if not self._all_are_tried:
                j = i + self._random.below(n_features - i)
                self._order[i], self._order[j] = self._order[j], self._order[i]
            yield self._order[i]
