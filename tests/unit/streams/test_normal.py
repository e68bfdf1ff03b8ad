"""Normal numbers and the logarithm behind them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shrubs import _core
from tests.reference import random_numbers
from tests.reference.logarithm import logarithm
from tests.reference.normal import Normal

seeds = st.integers(0, 2**64 - 1)


@given(st.floats(min_value=2.0**-1022, max_value=1e300))
def test_logarithm_agrees_with_reference(x: float) -> None:
    assert _core.logarithm(x) == logarithm(x)


@given(st.floats(min_value=2.0**-1022, max_value=1e300))
def test_logarithm_is_accurate(x: float) -> None:
    assert logarithm(x) == pytest.approx(math.log(x), rel=1e-15, abs=1e-16)


@given(seeds)
def test_normal_draws_agree_with_reference(seed: int) -> None:
    ours, reference = _core.Normal(), Normal()
    random, plain = _core.Random(seed, 0), random_numbers.Random(seed, 0)
    assert [ours.draw(random) for _ in range(200)] == [reference.draw(plain) for _ in range(200)]


def test_tail_draws_agree_with_reference() -> None:
    # One draw in about 3,900 is beyond the lowest layer: 50,000 draws see about 13.
    ours, reference = _core.Normal(), Normal()
    random, plain = _core.Random(5, 0), random_numbers.Random(5, 0)
    draws = [reference.draw(plain) for _ in range(50_000)]
    assert sum(abs(draw) > 3.6541528853610088 for draw in draws) > 3
    assert [ours.draw(random) for _ in range(50_000)] == draws


def test_normal_draws_are_normal() -> None:
    normal, random = _core.Normal(), _core.Random(7, 0)
    draws = np.array([normal.draw(random) for _ in range(200_000)])
    assert stats.kstest(draws, "norm").pvalue > 0.001
    assert stats.kurtosis(draws) == pytest.approx(0.0, abs=0.05)
