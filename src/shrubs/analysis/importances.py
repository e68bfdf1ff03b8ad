"""Which features and rules mattered before a drift, and which after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shrubs.analysis.runs import Run, StreamRuns

__all__ = ["Change", "Look", "changes"]

_MAX_CHANGES = 3


@dataclass(frozen=True)
class Look:
    """The shares of the most important features, the largest first, and the heaviest rules."""

    shares: Mapping[str, float]
    rules: tuple[str, ...]

    @property
    def first(self) -> str:
        """The most important feature."""
        return next(iter(self.shares))


@dataclass(frozen=True)
class Change:
    """A drift that a run noticed, about where it began, how sure it was, and what mattered."""

    noticed: int
    began: int
    probability: float
    before: Look
    after: Look


def changes(runs: StreamRuns) -> tuple[Run, list[Change]] | None:
    """The best run that tells what changed, and its first few drifts; None if there is none."""
    for run in runs.runs:
        found = [
            Change(
                shift["noticed"],
                shift["began"],
                shift["probability"],
                Look(shift["before"], tuple(shift["rules_before"])),
                Look(shift["after"], tuple(shift["rules_after"])),
            )
            for shift in run.record.shifts or ()
            if shift["before"] and shift["after"]
        ]
        if found:
            return run, found[:_MAX_CHANGES]
    return None
