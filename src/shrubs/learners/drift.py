"""A change of concept that a learner noticed, as plain data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from shrubs.learners.shrub import Vote

__all__ = ["Concept", "Drift"]

_LEAST = 0.005  # that is shown


@dataclass(frozen=True)
class Concept:
    """What a learner went by at some time.

    ``importances`` are the shares of the most important features in what the first splits of the
    shrubs gain, the largest first. ``rules`` are those that added most, each with the first
    conditions of a shrub and the most frequent label of its examples, or their mean target.
    """

    importances: Mapping[Hashable, float]
    rules: tuple[Vote, ...]

    def __str__(self) -> str:
        shown = {name: share for name, share in self.importances.items() if share >= _LEAST}
        return ", ".join(f"{name} {share:.0%}" for name, share in shown.items())


@dataclass(frozen=True)
class Drift:
    """A change of concept, noticed with the example of number ``noticed``, counted from 1.

    It ``began`` at about that example. ``probability`` is that of a change at all, if one is
    expected in 100,000 examples. ``before`` and ``after`` are None where the learner had no time to
    look: a few hundred examples.
    """

    noticed: int
    began: int
    probability: float
    before: Concept | None
    after: Concept | None

    def __str__(self) -> str:
        then = "" if self.before is None else f"; before: {self.before}"
        now = "" if self.after is None else f"; after: {self.after}"
        return f"example {self.began}, noticed at {self.noticed}{then}{now}"
