"""Algorithm 1 traced by hand: two shrubs, a window of two, step size 1/2, one feature.

With n examples in the window and C classes the gradient of shrub i is
2 / (n C) * sum_j <f(x_j) - y_j, h_i(x_j)>. Distributions are written (a, b) or (a, b, c).
"""

import pytest

from shrubs import PaperShrubClassifier

STREAM = [(0.0, "a"), (1.0, "b"), (0.0, "b"), (0.0, "a"), (1.0, "c")]


@pytest.fixture
def after():
    """The learner after the first `n` examples."""

    def learn(n):
        learner = PaperShrubClassifier(max_shrubs=2, window_size=2, step_size=0.5, splitter="best")
        learner.partial_fit([[0.0]], ["a"], classes=["a", "b"])
        for x, y in STREAM[1:n]:
            learner.learn_one([x], y)
        return learner

    return learn


def test_the_first_shrub_gets_all_the_weight(after):
    # Window (0, a), n = 1, C = 2. h0 is a leaf (1, 0). f = 0.
    # Gradient 2/2 * <(0, 0) - (1, 0), (1, 0)> = -1; step 0 + 1/2; the prox makes it 1.
    assert after(1).members() == [(0, 1.0)]


def test_before_the_second_example_the_first_class_is_certain(after):
    assert after(1).predict_proba_one([1.0]) == {"a": 1.0, "b": 0.0}


def test_the_second_shrub_is_split_halfway(after):
    # Window (0, a), (1, b): the only cut is between 0 and 1. Each side has one example; on a tie a
    # later missing value goes left.
    assert after(2)._engine.shrubs()[1][2] == [
        ("split", 0, 0.5, False, True),
        ("leaf", (32768, 0)),
        ("leaf", (0, 32768)),
    ]


def test_the_second_shrub_takes_a_quarter(after):
    # f = h0 = (1, 0) on both, so f - y = (0, 0) and (1, -1); 2 / (2 * 2) = 1/2.
    # h0: 1/2 * (0 + 1) = 1/2, so 1 - 1/4 = 3/4.
    # h1 says (1, 0) and (0, 1): 1/2 * (0 - 1) = -1/2, so 0 + 1/4 = 1/4. The sum is 1 already.
    assert after(2).members() == [(0, 0.75), (1, 0.25)]


def test_the_third_example_is_predicted_wrong(after):
    # At x = 0 both shrubs say a.
    assert after(2).predict_proba_one([0.0]) == {"a": 1.0, "b": 0.0}


def test_the_third_shrub_replaces_the_lightest(after):
    # Window (1, b), (0, b): h2 is a leaf (0, 1). f(1) = (3/4, 1/4), f(0) = (1, 0), so
    # f - y = (3/4, -3/4) and (1, -1).
    # h0 says a twice:        1/2 * (3/4 + 1)  =  7/8, so 3/4 - 7/16 = 5/16.
    # h1 says b, then a:      1/2 * (-3/4 + 1) =  1/8, so 1/4 - 1/16 = 3/16.
    # h2 says b twice:        1/2 * (-3/4 - 1) = -7/8, so   0 + 7/16 = 7/16.
    # Kept: 7/16 and 5/16. tau = (12/16 - 1) / 2 = -1/8, so 9/16 and 7/16.
    assert after(3).members() == [(0, 0.4375), (2, 0.5625)]


def test_the_fourth_shrub_does_not_enter(after):
    # Window (0, b), (0, a): the feature is constant, h3 is a leaf (1/2, 1/2).
    # f = (7/16, 9/16) on both, so f - y = (7/16, -7/16) and (-9/16, 9/16).
    # h0: 1/2 * (7/16 - 9/16) = -1/16, so 7/16 + 1/32 = 15/32.
    # h2: 1/2 * (-7/16 + 9/16) = 1/16, so 9/16 - 1/32 = 17/32.
    # h3: 1/2 * 0 = 0, so 0: the lightest of three.
    assert after(4).members() == [(0, 15 / 32), (2, 17 / 32)]


def test_a_new_class_is_given_nothing_by_the_old_shrubs(after):
    # In the fifth step C is 3; before it, c is unknown.
    assert after(4).predict_proba_one([1.0]) == {"a": 15 / 32, "b": 17 / 32}


def test_a_new_class_weighs_in_the_gradient(after):
    # Window (0, a), (1, c), now C = 3 and 2 / (2 * 3) = 1/3. h4 says (1, 0, 0) and (0, 0, 1).
    # f = (15/32, 17/32, 0), so f - y = (-17/32, 17/32, 0) and (15/32, 17/32, -1).
    # h0: 1/3 * (-17/32 + 15/32) = -1/48, so 15/32 + 1/96 = 46/96.
    # h2: 1/3 * (17/32 + 17/32) = 17/48,  so 17/32 - 17/96 = 34/96.
    # h4: 1/3 * (-17/32 - 1) = -49/96,    so 0 + 49/192 = 24.5/96: too little to enter.
    # tau = (80/96 - 1) / 2 = -8/96, so 54/96 = 9/16 and 42/96 = 7/16.
    births, weights = zip(*after(5).members(), strict=True)
    assert (births, weights) == ((0, 2), pytest.approx((9 / 16, 7 / 16), abs=1e-15))
