import numpy as np
import pytest

from shrubs.export.negligible import least_said, mixtures_that_matter

ONE_EXPERT = np.ones((1, 3), dtype=np.float32)


def test_a_share_below_half_a_unit_of_the_rest_does_not_matter():
    # 1 * 0.1 is at least 0.099; half a unit in its last place is at least 0.099 * 2^-54 > 1e-18.
    assert mixtures_that_matter([1e-30, 1.0, 1e-30], ONE_EXPERT, [0.1]) == [1]
    assert mixtures_that_matter([1e-17, 1.0, 1e-17], ONE_EXPERT, [0.1]) == [0, 1, 2]


def test_every_share_matters_where_an_expert_may_say_nothing():
    assert mixtures_that_matter([1e-30, 1.0, 1e-30], ONE_EXPERT, [0.0]) == [0, 1, 2]


def test_the_least_that_a_shrub_says_is_of_the_class_it_never_saw():
    # Half an example is spread over two classes: 0.25 of 3.5 examples.
    nodes = [("split", 0, 0.5, False, True), ("leaf", [(0, 3)]), ("leaf", [(0, 1), (1, 1)])]
    assert least_said({"nodes": nodes}, 2) == pytest.approx(0.25 / 3.5)
    assert least_said({"kind": "constant", "prediction": [0.75, 0.25]}, 2) == 0.25
    assert least_said({"kind": "naive Bayes"}, 2) == 0.0
