"""What a notebook shows of a learner: its classes, bytes, shrubs and heaviest rules."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from shrubs import notebook
from shrubs.learners._engine.importances import examples_at
from shrubs.learners._engine.inspection import known_window
from shrubs.learners._engine.parameters import Engine
from shrubs.learners.shrub import Shrub, Vote, rules
from shrubs.messages import shown

__all__ = ["classes_in_words", "describe"]

_MAX_CLASSES = 10
_MAX_RULES = 3


def describe(title: str, facts: Mapping[str, str], engine: Engine, shrubs: Sequence[Shrub]) -> str:
    """The card of a learner that has begun."""
    seen = int(engine.examples_seen)
    heaviest = sorted(_heaviest_rules(engine, shrubs), key=lambda rule: -rule[0] * rule[1].weight)
    rows = [(f"{vote.weight:.3f}", f"{share:.3f}", vote.in_words) for share, vote in heaviest]
    return notebook.card(
        title,
        {"examples": f"{seen:,}", **facts},
        _ages(shrubs, seen),
        notebook.table(("weight", "of window", "heaviest rules"), rows[:_MAX_RULES]),
    )


def classes_in_words(labels: Sequence[Hashable]) -> str:
    """The first labels, and how many more there are."""
    words = [shown(label) for label in labels[:_MAX_CLASSES]]
    more = len(labels) - len(words)
    return ", ".join(words or ["none yet"]) + (f" and {more:,} more" if more else "")


def _ages(shrubs: Sequence[Shrub], seen: int) -> str:
    """Weights by age: the oldest shrub left, now right."""
    ages = [seen - shrub.born for shrub in shrubs]
    oldest = max(ages, default=0)
    stems = [
        (
            1 - age / (oldest or 1),
            shrub.weight,
            f"weight {shrub.weight:.3f}, born {age:,} examples ago",
        )
        for shrub, age in zip(shrubs, ages, strict=True)
    ]
    title = f"weights of {len(shrubs)} shrubs by age"
    return notebook.stems(stems, f"{oldest:,} examples ago", "now", title)


def _heaviest_rules(engine: Engine, shrubs: Sequence[Shrub]) -> Iterator[tuple[float, Vote]]:
    """Every rule of every shrub, and the share of the window that it decides."""
    X, y = known_window(engine)
    for shrub, (_, _, nodes) in zip(shrubs, engine.shrubs(), strict=True):
        leaves = [rows for node, rows, _ in examples_at(nodes, X) if node[0] == "leaf"]
        for rows, vote in zip(leaves, rules(shrub), strict=True):
            yield len(rows) / max(len(y), 1), vote
