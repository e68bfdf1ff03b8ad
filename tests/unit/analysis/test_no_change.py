import pytest

from shrubs.analysis.no_change import no_change_accuracy


def test_no_change_accuracy_inverts_kappa_temporal():
    # p = 0.85, accuracy 0.91: kappa-temporal = (0.91 - 0.85) / 0.15 = 0.4.
    assert no_change_accuracy(0.91, 0.4) == pytest.approx(0.85)


def test_a_learner_worse_than_no_change_tells_it_too():
    # p = 0.9, accuracy 0.7: kappa-temporal = -0.2 / 0.1 = -2.
    assert no_change_accuracy(0.7, -2.0) == pytest.approx(0.9)


def test_a_learner_without_errors_leaves_it_open():
    assert no_change_accuracy(1.0, 1.0) is None
