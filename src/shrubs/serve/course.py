"""How a served model is doing: scores, bytes and shrubs since the service was started.

The learner's thread adds to it; readers draw the figures of the report from it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.analysis.runs import arrange
from shrubs.analysis.traces import life_of
from shrubs.evaluation import DriftDetector, ErrorDriftDetector
from shrubs.evaluation.metrics import ClassificationMetrics, RegressionMetrics
from shrubs.evaluation.shifts import Shift, shifts_of
from shrubs.evaluation.trace import Point, living_shrubs
from shrubs.report.figures import Figure, lines
from shrubs.report.figures.bands import life_bands
from shrubs.report.legend import Entry, Legend
from shrubs.results import Record

__all__ = ["Course"]

_MAX_POINTS = 160
_MAX_CLASSES = 200
_FIRST_STEP = 10  # examples between two points, at first


class Course:
    """What came of the labels so far.

    Args:
        learner: the served one, as it is now, or what tells of all of them.
        kind: its kind.
        regression: whether it has targets.
    """

    def __init__(self, learner: Any, kind: str, *, regression: bool) -> None:
        self.metrics = RegressionMetrics() if regression else ClassificationMetrics(0)
        self.drifts: list[int] = []
        self.shifts: list[Shift] | None = None
        self.points: list[Point] = []
        self._detector = ErrorDriftDetector() if regression else DriftDetector()
        self.start = learner.examples_seen
        self._classes: dict[Hashable, int] = {}
        self._kind = kind
        self._step = _FIRST_STEP
        self._next = self.start + 1
        self._watch(learner)

    def note(self, outcomes: Sequence[tuple[Any, Any]], learner: Any) -> None:
        """Take in labels and what was predicted for them, after the learner has learned them."""
        if not outcomes:
            return
        wrong = self._score(outcomes)
        found = self._detector.update(wrong)
        if self.shifts is None:
            self.drifts += [self.start + position for position in found]
        if learner.examples_seen >= self._next:
            self._add_point(learner)

    def _score(self, outcomes: Sequence[tuple[Any, Any]]) -> NDArray[Any]:
        """Errors, or which predictions were wrong."""
        unknown = np.full(len(outcomes), np.nan)
        if isinstance(self.metrics, RegressionMetrics):
            y, predicted = np.array(outcomes, dtype=np.float64).T
            return self.metrics.update(y, predicted, unknown)
        y, predicted = np.array([self._codes(*outcome) for outcome in outcomes], dtype=np.int64).T
        return ~self.metrics.update(y, predicted, unknown)

    def _codes(self, y: Any, predicted: Any) -> tuple[int, int]:
        """The numbers of two labels; all that come after the first hundreds share one."""
        if len(self._classes) < _MAX_CLASSES:
            self._classes.setdefault(y, len(self._classes))
        code = self._classes.get(y, _MAX_CLASSES)
        return code, code if y == predicted else self._classes.get(predicted, -1)

    def _add_point(self, learner: Any) -> None:
        seen = learner.examples_seen
        self._watch(learner)
        values, shrubs = self.metrics.values(), living_shrubs(learner)
        points = [*self.points, Point(seen, values, learner.memory_bytes, 0.0, 0.0, shrubs)]
        if len(points) > _MAX_POINTS:
            points, self._step = points[1::2], 2 * self._step
        self.points = points  # readers have the old list, whole
        self._next = seen + self._step

    def _watch(self, learner: Any) -> None:
        """Ask the learner for its drifts, if it tells any."""
        told = shifts_of(learner, learner.examples_seen, self.shifts or [])
        if told is not None:
            self.shifts = [shift for shift in told if shift.noticed > self.start]
            self.drifts = [shift.noticed for shift in self.shifts]

    def record(self, name: str) -> Record | None:
        """What is known, as a run of the learner on its stream; None before the first label."""
        points, shifts = self.points, self.shifts
        if not points:
            return None
        trace: dict[str, list[Any]] = {
            metric: [point.metrics.get(metric) for point in points] for metric in points[-1].metrics
        }
        trace["n_examples"] = [point.n_examples for point in points]
        trace["memory_bytes"] = [point.memory_bytes for point in points]
        return Record(
            learner="shrubs",
            label=self._kind,
            configuration={},
            stream=name,
            stream_options={},
            seed=0,
            code_version="",
            n_examples=points[-1].n_examples,
            finished=False,
            metrics=points[-1].metrics,
            found_drifts=tuple(self.drifts),
            shifts=None if shifts is None else tuple(map(asdict, shifts)),
            trace=trace,
        )

    def figures(self, name: str) -> tuple[list[Figure], list[Entry]]:
        """The figures of the report, and their legend; none before the first label."""
        record = self.record(name)
        if record is None:
            return [], []
        (runs,) = arrange([record])
        legend = Legend.of([self._kind])
        entry = legend.entry(runs.best)
        figures: list[Figure] = [*lines(runs, legend)]
        shrubs = [list(point.shrubs) for point in self.points]
        if any(len(point) > 1 for point in shrubs):
            found = life_of([p.n_examples for p in self.points], shrubs, (), record.found_drifts)
            figures.append(life_bands(entry, found))
        return figures, [entry]
