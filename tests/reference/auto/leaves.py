"""Leaves that go on learning after their shrub was grown: class counts, or a mean."""

from tests.reference.single_precision import to_single

MOST_IN_LEAF = 1000
_PRIOR = 0.5


class CountingLeaf:
    """Counts of the classes; beyond MOST_IN_LEAF examples all are halved, rounded down.

    >>> leaf = CountingLeaf([3, 0])
    >>> leaf.learn(1)
    >>> leaf.counts
    [3, 1]
    """

    def __init__(self, counts: list[int]) -> None:
        self.counts = counts

    def predict(self) -> list[float]:
        """Return the shares of the classes, with half an example spread evenly over them."""
        scale = 1.0 / (float(sum(self.counts)) + _PRIOR)
        each = _PRIOR / float(len(self.counts))
        return [to_single((float(count) + each) * scale) for count in self.counts]

    def learn(self, label: int) -> None:
        """Count one more example of class `label`."""
        self.counts[label] += 1
        if sum(self.counts) > MOST_IN_LEAF:
            self.counts = [count // 2 for count in self.counts]


class AveragingLeaf:
    """The mean of the targets; later ones count as if MOST_IN_LEAF had been seen.

    >>> leaf = AveragingLeaf()
    >>> leaf.learn(1.0)
    >>> leaf.learn(2.0)
    >>> leaf.mean
    1.5
    """

    def __init__(self) -> None:
        self.mean = 0.0
        self.count = 0

    def learn(self, target: float) -> None:
        """Let `target` enter the mean."""
        self.count = min(self.count + 1, MOST_IN_LEAF)
        share = 1.0 / float(self.count)
        self.mean = self.mean * (1.0 - share) + target * share
