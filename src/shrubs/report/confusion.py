"""Which classes are taken for which."""

from __future__ import annotations

from shrubs.report.figure import Matrix
from shrubs.report.runs import StreamRuns

__all__ = ["confusion_matrices"]


def confusion_matrices(runs: StreamRuns) -> list[Matrix]:
    """One matrix per run that counted; empty for a regression."""
    return [
        Matrix(
            name="confusion",
            title="Confusion matrix",
            run=run,
            classes=_names(run.record.classes or (), len(run.record.confusion)),
            counts=run.record.confusion,
        )
        for run in runs.runs
        if run.record.confusion
    ]


def _names(classes: tuple[str, ...], n_classes: int) -> tuple[str, ...]:
    """Labels of all classes; those that nobody announced are called by their index."""
    return (*classes, *(f"class {i}" for i in range(len(classes), n_classes)))[:n_classes]
