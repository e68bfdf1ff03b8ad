"""Leaves that go on learning after their shrub was grown: class counts, or a mean."""

from tests.reference.class_numbers import ClassNumbers, renumber_row
from tests.reference.single_precision import to_single

MOST_IN_LEAF = 250
LONGEST_MEAN = 1000
MOST_DENSE = 6
N_SLOTS = 3
_PRIOR = 0.5


class CountingLeaf:
    """Counts of the classes; beyond MOST_IN_LEAF examples all are halved, rounded down.

    Of more than MOST_DENSE classes only N_SLOTS are counted. Where there is no room for a class,
    the rarest one that is counted, the first of several, gives way by one example.

    >>> leaf = CountingLeaf([3, 0])
    >>> leaf.learn(1)
    >>> leaf.counts
    [3, 1]
    """

    def __init__(self, counts: list[int]) -> None:
        self._n_classes = len(counts)
        n = sum(counts)
        while n > MOST_IN_LEAF:
            n //= 2
            counts = [count // 2 for count in counts]
        dense = self._n_classes <= MOST_DENSE
        self._slots = [(c, 0) for c in range(self._n_classes if dense else N_SLOTS)]
        for label, count in enumerate(counts):
            slot = label if dense else self._rarest()
            if count > self._slots[slot][1]:
                self._slots[slot] = (label, count)

    @property
    def counts(self) -> list[int]:
        """The count of each class."""
        counts = [0] * self._n_classes
        for label, count in self._slots:
            counts[label] += count
        return counts

    def predict(self) -> list[float]:
        """Return the shares of the classes, with half an example spread evenly over them."""
        scale = 1.0 / (float(sum(self.counts)) + _PRIOR)
        each = _PRIOR / float(self._n_classes)
        return [to_single((float(count) + each) * scale) for count in self.counts]

    def learn(self, label: int) -> None:
        """Count one more example of class `label`."""
        slot = self._slot_of(label)
        if slot is None:
            slot = self._rarest()
            rarer, count = self._slots[slot]
            if count > 1:
                self._slots[slot] = (rarer, count - 1)
                return
            self._slots[slot] = (label, 0)
        self._slots[slot] = (label, self._slots[slot][1] + 1)
        if sum(self.counts) > MOST_IN_LEAF:
            self._slots = [(c, count // 2) for c, count in self._slots]

    def renumber_classes(self, now: ClassNumbers) -> None:
        """As if there had been no example of a class that goes."""
        if self._n_classes <= MOST_DENSE:
            counts: list[float] = [count for _, count in self._slots]
            renumber_row(counts, now, 0)
            self._slots = [(c, int(count)) for c, count in enumerate(counts)]
            return
        numbered = [(now[c], c, count) for c, count in self._slots]
        self._slots = [(c, 0) if new is None else (new, count) for new, c, count in numbered]

    def _slot_of(self, label: int) -> int | None:
        if self._n_classes <= MOST_DENSE:
            return label
        for slot, (c, count) in enumerate(self._slots):
            if c == label and count > 0:
                return slot
        return None

    def _rarest(self) -> int:
        return min(range(N_SLOTS), key=lambda slot: self._slots[slot][1])


class AveragingLeaf:
    """The mean of the targets; later ones count as if LONGEST_MEAN had been seen.

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
        self.count = min(self.count + 1, LONGEST_MEAN)
        share = 1.0 / float(self.count)
        self.mean = self.mean * (1.0 - share) + target * share
