"""What predicting the last label would have got right, from the metrics of any learner."""

from __future__ import annotations

__all__ = ["no_change_accuracy"]


def no_change_accuracy(accuracy: float, kappa_temporal: float) -> float | None:
    """The accuracy of a no-change classifier on the same stream; None if it cannot be told.

    Kappa-temporal is the share of the no-change classifier's errors that a learner avoids,
    (accuracy - p) / (1 - p); this solves for p. A learner without errors leaves p open.

    >>> no_change_accuracy(0.9, 0.5)
    0.8
    """
    if kappa_temporal >= 1:
        return None
    return (accuracy - kappa_temporal) / (1 - kappa_temporal)
