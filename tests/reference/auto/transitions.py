"""Counts which label follows which: a leaf for each context of one, two or three labels."""

import copy

from tests.reference.class_numbers import ClassNumbers

from .leaves import CountingLeaf


class Transitions:
    """What follows the last `n_labels` labels. Contexts may share a leaf."""

    def __init__(self, n_labels: int, n_classes: int, n_contexts: int) -> None:
        self._n_labels = n_labels
        self._leaves = [CountingLeaf([0] * n_classes) for _ in range(n_contexts)]

    def predict(self, last: list[int]) -> list[float]:
        """Return the shares of the classes; last: the labels that came, the latest first."""
        return self._leaf(last).predict()

    def learn(self, last: list[int], label: int) -> None:
        """Count what followed."""
        if len(last) >= self._n_labels:
            self._leaf(last).learn(label)

    def renumber_classes(self, now: ClassNumbers) -> None:
        """As those that follow; where a class came before others, its leaf fades if it goes.

        A single label that moves takes its leaf along; what follows several is learned again.
        """
        for leaf in self._leaves:
            leaf.renumber_classes(now)
        for c, number in enumerate(now[: len(self._leaves)]):
            if self._n_labels == 1 and number is not None and number != c:
                self._leaves[number] = copy.deepcopy(self._leaves[c])

    def _leaf(self, last: list[int]) -> CountingLeaf:
        labels = [*last, 0, 0, 0]  # before there are enough
        key = labels[0]
        for label in labels[1 : self._n_labels]:
            key = (key * 0x9E3779B1 + label + 1) % 2**32
            key ^= key >> 15
        return self._leaves[key % len(self._leaves)]
