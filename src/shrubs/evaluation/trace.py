"""Values at checkpoints along a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Point", "living_shrubs"]


@dataclass(frozen=True)
class Point:
    """How a learner stood after ``n_examples`` examples.

    ``metrics`` are those of `shrubs.evaluation.metrics`. ``shrubs`` are (born, weight) of each
    member, oldest first, for shrub ensembles; empty for others. Seconds are since the start.
    """

    n_examples: int
    metrics: dict[str, float | None]
    memory_bytes: int
    predict_seconds: float
    learn_seconds: float
    shrubs: tuple[tuple[int, float], ...] = ()


def living_shrubs(learner: Any) -> tuple[tuple[int, float], ...]:
    """(born, weight) of each shrub; empty for a learner without shrubs."""
    members = getattr(learner, "members", None)
    return tuple(members()) if callable(members) else ()
