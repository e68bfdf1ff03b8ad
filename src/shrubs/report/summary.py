"""The answer in a sentence and a few figures: who was best, by how much, with how much memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shrubs.report.runs import Run, StreamRuns, is_no_change
from shrubs.report.tables import implied_no_change
from shrubs.report.units import count, memory, microseconds, percent, significant

__all__ = ["Fact", "facts", "headline", "sentence"]


@dataclass(frozen=True)
class Fact:
    """One figure with its unit, what it is, and a remark."""

    value: str
    unit: str
    label: str
    remark: str = ""


def headline(streams: Sequence[StreamRuns]) -> str:
    """Who leads, over all streams."""
    winners = Counter(runs.runs[0].learner for runs in streams)
    n_learners = len({run.learner for runs in streams for run in runs.runs})
    learner, n_won = winners.most_common(1)[0]
    if len(streams) == 1:
        return f"{learner} {'leads ' if n_learners > 1 else ''}on {streams[0].title}"
    if n_learners == 1:
        return f"{learner} on {len(streams)} streams"
    if list(winners.values()).count(n_won) > 1:
        return f"{n_learners} learners on {len(streams)} streams"
    return f"{learner} leads on {n_won} of {len(streams)} streams"


def sentence(runs: StreamRuns) -> str:
    """Who did best on a stream, by how much, and how no-change compares."""
    best = runs.runs[0]
    rival = _rival(runs)
    if runs.task == "regression":
        text = f"{best.label} has the least error: {significant(_mae(best))} on average"
        if rival is not None:
            text += f", {rival.label} has {significant(_mae(rival))}"
        return text + "."
    text = f"{best.label} is right most often: {percent(_accuracy(best))} % of all predictions"
    if rival is not None:
        ahead = 100 * (_accuracy(best) - _accuracy(rival))
        text += f", {ahead:.1f} points ahead of {rival.label}"
    if is_no_change(best):
        return f"{text}. Nothing beats predicting the last label here."
    no_change = _no_change(runs)
    if no_change is None:
        return text + "."
    return f"{text}. Predicting the last label again would be right on {percent(no_change)} %."


def facts(runs: StreamRuns) -> list[Fact]:
    """The figures of the best run, and of no-change."""
    best = runs.runs[0]
    metrics = best.record.metrics
    shown = [
        Fact(percent(_accuracy(best)), "%", "accuracy", "share right")
        if runs.task == "classification"
        else Fact(significant(_mae(best)), "", "mean absolute error")
    ]
    no_change = _no_change(runs)
    if no_change is not None:
        shown.append(Fact(percent(no_change), "%", "no-change", "the last label again"))
    most = metrics.get("most_memory_bytes")
    if most is not None:
        value, unit = memory(most).split(" ")
        shown.append(Fact(value, unit, "memory", "everything counted"))
    seconds = (metrics.get("predict_seconds") or 0) + (metrics.get("learn_seconds") or 0)
    if seconds and best.record.n_examples:
        value = microseconds(seconds / best.record.n_examples)
        shown.append(Fact(value, "µs", "per example", "predict and learn"))
    shown.append(Fact(count(runs.n_examples), "", "examples", _drifts(runs)))
    return shown


def _rival(runs: StreamRuns) -> Run | None:
    """The best run of another learner."""
    best = runs.runs[0].learner
    return next((run for run in runs.runs if run.learner != best), None)


def _no_change(runs: StreamRuns) -> float | None:
    if runs.task != "classification":
        return None
    run = next((run for run in runs.runs if is_no_change(run)), None)
    return implied_no_change(runs) if run is None else run.record.metrics["accuracy"]


def _drifts(runs: StreamRuns) -> str:
    n = len(runs.known_drifts)
    return f"{n} known {'drift' if n == 1 else 'drifts'}" if n else "no known drifts"


def _accuracy(run: Run) -> float:
    return run.record.metrics["accuracy"] or 0.0


def _mae(run: Run) -> float:
    value = run.record.metrics["mae"]
    return float("nan") if value is None else value
