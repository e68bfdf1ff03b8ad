"""The scores of all runs on a stream: their values, the best of each, and what no-change has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from shrubs.analysis.runs import Run, StreamRuns
from shrubs.results import Record

__all__ = ["Better", "Leader", "Score", "ScoreLine", "leader", "no_change", "score", "score_lines"]

Better = Literal["higher", "lower"]
"""Which values of a score are better."""


@dataclass(frozen=True)
class Score:
    """A value, and whether no other run has a better one."""

    value: float | None
    is_best: bool = False


@dataclass(frozen=True)
class ScoreLine:
    """The scores of a run; ``run`` is None for no-change where it was not run."""

    run: Run | None
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class Leader:
    """Who is best on the most streams; ``learner`` is None if several are."""

    learner: str | None
    n_won: int
    n_streams: int
    n_learners: int


def score(record: Record, name: str) -> float | None:
    """A metric of a record; seconds are per example."""
    value = record.metrics.get(name)
    if value is None or not name.endswith("_seconds"):
        return value
    return value / record.n_examples if record.n_examples else None


def score_lines(runs: StreamRuns, metrics: Mapping[str, Better]) -> list[ScoreLine]:
    """The scores of each run, the best run first.

    No-change is always among them: where it was not run, its accuracy follows from the others.

    Args:
        runs: on one stream.
        metrics: names, and which way each of them is better.
    """
    bests = {name: _best(runs, name, better) for name, better in metrics.items()}
    lines = []
    for run in runs.runs:
        values = {name: score(run.record, name) for name in metrics}
        marked = (Score(v, v is not None and v == bests[name]) for name, v in values.items())
        lines.append(ScoreLine(run, tuple(marked)))
    implied = _implied_no_change(runs)
    if implied is not None:
        known = {"accuracy": implied, "kappa_temporal": 0.0}
        lines.append(ScoreLine(None, tuple(Score(known.get(name)) for name in metrics)))
    return lines


def _best(runs: StreamRuns, name: str, better: Better) -> float | None:
    """The best of at least two values."""
    values = [score(run.record, name) for run in runs.runs]
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    return max(known) if better == "higher" else min(known)


def no_change(runs: StreamRuns) -> float | None:
    """The accuracy of predicting the last label, measured or implied; None if it cannot be told."""
    if runs.task != "classification":
        return None
    run = next((run for run in runs.runs if run.is_no_change), None)
    return _implied_no_change(runs) if run is None else run.record.metrics.get("accuracy")


def _implied_no_change(runs: StreamRuns) -> float | None:
    """Where it was not run and the others tell it.

    Kappa-temporal is the share of the errors of no-change that a learner avoids,
    (accuracy - p) / (1 - p); this solves for p. A learner without errors leaves p open.
    """
    if runs.task != "classification" or any(run.is_no_change for run in runs.runs):
        return None
    for run in runs.runs:
        accuracy = run.record.metrics.get("accuracy")
        kappa = run.record.metrics.get("kappa_temporal")
        if accuracy is not None and kappa is not None and kappa < 1:
            return (accuracy - kappa) / (1 - kappa)
    return None


def leader(streams: Sequence[StreamRuns]) -> Leader:
    """Who leads over all streams."""
    winners = Counter(runs.best.learner for runs in streams)
    n_learners = len({run.learner for runs in streams for run in runs.runs})
    learner, n_won = winners.most_common(1)[0]
    shared = list(winners.values()).count(n_won) > 1
    return Leader(None if shared else learner, n_won, len(streams), n_learners)
