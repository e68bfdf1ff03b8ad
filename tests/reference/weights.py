"""Weights of examples, and of classes.

An example of weight 2 is the same as two examples, so one that weighs n is learned n times. What
is left of a weight that is not whole decides together with a number from a fixed sequence, whose
k-th one is k times the golden ratio without its whole part: the example is learned once more if the
two together reach 1. The numbers of the sequence have 53 bits.

Weights of classes change no learning. They change probabilities.
"""

import math
from collections.abc import Sequence

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


def balanced_shares(labels: Sequence[int], n_classes: int) -> list[float]:
    """How often each class comes, by the labels of the window: one more than it did.

    >>> balanced_shares([0, 2, 0], 3)
    [3.0, 1.0, 2.0]
    """
    return [float(labels.count(c) + 1) for c in range(n_classes)]


def given_shares(weights: Sequence[float]) -> list[float]:
    """How often each class is to be taken to come."""
    return [1.0 / weight for weight in weights]


def weighed(f: Sequence[float], shares: Sequence[float], n_examples: int) -> list[float]:
    """Probabilities as if all classes came equally often.

    One example more, of all classes alike, is added to the ``n_examples`` of the window: no window
    is long enough to tell that a class never comes.

    >>> weighed([0.875, 0.125], [4.0, 1.0], 4)
    [0.5, 0.5]
    """
    more = 1.0 / (max(n_examples, 1) * len(f))
    divided = [(p + more) / share for p, share in zip(f, shares, strict=True)]
    total = 0.0
    for p in divided:
        total += p
    return [p / total for p in divided]
