"""How well a learner did: predict, score, learn."""

from shrubs.evaluation.detector import DriftDetector
from shrubs.evaluation.error_detector import ErrorDriftDetector
from shrubs.evaluation.evaluation import Evaluation
from shrubs.evaluation.metrics import ClassificationMetrics, RegressionMetrics
from shrubs.evaluation.prequential import evaluate
from shrubs.evaluation.shifts import Shift
from shrubs.evaluation.trace import Point

__all__ = [
    "ClassificationMetrics",
    "DriftDetector",
    "ErrorDriftDetector",
    "Evaluation",
    "Point",
    "RegressionMetrics",
    "Shift",
    "evaluate",
]
