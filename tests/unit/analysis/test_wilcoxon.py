import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from shrubs.analysis.ranks import wilcoxon
from tests.reference.differences import wilcoxon as reference

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8)
DISTINCT = st.lists(st.integers(-200, 200).filter(bool), min_size=1, max_size=30, unique_by=abs)

# The largest sum of ranks that is significant at 0.05, two-sided, by the number of differences, as
# printed in tables of the test.
CRITICAL = {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 13: 17, 14: 21, 15: 25, 20: 52}


@settings(deadline=None)
@given(PAIRS)
def test_p_value_agrees_with_trying_all_signs(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    assert wilcoxon(first, second) == pytest.approx(float(reference(first, second)))


@given(DISTINCT)
def test_p_value_agrees_with_scipy(differences):
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon(differences, [0] * len(differences)) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "critical"), CRITICAL.items())
def test_critical_values_are_those_of_the_tables(n, critical):
    def p_value(negative_sum):
        """With differences of 1 to n of which some, adding up to this sum, are negative."""
        signs, left = {}, negative_sum
        for size in range(n, 0, -1):
            signs[size] = -1 if size <= left else 1
            left -= size if size <= left else 0
        assert left == 0
        return wilcoxon([size * sign for size, sign in signs.items()], [0] * n)

    assert p_value(critical) <= 0.05 < p_value(critical + 1)


def test_equal_methods_cannot_be_told_apart():
    assert wilcoxon([0.5, 0.6], [0.5, 0.6]) == 1.0


def test_streams_must_be_equally_many():
    with pytest.raises(ValueError, match="shorter"):
        wilcoxon([1, 2], [1])
