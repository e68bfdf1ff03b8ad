"""Which features mattered before a drift, and which after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shrubs.analysis.runs import Run, StreamRuns

__all__ = ["Look", "Shift", "shifts"]


@dataclass(frozen=True)
class Look:
    """The shares of the most important features after ``n_examples``, the largest first."""

    n_examples: int
    shares: Mapping[str, float]

    @property
    def first(self) -> str:
        """The most important feature."""
        return next(iter(self.shares))


@dataclass(frozen=True)
class Shift:
    """A drift, with the last look at the importances before it and the first one after it."""

    drift: int
    before: Look
    after: Look


def shifts(runs: StreamRuns) -> tuple[Run, list[Shift]] | None:
    """The best run that looked around a drift, and what it saw; None if there is none."""
    for run in runs.runs:
        found = _shifts_of(run)
        if found:
            return run, found
    return None


def _shifts_of(run: Run) -> list[Shift]:
    looks = [Look(at, shares) for at, shares in run.record.importances if any(shares.values())]
    found: dict[tuple[int, int], Shift] = {}
    for drift in run.record.known_drifts or run.record.found_drifts:
        before = [look for look in looks if look.n_examples <= drift]
        after = [look for look in looks if look.n_examples > drift]
        if before and after:
            pair = before[-1].n_examples, after[0].n_examples
            found.setdefault(pair, Shift(drift, before[-1], after[0]))
    return list(found.values())
