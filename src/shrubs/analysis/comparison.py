"""Our numbers beside those that the paper prints: where they agree, and how many do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shrubs.analysis import paper_numbers as paper
from shrubs.analysis.fronts import BUDGETS, log_apf
from shrubs.analysis.study import Outcomes, Values, accuracy, areas, best_runs
from shrubs.results import Record

__all__ = [
    "TOLERANCE",
    "BestUnder",
    "Comparison",
    "agrees",
    "best_under_budgets",
    "compared_areas",
    "compared_log_areas",
]

TOLERANCE = 0.005
"""Two areas or accuracies agree if they are as close as this."""


@dataclass(frozen=True)
class Comparison:
    """Numbers by method and stream; ``printed`` is empty where the paper prints none.

    Streams in ``prefixes`` were shorter than in the paper: their numbers are not comparable in the
    strict sense, and they are not among the ``n_compared`` of which ``n_agreeing`` agree.
    """

    ours: Values
    printed: Values
    prefixes: frozenset[str]

    def difference(self, method: str, stream: str) -> float | None:
        """Ours minus the paper's; None if one of them is missing."""
        ours, printed = self.ours.get((method, stream)), self.printed.get((method, stream))
        return None if ours is None or printed is None else ours - printed

    @property
    def n_agreeing(self) -> int:
        """How many numbers on whole streams agree."""
        return sum(map(agrees, self._differences()))

    @property
    def n_compared(self) -> int:
        """How many numbers on whole streams are in both."""
        return len(self._differences())

    def _differences(self) -> list[float]:
        found = (self.difference(m, s) for m, s in self.ours if s not in self.prefixes)
        return [difference for difference in found if difference is not None]


@dataclass(frozen=True)
class BestUnder:
    """The best run of each method on each stream under a budget, and how accurate they are."""

    budget: str
    runs: Mapping[tuple[str, str], Record]
    accuracies: Comparison


def agrees(difference: float) -> bool:
    """Whether two numbers that differ by this much agree."""
    return abs(difference) <= TOLERANCE


def compared_areas(outcomes: Outcomes) -> Comparison:
    """The areas under the fronts."""
    return _compared(outcomes, areas(outcomes), paper.APF)


def compared_log_areas(outcomes: Outcomes) -> Comparison:
    """The areas with the size on a logarithmic axis, which the paper does not print."""
    return _compared(outcomes, areas(outcomes, log_apf), {})


def best_under_budgets(outcomes: Outcomes) -> list[BestUnder]:
    """The best runs under every budget, the first of which is no limit."""
    found = []
    for budget, n_bytes in BUDGETS.items():
        runs = best_runs(outcomes, n_bytes)
        ours = {place: accuracy(run) for place, run in runs.items()}
        printed = paper.ACCURACY_UNDER.get(budget, {})
        found.append(BestUnder(budget, runs, _compared(outcomes, ours, printed)))
    return found


def _compared(outcomes: Outcomes, ours: Values, printed: paper.Numbers) -> Comparison:
    numbers = {(m, s): value for m, column in printed.items() for s, value in column.items()}
    return Comparison(ours, numbers, frozenset(filter(outcomes.is_prefix, outcomes.streams)))
