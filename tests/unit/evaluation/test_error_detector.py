import numpy as np
import pytest

from shrubs import ShrubRegressor
from shrubs.evaluation import ErrorDriftDetector, evaluate
from shrubs.protocols import Block, Feature, Schema

DRAW = {
    "normal": lambda rng, n: np.abs(rng.normal(size=n)),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "heavy": lambda rng, n: np.abs(rng.standard_cauchy(n)),
    "zero": lambda rng, n: np.zeros(n),
}


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_errors_that_stay_as_they_are_raise_no_alarm(draw):
    for seed in range(5):
        assert ErrorDriftDetector().update(draw(np.random.default_rng(seed), 50_000)) == []


def test_a_learner_that_gets_better_raises_no_alarm():
    rng = np.random.default_rng(0)
    errors = np.abs(rng.normal(size=50_000)) * (1 + 99 * np.exp(-np.arange(50_000) / 3000))
    assert ErrorDriftDetector().update(errors) == []


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e12])
@pytest.mark.parametrize("block", [1, 700, 50_000])
def test_a_rise_is_found_in_any_unit_and_in_blocks_of_any_size(unit, block):
    rng = np.random.default_rng(0)
    errors = unit * rng.exponential(np.repeat([10.0, 1.0, 3.0], [3000, 5000, 4000]))
    detector = ErrorDriftDetector()
    found = [at for i in range(0, 12_000, block) for at in detector.update(errors[i : i + block])]
    assert len(found) == 1
    assert 8000 < found[0] < 8500
    assert detector.n_examples == 12_000


def test_errors_beyond_all_numbers_are_survived():
    errors = np.ones(10_000)
    errors[2500:2600] = np.inf
    errors[2600] = np.nan
    errors[9000:] = 10.0
    with np.errstate(all="raise"):
        found = ErrorDriftDetector().update(errors)
    assert len([at for at in found if at > 9000]) == 1


class Friedman:
    """Friedman's first function; halfway the other five features take over, if ``drifts``."""

    name = "friedman"
    n_examples = 12_000
    schema = Schema(tuple(Feature(f"x{i}") for i in range(10)), None)

    def __init__(self, drifts):
        self.drifts = drifts

    def blocks(self, size=1000):
        rng = np.random.default_rng(7)
        X = rng.random((self.n_examples, 10), dtype=np.float32)
        a = X.astype(float)
        if self.drifts:
            a[6000:] = np.roll(a[6000:], 5, axis=1)
        y = 10 * np.sin(np.pi * a[:, 0] * a[:, 1]) + 20 * (a[:, 2] - 0.5) ** 2
        y += 10 * a[:, 3] + 5 * a[:, 4] + rng.normal(size=len(y))
        for start in range(0, len(y), size):
            yield Block(X[start : start + size], y[start : start + size])


@pytest.mark.parametrize("drifts", [False, True])
def test_a_drift_of_a_regression_is_found_where_there_is_one(drifts):
    evaluation = evaluate(ShrubRegressor(), Friedman(drifts))
    assert [6000 < at < 7000 for at in evaluation.drifts] == [True] * drifts
