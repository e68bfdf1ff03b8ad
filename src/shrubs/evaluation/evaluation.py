"""What an evaluation has found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from operator import mul

from shrubs.evaluation.detector import DriftDetector
from shrubs.evaluation.metrics import ClassificationMetrics, RegressionMetrics
from shrubs.evaluation.shifts import Shift
from shrubs.evaluation.trace import Point
from shrubs.notebook import card, curve

__all__ = ["Evaluation"]

_FOLLOWED = ("windowed_accuracy", "windowed_mae", "mae")  # the first that there is
_MAX_DRIFTS = 10


@dataclass(repr=False)
class Evaluation:
    """What an evaluation found so far.

    ``finished`` is False after an interruption. ``drifts`` are the positions at which the learner
    noticed that the concept changed; for one that does not tell, at which its error began to rise,
    found by ``detector``. ``shifts`` are what the learner tells of them, or None. ``n_fractions``
    is how many weights so far were not whole.
    """

    metrics: ClassificationMetrics | RegressionMetrics
    detector: DriftDetector = field(default_factory=DriftDetector)
    trace: list[Point] = field(default_factory=list)
    drifts: list[int] = field(default_factory=list)
    shifts: list[Shift] | None = None
    predict_seconds: float = 0.0
    learn_seconds: float = 0.0
    measuring_seconds: float = 0.0
    n_fractions: int = 0
    finished: bool = False

    @property
    def n_examples(self) -> int:
        """Examples predicted so far."""
        return self.metrics.n_examples

    def values(self) -> dict[str, float | None]:
        """All metrics by name, with memory in bytes (at the points of the trace) and seconds."""
        memory = [point.memory_bytes for point in self.trace] or [0]
        ends = [point.n_examples for point in self.trace] or [1]
        lengths = [end - start for start, end in pairwise([0, *ends])]
        return {
            **self.metrics.values(),
            "memory_bytes": memory[-1],
            "mean_memory_bytes": sum(map(mul, memory, lengths)) / ends[-1],
            "max_memory_bytes": max(memory),
            "predict_seconds": self.predict_seconds,
            "learn_seconds": self.learn_seconds,
        }

    def __repr__(self) -> str:
        known = {name: value for name, value in self.metrics.values().items() if value is not None}
        values = ", ".join(f"{name}={value:.4g}" for name, value in known.items())
        return f"Evaluation(n_examples={self.n_examples}, finished={self.finished}, {values})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the last values and their curve, with the drifts it found."""
        values = self.metrics.values()
        followed = next(name for name in _FOLLOWED if name in values)
        points = [(point.n_examples, point.metrics[followed]) for point in self.trace]
        known = [(x, math.nan if y is None else y) for x, y in points]
        drifts = ", ".join(f"{drift:,}" for drift in self.drifts[:_MAX_DRIFTS])
        facts = {
            "examples": f"{self.n_examples:,}" + ("" if self.finished else ", unfinished"),
            **{name.replace("_", " "): f"{v:.4g}" for name, v in values.items() if v is not None},
            "drifts found at": drifts or "none",
        }
        return card("Evaluation", facts, curve(known, self.drifts, followed.replace("_", " ")))
