"""The answer in a sentence and a few numbers: who was best, by how much, with how much memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shrubs.analysis.runs import Run, StreamRuns
from shrubs.analysis.scores import leader, no_change, score
from shrubs.report.units import count, memory, microseconds, number, percent, significant

__all__ = ["Fact", "facts", "headline", "sentence"]


@dataclass(frozen=True)
class Fact:
    """One number with its unit, what it is, and a remark."""

    value: str
    unit: str
    label: str
    remark: str = ""


def headline(streams: Sequence[StreamRuns]) -> str:
    """Who leads, over all streams."""
    found = leader(streams)
    if len(streams) == 1:
        leads = "leads on" if found.n_learners > 1 else "on"
        return f"{found.learner} {leads} {streams[0].title}"
    if found.learner is None:
        return f"{found.n_learners} learners on {found.n_streams} streams"
    if found.n_learners == 1:
        return f"{found.learner} on {found.n_streams} streams"
    return f"{found.learner} leads on {found.n_won} of {found.n_streams} streams"


def sentence(runs: StreamRuns) -> str:
    """Who did best on a stream, by how much, and how no-change compares."""
    best, rival = runs.best, runs.rival
    if runs.task == "regression":
        text = f"{best.label} has the least error: {significant(_mae(best))} on average"
        if rival is not None:
            text += f", {rival.label} has {significant(_mae(rival))}"
        return text + "."
    text = f"{best.label} is right most often: {percent(_accuracy(best))} % of all predictions"
    if rival is not None:
        ahead = 100 * (_accuracy(best) - _accuracy(rival))
        text += f", {ahead:.1f} points ahead of {rival.label}"
    if best.is_no_change:
        return f"{text}. Nothing beats predicting the last label here."
    last_label = no_change(runs)
    if last_label is None:
        return text + "."
    return f"{text}. Predicting the last label again would be right on {percent(last_label)} %."


def facts(runs: StreamRuns) -> list[Fact]:
    """The numbers of the best run, and of no-change."""
    record = runs.best.record
    shown = [
        Fact(percent(_accuracy(runs.best)), "%", "accuracy", "share right")
        if runs.task == "classification"
        else Fact(significant(_mae(runs.best)), "", "mean absolute error")
    ]
    last_label = no_change(runs)
    if last_label is not None:
        shown.append(Fact(percent(last_label), "%", "no-change", "the last label again"))
    n_bytes = score(record, "max_memory_bytes")
    if n_bytes is not None:
        value, unit = memory(n_bytes).split(" ")
        shown.append(Fact(value, unit, "memory", "everything counted"))
    seconds = sum(score(record, name) or 0.0 for name in ("predict_seconds", "learn_seconds"))
    if seconds:
        shown.append(Fact(microseconds(seconds), "µs", "per example", "predict and learn"))
    n_drifts = len(runs.known_drifts)
    drifts = number(n_drifts, "known drift") if n_drifts else "no known drifts"
    return [*shown, Fact(count(runs.n_examples), "", "examples", drifts)]


def _accuracy(run: Run) -> float:
    return run.record.metrics.get("accuracy") or 0.0


def _mae(run: Run) -> float:
    value = run.record.metrics.get("mae")
    return float("nan") if value is None else value
