"""Evidence that the mean of a sequence has risen, however its numbers depend on each other."""

from dataclasses import dataclass

from tests.reference.exponential import exponential

from .quick_math import clamp, inverse_root

_FEWEST = 300
_FEWEST_OF_KIND = 30
_LONGEST = 4000
BLOCK = 200
_MOST_DEVIATIONS = 4.0
_LEAST_VARIANCE = 1e-12
_LARGEST_EVIDENCE = 1e15
# Each rate r with its cost (e^(r c) - 1 - r c) / c^2, where c is _MOST_DEVIATIONS.
_BETS = ((0.2, 0.02659630803077924), (0.5, 0.27431600618316565), (1.0, 3.0998843770715148))


@dataclass
class RunningMean:
    """Of the numbers of one kind; older ones count less."""

    value: float = 0.0
    n: int = 0


class Rise:
    """A Shiryaev-Roberts statistic of e-values by Bennett's inequality.

    >>> rise, mean = Rise(), RunningMean()
    >>> for t in range(400):
    ...     evidence = rise.update(float(t % 2), mean)
    >>> evidence < 100.0
    True
    >>> for _ in range(100):
    ...     evidence = rise.update(2.0, mean)
    >>> evidence > 1e6, rise.length
    (True, 101)
    """

    def __init__(self) -> None:
        self.length = 0
        self._n = 0
        self._variance = 0.0
        self._block: list[float] = []
        self._block_variance = 0.0
        self._risen = 0.0
        self._evidence = [0.0] * len(_BETS)

    @property
    def has_enough(self) -> bool:
        """Whether there are enough numbers for evidence."""
        return self._n >= _FEWEST

    def update(self, x: float, mean: RunningMean) -> float:
        """Take in the next number and return the evidence so far, 0 while there are too few."""
        if self.has_enough and mean.n >= _FEWEST_OF_KIND:
            variance = max(self._variance, self._block_variance, _LEAST_VARIANCE)
            z = (x - mean.value) * inverse_root(variance)
            self._bet(clamp(z, -_MOST_DEVIATIONS, _MOST_DEVIATIONS))
        self._learn(x, mean)
        return (self._evidence[0] + self._evidence[1] + self._evidence[2]) / 3.0

    def _bet(self, z: float) -> None:
        self._evidence = [
            min((1.0 + evidence) * exponential(rate * z - cost), _LARGEST_EVIDENCE)
            for evidence, (rate, cost) in zip(self._evidence, _BETS, strict=True)
        ]
        rate, cost = _BETS[1]
        self._risen = max(self._risen + (rate * z - cost), 0.0)
        self.length = self.length + 1 if self._risen > 0.0 else 0

    def _learn(self, x: float, mean: RunningMean) -> None:
        self._n = min(self._n + 1, _LONGEST)
        mean.n = min(mean.n + 1, _LONGEST)
        share = 2.0 / (float(self._n) + 1.0)
        difference = x - mean.value
        mean.value += 2.0 / (float(mean.n) + 1.0) * difference
        self._variance += share * (difference * difference * (1.0 - share) - self._variance)
        self._block.append(x - mean.value)
        if len(self._block) == BLOCK:
            total = 0.0
            for number in self._block:
                total += number
            square = total * total / float(BLOCK)
            share = 2.0 / (float(self._n // BLOCK) + 1.0)
            self._block_variance += share * (square - self._block_variance)
            self._block = []
