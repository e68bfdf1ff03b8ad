import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs.evaluation import DriftDetector


def plain_drifts(wrong, confidence):
    """HDDM-A example by example."""
    drifts = []
    bits = math.log(1 / confidence)
    n = n_wrong = 0
    lowest, best_n, best_rate = math.inf, 1, 1.0
    for position, error in enumerate(wrong, start=1):
        n, n_wrong = n + 1, n_wrong + error
        rate = n_wrong / n
        level = rate + math.sqrt(bits / (2 * n))
        if level < lowest:
            lowest, best_n, best_rate = level, n, rate
        elif rate - best_rate > math.sqrt((1 / best_n - 1 / n) / 2 * bits):
            drifts.append(position)
            n = n_wrong = 0
            lowest, best_n, best_rate = math.inf, 1, 1.0
    return drifts


@given(st.integers(0, 2**32 - 1), st.integers(1, 400))
def test_blocks_find_what_a_plain_loop_finds(seed, block):
    rng = np.random.default_rng(seed)
    rates = np.repeat(rng.random(6), 200)
    wrong = rng.random(len(rates)) < rates
    detector = DriftDetector(confidence=0.01)
    found = []
    for start in range(0, len(wrong), block):
        found += detector.update(wrong[start : start + block])
    assert found == plain_drifts(wrong.tolist(), 0.01)


def test_a_constant_error_rate_raises_no_alarm():
    wrong = np.random.default_rng(0).random(200_000) < 0.3
    assert DriftDetector().update(wrong) == []


def test_confidence_must_be_a_probability():
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, got 2"):
        DriftDetector(confidence=2)
