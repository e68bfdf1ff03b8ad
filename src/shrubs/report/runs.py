"""Arranges records for showing: by stream, the best first, each run with a label and a style."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shrubs.report.theme import DASHES, Style, styles
from shrubs.results import Record

__all__ = ["Run", "StreamRuns", "arrange", "is_no_change"]


@dataclass(frozen=True)
class Run:
    """One record, and how it is called and drawn.

    ``detail`` says what sets it apart from the other runs of its learner; often nothing. ``name``
    is another name for the learner, such as its label in a study.
    """

    record: Record
    detail: str
    style: Style
    dash: int
    name: str = ""

    @property
    def learner(self) -> str:
        """The name of the learner."""
        return self.name or self.record.learner

    @property
    def label(self) -> str:
        """The name, with the detail in brackets."""
        return f"{self.learner} ({self.detail})" if self.detail else self.learner


@dataclass(frozen=True)
class StreamRuns:
    """All runs on one stream, the best first: most often right, or with the least error."""

    title: str
    task: Literal["classification", "regression"]
    runs: tuple[Run, ...]

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

    def best_of_each(self) -> StreamRuns:
        """Only the best run of each learner."""
        best: dict[str, Run] = {}
        for run in self.runs:
            best.setdefault(run.learner, run)
        return StreamRuns(self.title, self.task, tuple(best.values()))


def arrange(records: Iterable[Record]) -> list[StreamRuns]:
    """The runs by stream, streams in the order of the records.

    Of several records of the same run the last one counts. Failed runs are left out. Raises
    ValueError if there are no other records, or if one stream has records of both tasks.
    """
    unique = {record.run_id: record for record in records}
    kept = [record for record in unique.values() if record.failure is None]
    if not kept:
        raise ValueError("records must hold at least one run, got none")
    looks = styles(record.learner for record in kept)
    details = _details(kept)
    dashes = _dashes(kept, details)
    groups: dict[str, list[Record]] = {}
    for record in kept:
        groups.setdefault(_stream_key(record), []).append(record)
    titles = _titles([group[0] for group in groups.values()])
    return [
        _stream_runs(titles[key], group, looks, details, dashes) for key, group in groups.items()
    ]


def is_no_change(run: Run) -> bool:
    """Whether this is the baseline that predicts the last label."""
    letters = "".join(letter for letter in run.record.learner.lower() if letter.isalpha())
    return letters == "nochange"


def _stream_runs(
    title: str,
    records: Sequence[Record],
    looks: Mapping[str, Style],
    details: Mapping[str, str],
    dashes: Mapping[tuple[str, str], int],
) -> StreamRuns:
    task = _task(title, records)
    if task == "classification":
        ordered = sorted(records, key=lambda record: -(record.metrics["accuracy"] or 0.0))
    else:
        ordered = sorted(records, key=lambda record: _or_infinite(record.metrics["mae"]))
    runs = []
    for record in ordered:
        detail = details[record.run_id]
        dash = dashes[record.learner, detail]
        runs.append(Run(record, detail, looks[record.learner], dash))
    return StreamRuns(title, task, tuple(runs))


def _dashes(records: Sequence[Record], details: Mapping[str, str]) -> dict[tuple[str, str], int]:
    """The line of each configuration, the same on every stream: the first one is solid."""
    dashes: dict[tuple[str, str], int] = {}
    n_of: dict[str, int] = {}
    for record in records:
        key = (record.learner, details[record.run_id])
        if key not in dashes:
            number = n_of.get(record.learner, 0)
            n_of[record.learner] = number + 1
            dashes[key] = number % len(DASHES)
    return dashes


def _or_infinite(value: float | None) -> float:
    return float("inf") if value is None else value


def _task(title: str, records: Sequence[Record]) -> Literal["classification", "regression"]:
    kinds = set()
    for record in records:
        if "accuracy" in record.metrics:
            kinds.add("classification")
        elif "mae" in record.metrics:
            kinds.add("regression")
        else:
            raise ValueError(
                f"the record of {record.learner!r} on {title!r} has neither accuracy nor mae"
            )
    if len(kinds) > 1:
        raise ValueError(
            f"stream {title!r} has records of classification and of regression; report them apart"
        )
    return "classification" if "classification" in kinds else "regression"


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


def _details(records: Sequence[Record]) -> dict[str, str]:
    """By run, what differs from the other runs of its learner on any stream."""
    by_learner: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        by_learner.setdefault(record.learner, []).append(_settings(record))
    varying = {name: _varying(settings) for name, settings in by_learner.items()}
    return {
        record.run_id: _chosen(_settings(record), varying[record.learner]) for record in records
    }


def _settings(record: Record) -> dict[str, Any]:
    extra = {"seed": record.seed, "delay": record.delay, "version": record.code_version}
    return {**record.configuration, **extra}


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
