"""Accuracy against memory, with the Pareto front."""

from __future__ import annotations

from shrubs.analysis.pareto import pareto_front
from shrubs.report.figure import Axis, Points
from shrubs.report.runs import StreamRuns

__all__ = ["memory_front"]


def memory_front(runs: StreamRuns) -> Points | None:
    """The most memory each run took and how well it did; None if no record holds both."""
    classification = runs.task == "classification"
    metric, sign = ("accuracy", 1) if classification else ("mae", -1)
    chosen, values = [], []
    for run in runs.runs:
        memory, quality = run.record.metrics.get("most_memory_bytes"), run.record.metrics[metric]
        if memory is not None and quality is not None:
            chosen.append(run)
            values.append((memory, quality))
    if not chosen:
        return None
    front = pareto_front([cost for cost, _ in values], [sign * gain for _, gain in values])
    quality_axis = (
        Axis("accuracy (share right)", "share")
        if classification
        else Axis("mean absolute error", "number")
    )
    return Points(
        name="front",
        title="Accuracy against memory" if classification else "Error against memory",
        x=Axis("most memory", "bytes", log=True),
        y=quality_axis,
        runs=tuple(chosen),
        values=tuple(values),
        front=tuple(front),
        better="higher" if classification else "lower",
    )
