"""Bounds on the window, on shrubs and on memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, PaperShrubRegressor
from tests.unit.learners.streams import TARGETS, cases

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")


def learned(kind, case, each):
    """Learn all examples and look at the learner after each."""
    positions = [i for i, nominal in enumerate(case.nominal) if nominal]
    learner = kind(nominal_features=positions, **case.parameters)
    for x, y in case.examples:
        learner.learn_one(x, y)
        each(learner)
    return learner


@given(cases(st.integers(0, 3)))
def test_the_window_holds_all_examples_up_to_window_size_and_never_more(case):
    def check(learner):
        seen = min(learner.examples_seen, learner.window_size)
        assert learner._engine.n_examples == seen

    learned(PaperShrubClassifier, case, check)


@given(cases(st.integers(0, 3)))
def test_a_shrub_has_at_most_twice_the_window_less_one_nodes(case):
    def check(learner):
        most = 2 * learner.window_size - 1
        assert all(shrub.n_nodes <= most for shrub in learner.shrubs)

    learned(PaperShrubClassifier, case, check)


def test_a_shrub_can_have_twice_the_window_less_one_nodes():
    # Labels that alternate along the feature make every example a leaf of its own: 5 leaves.
    learner = PaperShrubClassifier(max_shrubs=1, window_size=5, step_size=10.0, splitter="best")
    learner.partial_fit([[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1, 0])
    assert learner.shrubs[-1].n_nodes == 2 * 5 - 1


@given(cases(TARGETS, regression=True))
def test_a_shrub_of_a_regression_has_at_most_twice_the_window_less_one_nodes(case):
    def check(learner):
        most = 2 * learner.window_size - 1
        assert all(shrub.n_nodes <= most for shrub in learner.shrubs)

    learned(PaperShrubRegressor, case, check)


@given(cases(st.integers(0, 3)))
def test_a_shrub_is_at_most_max_depth_deep(case):
    def check(learner):
        if learner.max_depth is not None:
            assert all(shrub.depth <= learner.max_depth for shrub in learner.shrubs)

    learned(PaperShrubClassifier, case, check)


@given(cases(st.integers(0, 3)))
def test_there_are_at_most_max_shrubs_shrubs(case):
    def check(learner):
        assert 1 <= learner.n_shrubs <= learner.max_shrubs

    learned(PaperShrubClassifier, case, check)


@given(cases(st.integers(0, 3)))
def test_weights_are_positive_and_sum_to_one(case):
    def check(learner):
        assert learner.weights.min() > 0.0
        assert learner.weights.sum() == pytest.approx(1.0, abs=1e-12)

    learned(PaperShrubClassifier, case, check)


@given(cases(st.integers(0, 3)))
def test_memory_is_what_the_plan_said_before_the_first_example(case):
    learner = learned(PaperShrubClassifier, case, lambda learner: None)
    n_classes = len(learner.classes_)
    plan = learner.plan(n_features=len(case.nominal), n_classes=n_classes)
    report = learner.memory_report()
    parts = ("window", "shrubs", "weights", "caches", "scratch")
    assert [getattr(report, part) for part in parts] == [getattr(plan, part) for part in parts]


def test_the_paper_counts_too_little_for_a_window_of_16_and_128_features():
    # The window alone takes 16 * 128 * 4 bytes of features in single precision; the paper's
    # program counted 248 bytes for all of it.
    plan = PaperShrubClassifier(window_size=16, max_shrubs=1).plan(n_features=128, n_classes=2)
    assert plan.window >= 16 * 128 * 4
