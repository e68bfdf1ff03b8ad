"""The place of each learner on each stream, by its best run there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from shrubs.analysis.runs import StreamRuns

__all__ = ["Places", "places"]


@dataclass(frozen=True)
class Places:
    """Learners, the best mean place first; scores and places by learner and number of the stream.

    Equal scores share the mean of their places. ``means`` has the learners that have a score on
    every stream.
    """

    learners: tuple[str, ...]
    scores: Mapping[tuple[str, int], float]
    at: Mapping[tuple[str, int], float]
    means: Mapping[str, float]


def places(streams: Sequence[StreamRuns]) -> Places:
    """The places on all streams, by accuracy or by mean absolute error."""
    scores: dict[tuple[str, int], float] = {}
    at: dict[tuple[str, int], float] = {}
    for i, runs in enumerate(streams):
        metric, sign = ("accuracy", -1) if runs.task == "classification" else ("mae", 1)
        found = {
            run.learner: value
            for run in runs.best_of_each().runs
            if (value := run.record.metrics.get(metric)) is not None
        }
        losses = [sign * value for value in found.values()]
        for learner, value in found.items():
            better = sum(loss < sign * value for loss in losses)
            scores[learner, i] = value
            at[learner, i] = better + (losses.count(sign * value) + 1) / 2
    names = list(dict.fromkeys(run.learner for runs in streams for run in runs.runs))
    means = {
        name: fmean(at[name, i] for i in range(len(streams)))
        for name in names
        if all((name, i) in at for i in range(len(streams)))
    }
    order = sorted(names, key=lambda name: means.get(name, float("inf")))
    return Places(tuple(order), scores, at, means)
