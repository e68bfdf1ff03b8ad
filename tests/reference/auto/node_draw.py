"""What is drawn by chance for one node: the order of its features, and where they are cut."""

from collections.abc import Iterator

from tests.reference.random_numbers import Random
from tests.reference.single_precision import to_single


def prime_from(n: int) -> int:
    """Return the smallest prime number that is at least `n` and 2.

    >>> [prime_from(n) for n in (0, 4, 7, 24)]
    [2, 5, 7, 29]
    """
    p = max(n, 2)
    while any(p % i == 0 for i in range(2, p)):
        p += 1
    return p


class NodeDraw:
    """Two random numbers, and all that follows from them."""

    def __init__(self, n_features: int, random: Random) -> None:
        self._n_features = n_features
        self._prime = prime_from(n_features)
        order, cuts = random.next(), random.next()
        self._first = _share_of(self._prime, order >> 32)
        self._step = 1 + _share_of(self._prime - 1, order % 2**32)
        self._example = cuts >> 32
        self._start = cuts % 2**32

    def features(self) -> Iterator[int]:
        """Return all features, in the order in which they are tried."""
        for i in range(self._prime):
            feature = (self._first + i * self._step) % self._prime
            if feature < self._n_features:
                yield feature

    def example(self, n: int) -> int:
        """Return which of `n` examples has the categories that are set against the rest."""
        return _share_of(n, self._example)

    def share(self, feature: int) -> float:
        """Return at which share of the way between its extremes a feature is cut."""
        bits = (self._start + feature * 0x9E3779B9) % 2**32
        return (bits >> 8) / 2**24


def _share_of(n: int, of: int) -> int:
    return n * of >> 32


def cut_between(low: float, high: float, share: float) -> float:
    """Return a cut at this share of the way between two values, at least the lower one.

    >>> cut_between(-1.0, 3.0, 0.25)
    0.0
    """
    way = to_single(to_single(0.5 * high) - to_single(0.5 * low))
    half = to_single(to_single(0.5 * low) + to_single(share * way))
    at = to_single(half * 2.0)
    return at if low <= at < high else low
