"""Intervals and sets that cover a given share of the outcomes, from the bound of their scores."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.messages import shown

__all__ = ["bound_of", "intervals", "set_of", "sets"]

# As the core has it: rarer classes count as likely as this.
_LEAST_PROBABILITY = 2.0**-64


def bound_of(source: Any, coverage: Any) -> float:
    """What so large a share of the scores does not exceed; infinite before the first."""
    if isinstance(coverage, bool) or not isinstance(coverage, numbers.Real):
        raise TypeError(f"coverage must be a number, got {shown(coverage)}")
    if not 0 < float(coverage) < 1:
        raise ValueError(f"coverage must be greater than 0 and less than 1, got {shown(coverage)}")
    if not isinstance(source, _core.AutoLearner | _core.AutoSnapshot | None):
        raise TypeError("the paper's algorithm keeps no intervals or sets")
    return math.inf if source is None else source.bound(float(coverage))


def set_of(probabilities: Mapping[Hashable, float], bound: float) -> set[Hashable]:
    """The labels of one set."""
    (covered,) = sets(np.array([list(probabilities.values())]), bound)
    return {label for label, is_in in zip(probabilities, covered, strict=True) if is_in}


def intervals(targets: NDArray[np.float64], bound: float) -> NDArray[np.float64]:
    """From and to, ``(n, 2)``, around targets, ``(n,)``."""
    with np.errstate(over="ignore"):
        return np.stack([targets - bound, targets + bound], axis=1)


def sets(probabilities: NDArray[np.float64], bound: float) -> NDArray[np.bool_]:
    """Which classes are in the sets, ``(n, n_classes)``: always the most likely one."""
    covered = np.asarray(1.0 / np.maximum(probabilities, _LEAST_PROBABILITY) <= bound)
    if covered.size:
        covered[np.arange(len(covered)), np.argmax(probabilities, axis=1)] = True
    return covered
