"""Intervals and sets: how much they cover, and what is asked of them in vain."""

import math

import numpy as np
import pytest

from shrubs import PaperShrubRegressor, ShrubClassifier, ShrubRegressor

RNG = np.random.default_rng(5)
N = 6000


def drifting_targets(n=N):
    """Targets whose rule and noise change suddenly."""
    X = RNG.normal(size=(n, 3))
    late = np.arange(n) > n // 2
    noise = RNG.standard_t(3, n) * np.where(late, 10.0, 1.0)
    return X, np.where(late, -3.0, 2.0) * X[:, 0] + noise


def drifting_labels(n=N):
    """Three classes that overlap, two of which change places."""
    X = RNG.normal(size=(n, 3))
    y = (X[:, 0] + RNG.normal(size=n) > 0).astype(int) + (X[:, 1] > 1)
    return X, np.where(np.arange(n) > n // 2, 2 - y, y)


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.95])
def test_intervals_cover_their_share_of_a_drifting_stream(coverage):
    X, y = drifting_targets()
    learner, covered = ShrubRegressor(memory_limit="32KB"), 0
    for x, target in zip(X, y, strict=True):
        low, high = learner.predict_interval_one(x, coverage)
        covered += low <= target <= high
        learner.learn_one(x, target)
    assert covered / N == pytest.approx(coverage, abs=0.01)


def test_sets_cover_their_share_of_a_drifting_stream():
    X, y = drifting_labels()
    learner, covered, sizes = ShrubClassifier(memory_limit="32KB"), 0, 0
    for x, label in zip(X, y, strict=True):
        found = learner.predict_set_one(x)
        covered += label in found
        sizes += len(found)
        learner.learn_one(x, label)
    assert covered / N == pytest.approx(0.9, abs=0.01)
    assert sizes / N < 2.5


def learned_targets():
    """A learner of targets, and rows to ask it about."""
    X, y = drifting_targets(300)
    return ShrubRegressor(memory_limit="32KB").partial_fit(X, y), X[:5]


def learned_labels():
    """The same of labels."""
    X, y = drifting_labels(300)
    return ShrubClassifier(memory_limit="32KB").partial_fit(X, y), X[:5]


def test_many_intervals_are_those_of_one_example_each():
    learner, X = learned_targets()
    many = learner.predict_interval(X, 0.8)
    assert many.tolist() == [list(learner.predict_interval_one(x, 0.8)) for x in X]
    assert many.mean(axis=1) == pytest.approx(learner.predict(X))


def test_many_sets_are_those_of_one_example_each():
    learner, X = learned_labels()
    many = learner.predict_set(X, 0.8)
    single = [learner.predict_set_one(x, 0.8) for x in X]
    assert [set(learner.classes_[row].tolist()) for row in many] == single


def test_snapshots_and_saved_learners_say_the_same():
    learner, X = learned_targets()
    again = ShrubRegressor.from_bytes(learner.to_bytes())
    for other in (learner.snapshot(), again):
        assert other.predict_interval(X).tolist() == learner.predict_interval(X).tolist()
        assert other.predict_interval_one(X[0]) == learner.predict_interval_one(X[0])
    labels, X = learned_labels()
    snapshot = labels.snapshot()
    assert snapshot.predict_set(X).tolist() == labels.predict_set(X).tolist()
    assert snapshot.predict_set_one(X[0]) == labels.predict_set_one(X[0])


def test_larger_coverages_have_wider_intervals_and_larger_sets():
    learner, X = learned_targets()
    widths = [np.ptp(learner.predict_interval_one(X[0], c)) for c in (0.01, 0.3, 0.9, 0.9999)]
    assert widths == sorted(widths)
    labels, X = learned_labels()
    assert np.all(labels.predict_set(X, 0.5) <= labels.predict_set(X, 0.99))
    assert labels.predict_set(X, 1e-9).sum(axis=1).tolist() == [1] * len(X)


def test_a_new_class_keeps_the_sets_that_there_are():
    learner, X = learned_labels()
    before = learner._bound(0.9)
    learner.learn_one(X[0], "new")
    assert learner._bound(0.9) == pytest.approx(before, rel=0.2)
    assert learner.predict_set(X).shape == (len(X), 4)


def test_before_the_first_example_anything_may_come():
    assert ShrubRegressor().predict_interval_one([1.0]) == (-math.inf, math.inf)
    assert ShrubClassifier().predict_set_one([1.0]) == set()
    learner = ShrubClassifier().partial_fit(np.empty((0, 1)), [], classes=["a", "b"])
    assert learner.predict_set_one([1.0]) == {"a", "b"}
    with pytest.raises(ValueError, match="has not seen an example yet"):
        ShrubRegressor().predict_interval([[1.0]])


def test_intervals_of_the_largest_targets_are_no_error():
    learner = ShrubRegressor(memory_limit="32KB")
    for i in range(50):
        learner.learn_one([i % 3], 1.7e308 * (-1) ** i)
    low, high = learner.predict_interval([[1.0]])[0]
    assert low < high


@pytest.mark.parametrize("coverage", [0, 1, 0.0, 1.0, -0.1, 90, math.nan, math.inf])
def test_a_coverage_outside_its_range_is_refused(coverage):
    learner, X = learned_targets()
    for ask in (learner.predict_interval_one, learner.snapshot().predict_interval_one):
        with pytest.raises(ValueError, match=r"^coverage must be greater than 0 and less than 1"):
            ask(X[0], coverage)
    with pytest.raises(ValueError, match=r"^coverage must be greater than 0 and less than 1"):
        ShrubClassifier().predict_set_one(X[0], coverage)


@pytest.mark.parametrize("coverage", ["0.9", None, True, [0.9], 0.9j])
def test_a_coverage_that_is_no_number_is_refused(coverage):
    learner, X = learned_labels()
    for ask in (learner.predict_set, learner.snapshot().predict_set):
        with pytest.raises(TypeError, match=r"^coverage must be a number"):
            ask(X, coverage)


def test_a_snapshot_says_what_it_does_not_have():
    targets, X = learned_targets()
    with pytest.raises(TypeError, match="this snapshot has intervals, not sets"):
        targets.snapshot().predict_set(X)
    labels, X = learned_labels()
    with pytest.raises(TypeError, match="this snapshot has sets, not intervals"):
        labels.snapshot().predict_interval_one(X[0])
    paper = PaperShrubRegressor().partial_fit(X, np.arange(len(X)))
    with pytest.raises(TypeError, match="the paper's algorithm keeps no intervals"):
        paper.snapshot().predict_interval(X)
