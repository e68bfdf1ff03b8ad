from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shrubs.analysis.differences import cliques, differences, holm
from tests.reference.differences import cliques as reference_cliques
from tests.reference.differences import holm_rejects


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.001, 0.5))
def test_holm_rejects_what_the_steps_reject(p_values, alpha):
    corrected = [p <= alpha for p in holm(p_values)]
    # Where a product falls on the level itself, rounding may decide.
    close = any(abs(p * n - alpha) < 1e-12 for p in p_values for n in range(1, len(p_values) + 1))
    assert close or corrected == holm_rejects(p_values, alpha)


def test_holm_keeps_the_order_of_the_p_values():
    # 3 * 0.01 = 0.03; 2 * 0.02 = 0.04; 1 * 0.03 would fall below 0.04.
    assert holm([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])


NAMES = "abcdefg"


@given(st.sets(st.sampled_from(list(combinations(NAMES, 2)))))
def test_cliques_agree_with_the_reference(different):
    assert cliques(NAMES, different) == reference_cliques(NAMES, different)


def test_a_method_unlike_all_others_is_in_no_clique():
    assert cliques("abc", {("a", "b"), ("a", "c")}) == [("b", "c")]


def test_without_a_difference_in_ranks_all_are_one_clique():
    found = differences({"a": [3, 1, 2], "b": [2, 3, 1], "c": [1, 2, 3]})
    assert found.friedman_p == pytest.approx(1.0)
    assert (found.cliques, dict(found.p_values)) == ((("a", "b", "c"),), {})


def test_clear_winners_are_told_apart():
    n = 20
    scores = {
        "third": [0.1 + i / 1000 for i in range(n)],
        "first": [0.9 + i / 1000 for i in range(n)],
        "second": [0.5 + i / 999 for i in range(n)],
    }
    found = differences(scores)
    assert found.methods == ("first", "second", "third")
    assert (found.ranks, found.cliques, found.n_streams) == ((1.0, 2.0, 3.0), (), n)
    # All 20 differences have one sign, in three tests.
    raw = stats.wilcoxon(scores["first"], scores["second"], method="exact").pvalue
    assert found.p_values["first", "second"] == pytest.approx(3 * raw)


def test_the_level_must_be_a_level():
    with pytest.raises(ValueError, match=r"alpha must be in \(0, 1\), got 5"):
        differences({"a": [1], "b": [1], "c": [1]}, alpha=5)
