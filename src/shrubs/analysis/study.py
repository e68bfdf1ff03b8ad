"""The runs of a study by method and stream: those that count, those that were dropped, the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from shrubs.analysis import paper_numbers as paper
from shrubs.analysis.differences import Differences, differences
from shrubs.analysis.fronts import Front, apf, best_under, log_apf, pareto_front
from shrubs.analysis.runs import Run, StreamRuns
from shrubs.messages import shown
from shrubs.results import Record

__all__ = [
    "CAUSES",
    "Outcomes",
    "Values",
    "accuracy",
    "areas",
    "best_of_each",
    "best_runs",
    "compare_areas",
    "compare_areas_everywhere",
    "compare_printed",
    "method_fronts",
    "seconds",
    "size",
]

Values = dict[tuple[str, str], float]
"""By method and stream."""

_ORDER = ("SE", "SE auto", "WT", "SRP", "ARF", "Bag", "SB", "HTT", "HT", "NB", "SDT", "MC", "NC")
"""Ours first, baselines last; methods that are not named here come between."""

CAUSES = ("time", "memory", "crash", "error", "stopped")
"""Why a run does not count: above a limit, broken down, or stopped by somebody."""


def accuracy(record: Record) -> float:
    """What the paper calls test-then-train accuracy."""
    return record.metrics.get("mean_running_accuracy") or 0.0


def size(record: Record) -> float:
    """Bytes, averaged over the stream."""
    return record.metrics.get("mean_memory_bytes") or 0.0


def seconds(record: Record) -> float:
    """What predicting and learning took."""
    return sum(record.metrics.get(name) or 0.0 for name in ("predict_seconds", "learn_seconds"))


@dataclass(frozen=True)
class Outcomes:
    """``counted`` holds the finished runs, ``dropped`` counts the others by cause.

    Both are by method and stream. Methods go by the labels of their records.
    """

    methods: tuple[str, ...]
    streams: tuple[str, ...]
    counted: dict[tuple[str, str], tuple[Record, ...]]
    dropped: dict[tuple[str, str], Counter[str]]
    lengths: dict[str, int]

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
            place = (record.label, record.stream)
            cause = _cause(record)
            if cause is None:
                counted.setdefault(place, []).append(record)
                _check_length(record, lengths.setdefault(record.stream, record.n_examples))
            else:
                dropped.setdefault(place, Counter())[cause] += 1
        places = [*counted, *dropped]
        return cls(
            _sorted((method for method, _ in places), _ORDER, before=2),
            _sorted((stream for _, stream in places), paper.STREAMS),
            {place: tuple(runs) for place, runs in counted.items()},
            dropped,
            lengths,
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
        """How many do not, by cause."""
        return sum(self.dropped.values(), Counter())


def best_runs(outcomes: Outcomes, budget: float) -> dict[tuple[str, str], Record]:
    """The most accurate run of each method on each stream under a budget in bytes."""
    best = {}
    for place, runs in outcomes.counted.items():
        i = best_under([size(run) for run in runs], [accuracy(run) for run in runs], budget)
        if i is not None:
            best[place] = runs[i]
    return best


def best_of_each(outcomes: Outcomes, stream: str) -> StreamRuns | None:
    """The best run of each method on a stream, the best first; None if no run counts."""
    best = [
        Run(max(runs, key=accuracy))
        for method in outcomes.methods
        if (runs := outcomes.runs(method, stream))
    ]
    best.sort(key=lambda run: -accuracy(run.record))
    return StreamRuns(stream, "classification", tuple(best)) if best else None


def method_fronts(outcomes: Outcomes, stream: str) -> Front:
    """Every configuration by size and accuracy, and the front of each method."""
    runs: list[Run] = []
    fronts: list[tuple[int, ...]] = []
    for method in outcomes.methods:
        records = outcomes.runs(method, stream)
        if records:
            front = pareto_front([size(r) for r in records], [accuracy(r) for r in records])
            fronts.append(tuple(len(runs) + i for i in front))
            runs += map(Run, records)
    return Front(
        tuple(runs),
        tuple(size(run.record) for run in runs),
        tuple(accuracy(run.record) for run in runs),
        "higher",
        tuple(fronts),
        by_learner=True,
    )


def areas(outcomes: Outcomes, area: Callable[..., float] = apf) -> Values:
    """The area under the front of each method on each stream where it was tried.

    Where all of its runs were dropped it has no model, so its area is 0.
    """
    return {
        (method, stream): area(
            [size(run) for run in outcomes.runs(method, stream)],
            [accuracy(run) for run in outcomes.runs(method, stream)],
        )
        for method in outcomes.methods
        for stream in outcomes.streams
        if outcomes.was_tried(method, stream)
    }


def compare_areas(outcomes: Outcomes, *, log: bool = False) -> Differences | None:
    """The methods by the area under their fronts; None if there is too little to rank.

    Only streams on which every method was tried are ranked.
    """
    streams = [
        stream
        for stream in outcomes.streams
        if all(outcomes.was_tried(method, stream) for method in outcomes.methods)
    ]
    return _compare(outcomes.methods, streams, areas(outcomes, log_apf if log else apf))


def compare_areas_everywhere(outcomes: Outcomes) -> Differences | None:
    """The methods that were tried on every stream, by their areas; None if too few of them were.

    Where all methods were, this is `compare_areas`.
    """
    methods = [
        method
        for method in outcomes.methods
        if all(outcomes.was_tried(method, stream) for stream in outcomes.streams)
    ]
    return _compare(methods, outcomes.streams, areas(outcomes))


def compare_printed() -> Differences:
    """The methods of the paper by its printed areas; no model means no area."""
    return differences(
        {
            method: [column.get(stream, 0.0) for stream in paper.STREAMS]
            for method, column in paper.APF.items()
        }
    )


def _compare(methods: Sequence[str], streams: Sequence[str], found: Values) -> Differences | None:
    if len(methods) < 3 or len(streams) < 2:
        return None
    return differences(
        {method: [found[method, stream] for stream in streams] for method in methods}
    )


def _check_length(record: Record, length: int) -> None:
    if record.n_examples != length:
        raise ValueError(
            f"stream {shown(record.stream)} was run on {length} and on {record.n_examples} "
            "examples; the runs of a study need one length to be compared"
        )


def _cause(record: Record) -> str | None:
    if record.failure is not None:
        return record.failure
    if record.metrics.get("mean_running_accuracy") is None:
        raise ValueError(
            f"the record of {shown(record.learner)} on {shown(record.stream)} has no mean running "
            "accuracy; a study compares classifiers"
        )
    return None if record.finished else "stopped"


def _sorted(names: Iterable[str], known: tuple[str, ...], before: int = 0) -> tuple[str, ...]:
    """Known names in their order; others in front of the last ``before`` of them."""
    found = set(names)
    others = sorted(found - set(known))
    split = len(known) - before
    parts = (*known[:split], *others, *known[split:])
    return tuple(name for name in parts if name in found)
