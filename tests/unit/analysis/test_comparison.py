"""Our numbers beside the printed ones."""

import pytest

from shrubs.analysis import paper_numbers as paper
from shrubs.analysis.comparison import (
    agrees,
    best_under_budgets,
    compared_areas,
    compared_log_areas,
)
from shrubs.analysis.fronts import BUDGETS
from shrubs.analysis.study import Outcomes

from .study_records import small_study


@pytest.fixture(scope="module")
def outcomes():
    return Outcomes.of(small_study())


def test_a_difference_is_ours_minus_the_paper_s(outcomes):
    best = best_under_budgets(outcomes)[0].accuracies
    assert best.difference("SE", "elec") == pytest.approx(0.96 - 0.94012)
    assert best.difference("NC", "elec") is None


def test_numbers_agree_up_to_half_a_point():
    assert agrees(0.005)
    assert agrees(-0.005)
    assert not agrees(0.0051)


def test_prefixes_are_not_counted(outcomes):
    best = best_under_budgets(outcomes)[0].accuracies
    assert best.prefixes == {"led_a"}
    # Of SE, HT and NB on elec, only NB agrees.
    assert (best.n_agreeing, best.n_compared) == (1, 3)


def test_every_budget_has_its_best_runs(outcomes):
    assert [best.budget for best in best_under_budgets(outcomes)] == list(BUDGETS)


def test_what_the_paper_does_not_print_is_not_compared(outcomes):
    assert compared_log_areas(outcomes).n_compared == 0
    assert compared_areas(outcomes).n_compared == 3


def test_the_most_accurate_method_of_the_paper():
    assert paper.most_accurate("airlines") == "SB"
    assert paper.most_accurate("sea") is None
