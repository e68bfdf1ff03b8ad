"""What a learner tells of the drifts that it noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Shift", "shifts_of"]


@dataclass(frozen=True)
class Shift:
    """A drift, by positions in the stream, and what the learner went by before and after it.

    ``before`` and ``after`` are the shares of the most important features, and empty where the
    learner had no time to look; so are the rules, in words.
    """

    noticed: int
    began: int
    probability: float
    before: dict[str, float]
    after: dict[str, float]
    rules_before: tuple[str, ...]
    rules_after: tuple[str, ...]


def shifts_of(learner: Any, n_examples: int, known: Sequence[Shift]) -> list[Shift] | None:
    """All of them after so many examples, where ``known`` were told before.

    A learner forgets the oldest ones. None for one that does not tell.
    """
    drifts = getattr(learner, "drifts", None)
    if drifts is None:
        return None
    # The labels of the last examples may not have come yet, and others may have come before.
    behind = n_examples - learner.examples_seen
    told = [_shift(drift, behind) for drift in drifts if drift.noticed + behind > 0]
    first = told[0].noticed if told else n_examples + 1
    return [*(shift for shift in known if shift.noticed < first), *told]


def _shift(drift: Any, behind: int) -> Shift:
    return Shift(
        noticed=drift.noticed + behind,
        began=max(drift.began + behind, 1),
        probability=drift.probability,
        before=_shares(drift.before),
        after=_shares(drift.after),
        rules_before=_rules(drift.before),
        rules_after=_rules(drift.after),
    )


def _shares(concept: Any) -> dict[str, float]:
    found = {} if concept is None else concept.importances
    return {str(name): round(float(share), 4) for name, share in found.items()}


def _rules(concept: Any) -> tuple[str, ...]:
    return () if concept is None else tuple(vote.in_words for vote in concept.rules)
