import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs.analysis.apf import LARGEST_BYTES, apf, log_apf
from tests.reference.area import area, log_area

N_STRIPS = 2000
MODELS = st.lists(
    st.tuples(st.integers(1, 1200), st.integers(0, 20).map(lambda n: n / 20)), max_size=8
)


def columns(models):
    return [size for size, _ in models], [accuracy for _, accuracy in models]


def test_area_of_one_model_is_its_accuracy_right_of_it():
    # 0.8 over the width from 25 to 100, of 100.
    assert apf([25], [0.8], largest=100) == pytest.approx(0.6)


def test_neighbours_on_the_front_are_joined_by_a_line():
    # A trapezoid from 0.4 to 0.8 over 50, and 0.8 over 50: 30 + 40 of 100.
    assert apf([0, 50], [0.4, 0.8], largest=100) == pytest.approx(0.7)


def test_beaten_models_change_nothing():
    assert apf([0, 30, 50], [0.4, 0.1, 0.8], largest=100) == apf([0, 50], [0.4, 0.8], largest=100)


def test_models_above_the_largest_size_do_not_count():
    assert apf([25, 101], [0.8, 0.9], largest=100) == apf([25], [0.8], largest=100)


def test_no_model_has_no_area():
    assert (apf([], []), log_apf([], [])) == (0.0, 0.0)


def test_every_doubling_weighs_the_same_on_the_logarithmic_axis():
    # From 1 to 2^10; a model of 2^4 leaves six of ten doublings.
    assert log_apf([2**4], [1.0], smallest=1, largest=2**10) == pytest.approx(0.6)


def test_smaller_than_the_axis_counts_as_its_begin():
    assert log_apf([0], [0.9], smallest=1024) == pytest.approx(0.9)


def test_the_best_of_the_models_below_the_axis_counts():
    # Both are drawn at 1; the step between them has no width.
    assert log_apf([0.2, 0.5], [0.3, 0.6], smallest=1, largest=8) == pytest.approx(0.6)


@given(MODELS)
def test_area_agrees_with_the_sum_of_strips(models):
    # The strips are off by at most half a strip's width at each jump or bend.
    assert apf(*columns(models), largest=1000) == pytest.approx(
        area(models, 1000, N_STRIPS), abs=10 / N_STRIPS
    )


@given(MODELS)
def test_logarithmic_area_agrees_with_the_sum_of_strips(models):
    assert log_apf(*columns(models), smallest=4, largest=1000) == pytest.approx(
        log_area(models, 4, 1000, N_STRIPS), abs=10 / N_STRIPS
    )


def test_the_largest_size_must_leave_an_axis():
    with pytest.raises(ValueError, match="largest must be above 1024 bytes, got 10"):
        log_apf([1], [1.0], largest=10)


def test_the_paper_divides_by_204800_kb():
    assert LARGEST_BYTES == 204_800 * 1024
