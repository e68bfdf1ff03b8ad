"""The best configurations of earlier runs, to be done again: on whole streams, for example."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from shrubs.experiments.registry import is_import_path
from shrubs.messages import shown
from shrubs.results import Record

__all__ = ["Finalists", "choose_finalists"]


@dataclass(frozen=True)
class Finalists:
    """How many of the configurations of each method go on: the most accurate on each stream.

    Only models of at most ``max_bytes``, averaged over the stream, are in question. Where a stream
    was run with several options, such as lengths, so many of each go on.
    """

    best: int
    max_bytes: float = math.inf


def choose_finalists(
    rules: Iterable[Finalists], records: Iterable[Record]
) -> dict[str, list[Record]]:
    """One run of each configuration that any rule lets go on, by stream, the fastest first."""
    unique = {record.run_id: record for record in records}.values()
    counted = [record for record in unique if record.finished and record.failure is None]
    counted.sort(key=_accuracy, reverse=True)
    chosen: dict[str, dict[str, Record]] = {}
    for rule in rules:
        n_chosen: Counter[tuple[str, ...]] = Counter()
        for record in counted:
            options = sorted(record.stream_options.items())
            place = (record.label, record.stream, str(options), str(record.seed))
            if n_chosen[place] < rule.best and _size(record) <= rule.max_bytes:
                _check_learner(record)
                n_chosen[place] += 1
                chosen.setdefault(record.stream, {}).setdefault(_key(record), record)
    return {
        stream: sorted(found.values(), key=_seconds_per_example) for stream, found in chosen.items()
    }


def _key(record: Record) -> str:
    """The same for the same configuration, on however many examples it was tried."""
    return f"{record.learner} {sorted(record.configuration.items())}"


def _accuracy(record: Record) -> float:
    return record.metrics.get("mean_running_accuracy") or 0.0


def _size(record: Record) -> float:
    return record.metrics.get("mean_memory_bytes") or 0.0


def _seconds_per_example(record: Record) -> float:
    names = ("predict_seconds", "learn_seconds")
    return sum(record.metrics.get(name) or 0.0 for name in names) / max(record.n_examples, 1)


def _check_learner(record: Record) -> None:
    if is_import_path(record.learner):
        raise ValueError(
            f"finalists must be learners of `shrubs learners`, got {shown(record.learner)}"
        )
