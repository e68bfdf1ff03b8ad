"""The drifts that the core remembers, in words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from shrubs import _core
from shrubs.learners._engine.inspection import words_of
from shrubs.learners._engine.parameters import Engine
from shrubs.learners.drift import Concept, Drift
from shrubs.learners.shrub import Leaf, Prediction, Split, Vote, Words, build_split

__all__ = ["drifts_of"]

# A change is expected once in so many examples.
_EXPECTED = 100_000
# The core's numbers of the recalled features.
_FIRST_RECALLED = 0xFFFE
_NOTHING = Leaf(0.0)


def drifts_of(
    engine: Engine, tables: _core.Tables, labels: Sequence[Hashable] | None
) -> list[Drift] | None:
    """The drifts that are remembered, oldest first; None for an engine that does not watch."""
    found = engine.drifts() if isinstance(engine, _core.AutoLearner) else None
    if found is None:
        return None
    words = words_of(engine, tables, labels)
    return [
        Drift(
            noticed,
            began,
            evidence / (evidence + _EXPECTED),
            _concept(before, words),
            _concept(after, words),
        )
        for noticed, began, evidence, before, after in found
    ]


def _concept(look: Any, words: Words) -> Concept | None:
    if look is None:
        return None
    importances, rules = look
    return Concept(
        {words.names[_column(feature, words)]: share for feature, share in importances},
        tuple(
            Vote(weight, _rule(conditions, words), _prediction(label, outcome, words))
            for weight, conditions, label, outcome in rules
        ),
    )


def _column(feature: int, words: Words) -> int:
    return feature if feature < _FIRST_RECALLED else len(words.names) - 2 + feature % 2


def _rule(conditions: Sequence[Any], words: Words) -> tuple[str, ...]:
    """Conditions in words; of several bounds of a number on one side only the tightest."""
    kept: dict[Hashable, tuple[Split, bool]] = {}
    for i, (feature, *split, to_left) in enumerate(conditions):
        asked = build_split((_column(feature, words), *split), words, _NOTHING, _NOTHING)
        kept[i if asked.nominal else (asked.feature, to_left)] = asked, to_left
    return tuple(asked.condition(to_left) for asked, to_left in kept.values())


def _prediction(label: int, outcome: float, words: Words) -> Prediction:
    return outcome if words.labels is None else {words.labels[label]: outcome}
