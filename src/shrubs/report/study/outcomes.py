"""The runs of a study by method and stream: those that count, and those that were dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from shrubs.analysis import paper_tables as paper
from shrubs.experiments.registry import find_learner
from shrubs.results import Record

__all__ = ["KINDS", "Outcomes", "accuracy", "seconds", "size"]

_ORDER = ("SE", "SE auto", "WT", "SRP", "ARF", "Bag", "SB", "HTT", "HT", "NB", "SDT", "MC", "NC")
"""Ours first, baselines last; methods that are not named here come between."""

KINDS = ("time", "memory", "crash", "error", "stopped")
"""Why a run does not count: above a limit, broken down, or stopped by somebody."""


def accuracy(record: Record) -> float:
    """What the paper calls test-then-train accuracy."""
    return record.metrics["mean_running_accuracy"] or 0.0


def size(record: Record) -> float:
    """Bytes, averaged over the stream."""
    return record.metrics["mean_memory_bytes"] or 0.0


def seconds(record: Record) -> float:
    """What predicting and learning took."""
    return sum(record.metrics.get(name) or 0.0 for name in ("predict_seconds", "learn_seconds"))


@dataclass(frozen=True)
class Outcomes:
    """``counted`` holds the finished runs, ``dropped`` counts the others by kind.

    Both are by method and stream. Methods go by their labels in the registry.
    """

    methods: tuple[str, ...]
    streams: tuple[str, ...]
    counted: dict[tuple[str, str], tuple[Record, ...]]
    dropped: dict[tuple[str, str], Counter[str]]
    lengths: dict[str, int]
    versions: tuple[str, ...]

    @classmethod
    def of(cls, records: Iterable[Record]) -> Outcomes:
        """Sort the records; of several of the same run the last one counts."""
        unique = list({record.run_id: record for record in records}.values())
        if not unique:
            raise ValueError("records must hold at least one run, got none")
        counted: dict[tuple[str, str], list[Record]] = {}
        dropped: dict[tuple[str, str], Counter[str]] = {}
        lengths: dict[str, int] = {}
        for record in unique:
            place = (find_learner(record.learner).label, record.stream)
            kind = _kind(record)
            if kind is None:
                counted.setdefault(place, []).append(record)
                _check_length(record, lengths.setdefault(record.stream, record.n_examples))
            else:
                dropped.setdefault(place, Counter())[kind] += 1
        places = [*counted, *dropped]
        return cls(
            _sorted((method for method, _ in places), _ORDER, before=2),
            _sorted((stream for _, stream in places), paper.STREAMS),
            {place: tuple(runs) for place, runs in counted.items()},
            dropped,
            lengths,
            tuple(sorted({record.code_version for record in unique})),
        )

    def runs(self, method: str, stream: str) -> tuple[Record, ...]:
        """The runs of a method on a stream that count."""
        return self.counted.get((method, stream), ())

    def was_tried(self, method: str, stream: str) -> bool:
        """Whether there was any run, even if all were dropped."""
        return (method, stream) in self.counted or (method, stream) in self.dropped

    def is_prefix(self, stream: str) -> bool:
        """Whether the runs saw fewer examples than those of the paper."""
        return self.lengths.get(stream, 0) < paper.LENGTHS.get(stream, 0)

    @property
    def n_counted(self) -> int:
        """How many runs count."""
        return sum(map(len, self.counted.values()))

    @property
    def n_dropped(self) -> Counter[str]:
        """How many do not, by kind."""
        return sum(self.dropped.values(), Counter())


def _check_length(record: Record, length: int) -> None:
    if record.n_examples != length:
        raise ValueError(
            f"stream {record.stream!r} was run on {length} and on {record.n_examples} examples; "
            "the runs of a study need one length to be compared"
        )


def _kind(record: Record) -> str | None:
    if record.failure is not None:
        return record.failure
    if record.metrics.get("mean_running_accuracy") is None:
        raise ValueError(
            f"the record of {record.learner!r} on {record.stream!r} has no mean running accuracy; "
            "a study compares classifiers"
        )
    return None if record.finished else "stopped"


def _sorted(names: Iterable[str], known: tuple[str, ...], before: int = 0) -> tuple[str, ...]:
    """Known names in their order; others in front of the last ``before`` of them."""
    found = set(names)
    others = sorted(found - set(known))
    split = len(known) - before
    parts = (*known[:split], *others, *known[split:])
    return tuple(name for name in parts if name in found)
