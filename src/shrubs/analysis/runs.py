"""Runs by stream, the best first, each with what sets it apart from the others of its learner."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from shrubs.messages import shown
from shrubs.results import Record

__all__ = ["Run", "StreamRuns", "Task", "arrange"]

Task = Literal["classification", "regression"]
"""Whether a stream has classes or targets."""


@dataclass(frozen=True)
class Run:
    """One record, and what sets it apart from the other runs of its learner.

    ``detail`` says it in words, often in none. ``variant`` counts the configurations of the learner
    from 0, the same on every stream.
    """

    record: Record
    detail: str = ""
    variant: int = 0

    @property
    def learner(self) -> str:
        """What its learner is called: the label of its record."""
        return self.record.label

    @property
    def label(self) -> str:
        """The name of the learner, with the detail in brackets."""
        return f"{self.learner} ({self.detail})" if self.detail else self.learner

    @property
    def is_no_change(self) -> bool:
        """Whether this is the baseline that predicts the last label."""
        letters = "".join(letter for letter in self.record.learner.lower() if letter.isalpha())
        return letters == "nochange"


@dataclass(frozen=True)
class StreamRuns:
    """All runs on one stream, the best first: most often right, or with the least error."""

    title: str
    task: Task
    runs: tuple[Run, ...]

    @property
    def best(self) -> Run:
        """The best run."""
        return self.runs[0]

    @property
    def rival(self) -> Run | None:
        """The best run of another learner."""
        return next((run for run in self.runs if run.learner != self.best.learner), None)

    @property
    def n_examples(self) -> int:
        """The most examples that any run has seen."""
        return max(run.record.n_examples for run in self.runs)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels of the classes; none for a regression."""
        return next((run.record.classes for run in self.runs if run.record.classes), ())

    @property
    def known_drifts(self) -> tuple[int, ...]:
        """Where the concept is known to change."""
        return next((run.record.known_drifts for run in self.runs if run.record.known_drifts), ())

    @property
    def watch(self) -> Run:
        """The best run that tells when the concept changed.

        Without any, the best one in whose errors drifts were detected, or the best of all.
        """
        tells = [run for run in self.runs if run.record.shifts is not None]
        detected = [run for run in self.runs if run.record.found_drifts]
        return [*tells, *detected, self.best][0]

    @property
    def drifts(self) -> tuple[int, ...]:
        """The known drifts; without any, those of `watch`."""
        return self.known_drifts or self.watch.record.found_drifts

    def best_of_each(self) -> StreamRuns:
        """Only the best run of each learner."""
        best: dict[str, Run] = {}
        for run in self.runs:
            best.setdefault(run.learner, run)
        return replace(self, runs=tuple(best.values()))


def arrange(records: Iterable[Record]) -> list[StreamRuns]:
    """The runs by stream, streams in the order of the records.

    Of several records of the same run the last one counts. Failed runs are left out. Raises
    ValueError if there are no other records, or if one stream has records of both tasks.
    """
    unique = {record.run_id: record for record in records}
    kept = [record for record in unique.values() if record.failure is None]
    if not kept:
        raise ValueError("records must hold at least one run, got none")
    groups: dict[str, list[Run]] = {}
    for run in _named(kept):
        groups.setdefault(_stream_key(run.record), []).append(run)
    titles = _titles([runs[0].record for runs in groups.values()])
    return [_stream_runs(titles[key], runs) for key, runs in groups.items()]


def _named(records: Sequence[Record]) -> list[Run]:
    """The runs with what differs from the other runs of their learners on any stream."""
    by_learner: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        by_learner.setdefault(record.label, []).append(_settings(record))
    varying = {name: _varying(settings) for name, settings in by_learner.items()}
    variants: dict[str, dict[str, int]] = {}
    runs = []
    for record in records:
        detail = _chosen(_settings(record), varying[record.label])
        known = variants.setdefault(record.label, {})
        runs.append(Run(record, detail, known.setdefault(detail, len(known))))
    return runs


def _stream_runs(title: str, runs: Sequence[Run]) -> StreamRuns:
    task = _task(title, runs)
    return StreamRuns(title, task, tuple(sorted(runs, key=lambda run: _loss(run.record, task))))


def _loss(record: Record, task: Task) -> float:
    """Lower is better; an error that is not known is the worst, an accuracy that is not is 0."""
    if task == "classification":
        return -(record.metrics.get("accuracy") or 0.0)
    error = record.metrics.get("mae")
    return float("inf") if error is None else error


def _task(title: str, runs: Sequence[Run]) -> Task:
    kinds: set[Task] = set()
    for run in runs:
        if "accuracy" in run.record.metrics:
            kinds.add("classification")
        elif "mae" in run.record.metrics:
            kinds.add("regression")
        else:
            raise ValueError(
                f"the record of {shown(run.learner)} on {shown(title)} has neither accuracy nor mae"
            )
    if len(kinds) > 1:
        raise ValueError(
            f"stream {shown(title)} has records of classification and of regression; report them "
            "apart"
        )
    return kinds.pop()


def _stream_key(record: Record) -> str:
    return json.dumps([record.stream, record.stream_options], sort_keys=True, default=str)


def _titles(firsts: Sequence[Record]) -> dict[str, str]:
    """Names of the streams; with the options that differ where one name comes several times."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for record in firsts:
        by_name.setdefault(record.stream, []).append(record.stream_options)
    varying = {name: _varying(options) for name, options in by_name.items()}
    titles = {}
    for record in firsts:
        detail = _chosen(record.stream_options, varying[record.stream])
        titles[_stream_key(record)] = f"{record.stream} ({detail})" if detail else record.stream
    return titles


def _settings(record: Record) -> dict[str, Any]:
    extra = {"seed": record.seed, "delay": record.delay, "version": record.code_version}
    return {"learner": record.learner, **record.configuration, **extra}


def _varying(settings: Sequence[Mapping[str, Any]]) -> set[str]:
    """The names whose values are not the same in all."""
    names = {name for each in settings for name in each}
    return {
        name
        for name in names
        if len({_text(each[name]) if name in each else None for each in settings}) > 1
    }


def _chosen(settings: Mapping[str, Any], names: set[str]) -> str:
    """The settings of these names, such as "max_shrubs=8, window_size=64"."""
    return ", ".join(f"{name}={_text(value)}" for name, value in settings.items() if name in names)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
