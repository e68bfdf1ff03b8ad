"""Extreme streams for random learners: the same bits by every path, and sound predictions."""

import itertools
import math

import numpy as np
import pytest

from tests.attacks.budget import rounds
from tests.attacks.random_streams import draw_attack

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")


def learn_rows(learner, X, y, _):
    for row, outcome in zip(X, y, strict=True):
        learner.learn_one(row, outcome)
    return learner


def learn_batches(learner, X, y, draw):
    cuts = sorted({0, len(y), *(draw.randint(0, len(y)) for _ in range(3))})
    for begin, end in itertools.pairwise(cuts):
        learner.partial_fit(np.array(X[begin:end]), y[begin:end])
    return learner


def learn_prequentially(learner, X, y, _):
    learner.prequential(np.array(X), y)
    return learner


def learn_and_save(learner, X, y, draw):
    half = draw.randint(0, len(y))
    learn_rows(learner, X[:half], y[:half], draw)
    return learn_rows(type(learner).from_bytes(learner.to_bytes()), X[half:], y[half:], draw)


PATHS = [learn_rows, learn_batches, learn_prequentially, learn_and_save]


def test_every_path_gives_the_same_bits():
    for draw in rounds(500):
        attack = draw_attack(draw)
        states = {path(attack.new_learner(), attack.X, attack.y, draw).to_bytes() for path in PATHS}
        assert len(states) == 1


def test_predictions_are_always_sound():
    for draw in rounds(500):
        attack = draw_attack(draw)
        learner = attack.new_learner()
        for x, y in zip(attack.X, attack.y, strict=True):
            learner.learn_one(x, y)
            prediction = learner.predict_one(x)
            if learner._regression:
                assert math.isfinite(prediction)
            else:
                shares = learner.predict_proba_one(x)
                assert all(0.0 <= share <= 1.0 for share in shares.values())
                assert math.isclose(sum(shares.values()), 1.0, abs_tol=1e-6)
                assert shares[prediction] == max(shares.values())
        assert len(learner.to_bytes()) > 0


@pytest.mark.parametrize("infinite", [math.inf, -math.inf, 1e39, -1e300])
def test_what_features_cannot_hold_is_refused_without_a_trace(infinite):
    for draw in rounds(20):
        attack = draw_attack(draw)
        learner = learn_rows(attack.new_learner(), attack.X, attack.y, draw)
        before = learner.to_bytes()
        place = draw.randrange(len(attack.X[0]))
        row = [infinite if i == place else value for i, value in enumerate(attack.X[0])]
        with pytest.raises(ValueError, match=r" must be "):
            learner.learn_one(row, attack.y[0])
        with pytest.raises(ValueError, match=r" must be "):
            learner.partial_fit(np.array([attack.X[0], row]), [attack.y[0]] * 2)
        assert learner.to_bytes() == before
