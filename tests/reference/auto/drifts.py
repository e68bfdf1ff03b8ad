"""Notices when the concept changes, and remembers what the ensemble went by before and after."""

import math
from collections import deque
from dataclasses import dataclass, field

from tests.reference.class_numbers import ClassNumbers

from .look import Look
from .rise import BLOCK, Rise, RunningMean

LOOK_EVERY = 512
LOOK_LENGTH = 160
_ENOUGH_SURPRISE = 1e6
_ENOUGH_DEFEAT = 1e3
_LITTLE_SURPRISE = 100.0
_LEAST_SQUARE = 2.0**-6
_MOST_ABSENT = 8


@dataclass
class Drift:
    """A change of concept; examples are counted from 1."""

    noticed: int
    began: int
    evidence: float
    before: Look | None
    after: Look | None = None


@dataclass
class _OfClass:
    """The means of a class."""

    surprise: RunningMean = field(default_factory=RunningMean)
    defeat: RunningMean = field(default_factory=RunningMean)


class Drifts:
    """Compares the ensemble with the past: what the shrubs of the longest window say."""

    def __init__(self, n_remembered: int, n_features: int) -> None:
        self.remembered: deque[Drift] = deque(maxlen=n_remembered)
        self.remembers = n_remembered > 0
        self._n_features = n_features
        self._last_of: dict[int, int] = {}
        self._begin_evidence()
        self._at_hand: Look | None = None
        self._looks: list[Look | None] = [None, None]

    def examples_since(self, n_learned: int) -> float:
        """Return how many examples came since the last drift began."""
        return n_learned + 1 - self.remembered[-1].began if self.remembered else math.inf

    def watch(
        self,
        past: list[float],
        output: list[float],
        target: list[float],
        number: int,
        *,
        length: int,
        regression: bool,
    ) -> None:
        """Compare what the past and the ensemble said of example `number`.

        The past knows the examples of a window of that length.
        """
        label = 0 if regression else target.index(1.0)
        if regression:
            surprise = abs(past[0] - target[0])
            square = surprise * surprise
            own = (output[0] - target[0]) * (output[0] - target[0])
            defeat = (square - own) / (square + own + _LEAST_SQUARE)
        else:
            surprise = 0.0
            for said, wanted in zip(past, target, strict=True):
                surprise += said * (said - wanted)
            defeat = target[output.index(max(output))] - target[past.index(max(past))]
        means = self._means(label, number, length)
        self.evidence = self._surprise.update(surprise, means.surprise)
        defeated = self._defeat.update(defeat, means.defeat) >= _ENOUGH_DEFEAT
        if defeated and self.evidence >= _ENOUGH_SURPRISE:
            self._notice(number)

    @property
    def is_calm(self) -> bool:
        """Whether it is known that there is little surprise, or nothing is watched."""
        return not self.remembers or (
            self._surprise.has_enough and self.evidence < _LITTLE_SURPRISE
        )

    def _notice(self, number: int) -> None:
        began = number - self._surprise.length
        last, earlier = self._looks
        is_before = last is None or last.begun + LOOK_LENGTH <= began
        before = last if is_before else earlier
        self.remembered.append(Drift(number, began + 1, self.evidence, before))
        self._begin_evidence()

    def _means(self, label: int, number: int, length: int) -> _OfClass:
        """Return the means of a class, new ones if the past knows less of it than it did.

        What depends on the last examples only, the deviation of a block knows.
        """
        known = min(length, number)
        if number - self._last_of.get(label, 0) > min(known, max(known // _MOST_ABSENT, BLOCK)):
            self._of_class[label] = _OfClass()
        self._last_of[label] = number
        return self._of_class.setdefault(label, _OfClass())

    def _begin_evidence(self) -> None:
        self.evidence = 0.0
        self._surprise, self._defeat = Rise(), Rise()
        self._of_class: dict[int, _OfClass] = {}

    def renumber_classes(self, now: ClassNumbers) -> None:
        """Make classes that go as new."""
        of_class = self._of_class.items()
        self._of_class = {c: known for old, known in of_class if (c := now[old]) is not None}
        last_of = self._last_of.items()
        self._last_of = {c: last for old, last in last_of if (c := now[old]) is not None}
        for look in self.all_looks():
            look.renumber_classes(now)

    def begin_look(self, number: int) -> None:
        """Begin to look at one shrub after the other."""
        self._at_hand = Look(number, [0.0] * (self._n_features + 2))

    @property
    def look(self) -> Look:
        """The look at hand."""
        assert self._at_hand is not None
        return self._at_hand

    def end_look(self) -> None:
        """Keep what was seen."""
        self.look.finish()
        for drift in self.remembered:
            if drift.after is None and self.look.begun >= drift.noticed + LOOK_LENGTH:
                drift.after = self.look
        self._looks = [self.look, self._looks[0]]
        self._at_hand = None

    def all_looks(self) -> list[Look]:
        """Each look that is kept, once."""
        looks = [self._at_hand, *self._looks]
        for drift in self.remembered:
            looks += [drift.before, drift.after]
        return list({id(look): look for look in looks if look is not None}.values())
