"""How well a learner did: predict, score, learn."""

from shrubs.evaluation.detector import DriftDetector
from shrubs.evaluation.metrics import ClassificationMetrics, RegressionMetrics
from shrubs.evaluation.prequential import Evaluation, evaluate
from shrubs.evaluation.trace import Point

__all__ = [
    "ClassificationMetrics",
    "DriftDetector",
    "Evaluation",
    "Point",
    "RegressionMetrics",
    "evaluate",
]
