"""The answer in a sentence and a few numbers: who was best, by how much, with how much memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shrubs.analysis.lead import lead
from shrubs.analysis.recovery import POINTS, SHARE, Recovery, recoveries
from shrubs.analysis.runs import Run, StreamRuns, Task
from shrubs.analysis.scores import leader, no_change, score
from shrubs.report.units import (
    count,
    decimals,
    listed,
    memory,
    microseconds,
    number,
    percent,
    significant,
)

__all__ = ["Fact", "drifts_at_a_glance", "drifts_in_words", "facts", "headline", "sentence"]


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
    best = runs.best
    if runs.task == "regression":
        return f"{best.label} has the least error: off by {_error(best)} on average{_ahead(runs)}."
    text = f"{best.label} is right most often: {percent(_accuracy(best))} % of all predictions"
    text += _ahead(runs)
    if best.is_no_change:
        return f"{text}. Nothing beats predicting the last label here."
    last_label = no_change(runs)
    if last_label is None:
        return text + "."
    return f"{text}. Predicting the last label again would be right on {percent(last_label)} %."


def _ahead(runs: StreamRuns) -> str:
    """How far the best is ahead of its rival, and how sure that is."""
    rival = runs.rival
    found = None if rival is None else lead(runs.best, rival)
    if rival is None or found is None:
        return ""
    chance = "" if found.margin is None or found.is_clear else ", which may be chance"
    if runs.task == "regression":
        by = f"{significant(found.by)}{_margin(found.margin, '#.2g')}"
        return f", {by} less than {rival.label} with {_error(rival)}{chance}"
    margin = _margin(found.margin and 100 * found.margin, ".1f")
    return f", {100 * found.by:.1f} points{margin} ahead of {rival.label}{chance}"


def _margin(value: float | None, digits: str) -> str:
    return "" if value is None else f" (\N{PLUS-MINUS SIGN} {value:{digits}})"


def drifts_at_a_glance(runs: StreamRuns) -> str:
    """When it drifted, and how long recovery took; empty if nothing is known of drifts."""
    if not runs.drifts:
        return ""
    at = listed(list(map(count, runs.drifts)))
    detected = f"{_noticed(runs)} at {at}"
    text = f"It drifted at {at}" if runs.known_drifts else detected
    found = recoveries(runs)
    if not found:
        return f"{text}."
    took = [each.n_examples for each in found if each.worst is not None]
    if not took:
        return f"{text}; {runs.best.label} did not suffer."
    times = [count(n) for n in took if n is not None]
    n_lasting = len(took) - len(times)
    parts = [f"recovery of {runs.best.label} took {listed(times)} examples"] if times else []
    if n_lasting and len(runs.drifts) == 1:
        parts.append(f"{runs.best.label} was not back by the end")
    elif n_lasting:
        who = "it" if times else runs.best.label
        parts.append(f"after {n_lasting} of them {who} was not back by the next drift or the end")
    return f"{text}; {', and '.join(parts)}."


def drifts_in_words(runs: StreamRuns) -> list[str]:
    """For every drift a sentence: when, what it did to the best run, how long until it was back."""
    label = runs.watch.label
    errors = f"a drift detected from the errors of {label}"
    source = f"a drift that {label} noticed" if runs.watch.record.shifts else errors
    kind = "a known drift" if runs.known_drifts else source
    return [_drift_sentence(each, kind, runs.task) for each in recoveries(runs)]


def _noticed(runs: StreamRuns) -> str:
    label = runs.watch.label
    if runs.watch.record.shifts:
        return f"{label} noticed a change of concept"
    return f"Errors of {label} began to rise"


def _drift_sentence(each: Recovery, kind: str, task: Task) -> str:
    if each.delay is not None:
        kind += f", noticed after {number(each.delay, 'example')}"
    is_accuracy = task == "classification"
    what = "recent accuracy" if is_accuracy else "recent error"
    before = _level(each.before, task)
    near = f"{100 * POINTS:.0f} points" if is_accuracy else f"{100 * SHARE:.0f} %"
    if each.worst is None:
        return f"At {count(each.drift)} ({kind}): {what} stayed within {near} of {before}."
    verb = "fell" if is_accuracy else "rose"
    text = (
        f"At {count(each.drift)} ({kind}): {what} {verb} from {before} to "
        f"{_level(each.worst, task)}"
    )
    if each.n_examples is None:
        return f"{text} and was not back by {count(each.until)}."
    return f"{text}; back within {near} after {count(each.n_examples)} examples."


def _level(value: float, task: Task) -> str:
    return f"{100 * value:.1f} %" if task == "classification" else significant(value)


def facts(runs: StreamRuns) -> list[Fact]:
    """The numbers of the best run, and of no-change."""
    record = runs.best.record
    if runs.task == "classification":
        shown = [Fact(percent(_accuracy(runs.best)), "%", "accuracy", "share right")]
    else:
        shown = [Fact(_error(runs.best), "", "mean absolute error", "in units of the target")]
        explained = record.metrics.get("r2")
        if explained is not None:
            shown.append(Fact(decimals(explained), "", "R²", "share of the variance explained"))
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


def _error(run: Run) -> str:
    value = run.record.metrics.get("mae")
    return "an unknown amount" if value is None else significant(value)
