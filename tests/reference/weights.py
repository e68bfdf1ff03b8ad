"""Weights of examples, and of classes.

An example of weight 2 is the same as two examples, so one that weighs n is learned n times. What
is left of a weight that is not whole decides together with a number from a fixed sequence, whose
k-th one is k times the golden ratio without its whole part: the example is learned once more if the
two together reach 1. The numbers of the sequence have 53 bits.

Weights of classes change no learning. They change probabilities.
"""

import math
from collections.abc import Sequence

from tests.reference.auto.quick_math import inverse_root

# (sqrt(5) - 1) / 2 in 64 bits.
GOLDEN_RATIO = 0x9E3779B97F4A7C15


class Repetition:
    """How often examples are learned."""

    def __init__(self) -> None:
        self._n_fractions = 0

    def times(self, weight: float) -> int:
        """How often an example of this weight is learned, if it is the next one.

        >>> repetition = Repetition()
        >>> [repetition.times(weight) for weight in (0.0, 2.0, 0.5, 0.5, 0.5, 0.5)]
        [0, 2, 1, 0, 1, 0]
        """
        if weight == math.floor(weight):
            return int(weight)
        self._n_fractions += 1
        lift = (self._n_fractions * GOLDEN_RATIO % 2**64 >> 11) / 2**53
        return math.floor(weight + lift)


def balanced_weights(labels: Sequence[int], n_classes: int) -> list[float]:
    """The weight of each class, by the labels of the window: one more than they are, to the -3/4.

    >>> balanced_weights([0, 2, 2, 2], 3)[1:]
    [1.0, 0.35355339059327373]
    """
    roots = [inverse_root(float(labels.count(c)) + 1.0) for c in range(n_classes)]
    return [root * (root * inverse_root(root)) for root in roots]


def weighed(f: Sequence[float], weights: Sequence[float], n_examples: int) -> list[float]:
    """Probabilities multiplied by the weights of their classes.

    One example more, of all classes alike, is added to the ``n_examples`` of the window: no window
    is long enough to tell that a class never comes.

    >>> weighed([0.875, 0.125], [1.0, 4.0], 4)
    [0.5, 0.5]
    """
    more = 1.0 / (max(n_examples, 1) * len(f))
    products = [(p + more) * weight for p, weight in zip(f, weights, strict=True)]
    total = 0.0
    for p in products:
        total += p
    return [p / total for p in products]
