"""Looking into a learner: shrubs, rules, importances, text and drawings."""

import math
import pickle

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from shrubs import (
    Leaf,
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    Split,
    WindowedTree,
)

mpl.use("Agg")


def toy():
    """Sizes up to 2 are "small", larger ones are not; the colour says nothing."""
    learner = PaperShrubClassifier(max_shrubs=4, window_size=32, splitter="best", step_size=0.5)
    for i in range(60):
        size = float(i % 5)
        row = {"size": size, "colour": ("red", "blue", "green")[i % 3]}
        learner.learn_one(row, "small" if size <= 2 else "large")
    return learner


def toy_regressor():
    learner = PaperShrubRegressor(max_shrubs=4, window_size=32, splitter="best", step_size=0.5)
    for i in range(60):
        learner.learn_one({"size": float(i % 5)}, 10.0 if i % 5 <= 2 else -10.0)
    return learner


def test_there_are_no_shrubs_before_the_first_example():
    learner = ShrubClassifier()
    assert (learner.shrubs, learner.n_shrubs, learner.weights.tolist()) == ([], 0, [])


def test_shrubs_come_oldest_first():
    births = [shrub.born for shrub in toy().shrubs]
    assert births == sorted(births)


def test_shrubs_have_the_weights_of_the_ensemble():
    learner = toy()
    assert [shrub.weight for shrub in learner.shrubs] == learner.weights.tolist()


def test_members_are_the_births_and_weights_of_the_shrubs():
    learner = toy()
    assert learner.members() == [(shrub.born, shrub.weight) for shrub in learner.shrubs]


def stump():
    """One shrub of one split, on two examples."""
    learner = PaperShrubClassifier(max_shrubs=1, window_size=2, splitter="best", step_size=100.0)
    learner.learn_one({"a": 1.0}, "yes")
    return learner.learn_one({"a": 2.0}, "no").shrubs[0]


def test_a_shrub_is_plain_data():
    # Cut halfway; one example on either side, and on a tie missing values go left.
    assert stump().root == Split("a", 1.5, False, True, Leaf({"yes": 1.0}), Leaf({"no": 1.0}))


def test_a_shrub_knows_its_size():
    assert (stump().n_nodes, stump().depth) == (3, 1)


def test_a_shrub_is_written_as_text():
    assert str(stump()).splitlines() == [
        "shrub of weight 1.000, born at example 1",
        "all",
        "|-- a <= 1.5 or missing: 'yes' 100%",
        "|-- a > 1.5: 'no' 100%",
    ]


def test_a_category_is_shown_by_its_name():
    learner = PaperShrubClassifier(max_shrubs=1, window_size=2, splitter="best", step_size=100.0)
    learner.learn_one({"a": "red"}, "yes").learn_one({"a": "blue"}, "no")
    assert (learner.shrubs[0].root.threshold, learner.shrubs[0].root.nominal) == ("red", True)


def test_a_code_is_shown_as_an_integer():
    learner = PaperShrubClassifier(
        max_shrubs=1, window_size=2, splitter="best", step_size=100.0, nominal_features=[0]
    )
    learner.learn_one([7], "yes").learn_one([3], "no")
    assert learner.shrubs[0].root.threshold == 3


def test_a_split_of_missing_against_present_is_said_in_words():
    learner = PaperShrubClassifier(max_shrubs=1, window_size=2, splitter="best", step_size=100.0)
    learner.learn_one({"a": 1.0}, "yes").learn_one({}, "no")
    assert [vote.rule for vote in learner.explain_one({})] == [("a is missing",)]


def test_feature_names_are_known():
    assert toy().feature_names_in_.tolist() == ["colour", "size"]


def test_features_without_names_have_no_names():
    learner = ShrubClassifier().learn_one([1.0], 0)
    with pytest.raises(AttributeError, match=r"^the features of this learner have no names$"):
        _ = learner.feature_names_in_


ROWS = [
    {"size": 1.0, "colour": "red"},
    {"size": 4.0, "colour": "pink"},
    {"size": None, "colour": "blue"},
    {"colour": "green", "unknown": 3.0},
    {},
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_votes_add_up_to_the_prediction(row):
    learner = toy()
    totals = dict.fromkeys(learner.classes_.tolist(), 0.0)
    for vote in learner.explain_one(row):
        for label, share in vote.prediction.items():
            totals[label] += vote.weight * share
    assert totals == pytest.approx(learner.predict_proba_one(row), abs=1e-12)


@pytest.mark.parametrize("row", [{"size": 1.0}, {"size": 4.0}, {}], ids=str)
def test_votes_add_up_to_the_target(row):
    learner = toy_regressor()
    total = sum(vote.weight * vote.prediction for vote in learner.explain_one(row))
    assert total == pytest.approx(learner.predict_one(row), rel=1e-12)


def test_votes_on_a_list_add_up_to_the_prediction():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 3))
    learner = PaperShrubClassifier(max_shrubs=4, window_size=32).partial_fit(X, X[:, 1] > 0.5)
    for x in X[:20]:
        for row in (x, x.tolist()):
            totals = {False: 0.0, True: 0.0}
            for vote in learner.explain_one(row):
                for label, share in vote.prediction.items():
                    totals[label] += vote.weight * share
            assert totals == pytest.approx(learner.predict_proba_one(row), abs=1e-12)


def test_votes_come_heaviest_first():
    weights = [vote.weight for vote in toy().explain_one(ROWS[0])]
    assert weights == sorted(weights, reverse=True)


def test_there_is_one_vote_per_shrub():
    learner = toy()
    assert len(learner.explain_one(ROWS[0])) == learner.n_shrubs


def test_a_vote_is_written_as_text():
    learner = PaperShrubClassifier(max_shrubs=1, window_size=2, splitter="best", step_size=100.0)
    learner.learn_one({"a": 1.0}, "yes").learn_one({"a": 2.0}, "no")
    (vote,) = learner.explain_one({"a": 5.0})
    assert str(vote) == "1.000  if a > 1.5: 'no' 100%"


def test_a_vote_without_a_question_always_holds():
    (vote,) = PaperShrubClassifier().learn_one({"a": 1.0}, "yes").explain_one({"a": 5.0})
    assert str(vote) == "1.000  if always: 'yes' 100%"


def test_nobody_votes_before_the_first_example():
    assert ShrubClassifier().explain_one({"a": 1.0}) == []


def test_explaining_changes_nothing():
    learner = toy()
    before = learner.to_bytes()
    learner.explain_one(ROWS[0])
    assert learner.to_bytes() == before


def test_a_text_for_a_number_is_explained_as_it_is_predicted():
    learner = toy()
    totals = dict.fromkeys(learner.classes_.tolist(), 0.0)
    for vote in learner.explain_one({"size": "large"}):
        for label, share in vote.prediction.items():
            totals[label] += vote.weight * share
    assert totals == pytest.approx(learner.predict_proba_one({"size": "large"}), abs=1e-12)


# -- importances -----------------------------------------------------------------------------------


def test_importances_sum_to_one():
    assert toy().feature_importances_.sum() == pytest.approx(1.0)


def test_the_feature_that_decides_has_all_the_importance():
    # Features in the order colour, size; the youngest shrubs ask for the size alone.
    learner = PaperShrubClassifier(max_shrubs=1, window_size=32, splitter="best", step_size=100.0)
    for i in range(60):
        learner.learn_one({"size": float(i % 5), "colour": "red"}, i % 5 <= 2)
    assert learner.feature_importances_.tolist() == [0.0, 1.0]


def test_importances_of_a_single_leaf_are_zero():
    assert ShrubClassifier().learn_one([1.0, 2.0], 0).feature_importances_.tolist() == [0.0, 0.0]


def test_importances_of_one_split_are_worked_out_by_hand():
    # Window: (0, 0) -> a, (0, 1) -> b, (1, 0) -> b, (1, 1) -> b. n times the Gini impurity is
    # 4 - (1 + 9) / 4 = 1.5. Both features are equally good, so the first is asked first: its left
    # side has a, b with 2 - (1 + 1) / 2 = 1, its right side is pure. It saves 0.5; the second
    # feature then saves the remaining 1.
    learner = PaperShrubClassifier(max_shrubs=1, window_size=4, splitter="best", step_size=100.0)
    learner.partial_fit([[1, 1], [1, 0], [0, 1], [0, 0]], ["b", "b", "b", "a"])
    assert learner.feature_importances_.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_importances_of_a_regression_sum_to_one():
    assert toy_regressor().feature_importances_.sum() == pytest.approx(1.0)


def test_importances_bear_targets_of_wild_magnitude():
    learner = PaperShrubRegressor(max_shrubs=2, window_size=4, splitter="best", step_size=100.0)
    learner.partial_fit([[0.0], [1.0], [0.0], [1.0]], [1e300, -1e300, 1e300, -1e300])
    assert learner.feature_importances_.tolist() == [1.0]


def test_there_are_no_importances_before_the_first_example():
    with pytest.raises(ValueError, match="has not seen an example yet"):
        _ = ShrubClassifier().feature_importances_


# -- text and drawings -----------------------------------------------------------------------------


def test_the_repr_shows_what_differs_from_the_defaults():
    assert (
        repr(PaperShrubClassifier(max_shrubs=7, seed=None))
        == "PaperShrubClassifier(max_shrubs=7, seed=None)"
    )


def test_the_repr_of_defaults_is_empty():
    assert repr(ShrubRegressor()) == "ShrubRegressor()"


def test_the_repr_makes_the_same_learner():
    learner = PaperShrubClassifier(max_features=0.5, memory_limit="2MB", nominal_features=("a", 3))
    assert repr(eval(repr(learner))) == repr(learner)


@pytest.fixture
def axes():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_a_drawing_shows_every_question_and_every_leaf(axes):
    stump().plot(axes)
    texts = {text.get_text() for text in axes.texts}
    assert {"a <= 1.5 or missing", "'yes' 100%", "'no' 100%", "yes", "no"} <= texts


def test_a_drawing_goes_into_the_given_axes(axes):
    assert stump().plot(axes) is axes


def test_a_drawing_makes_its_own_axes():
    import matplotlib.pyplot as plt

    drawn = stump().plot()
    assert "born at example 1" in drawn.get_title()
    plt.close(drawn.figure)


def test_a_drawing_has_a_line_per_branch(axes):
    shrub = toy().shrubs[-1]
    shrub.plot(axes)
    assert len(axes.lines) == shrub.n_nodes - 1


def test_a_shrub_of_a_regression_is_drawn(axes):
    toy_regressor().shrubs[-1].plot(axes)
    assert any("10" in text.get_text() for text in axes.texts)


@pytest.fixture(scope="module")
def chain():
    """A learner whose shrub is deeper than Python's stack.

    Where labels alternate along the feature, the best cut takes off one example at an end.
    """
    n = 1100
    learner = WindowedTree(window_size=n, splitter="best", regrow="always")
    learner.partial_fit(np.arange(n, dtype=float)[:, None], np.arange(n) % 2)
    assert learner.shrubs[0].depth == n - 1
    return learner


def test_a_deep_shrub_is_written_as_text(chain):
    # A headline and one line per node: 1,100 leaves and 1,099 questions.
    assert len(str(chain.shrubs[0]).splitlines()) == 1 + 2199


def test_a_deep_shrub_is_explained(chain):
    (vote,) = chain.explain_one([1099.0])
    assert vote.prediction == {1: 1.0}


def test_a_deep_shrub_survives_pickle(chain):
    copied = pickle.loads(pickle.dumps(chain))
    assert str(copied.shrubs[0]) == str(chain.shrubs[0])


def test_a_deep_shrub_gives_importances(chain):
    assert chain.feature_importances_.tolist() == [1.0]


def test_windows_hold_what_was_learned():
    frame = pd.DataFrame({"a": [1.0, math.nan, 3.0], "b": ["x", "y", "x"]})
    learner = PaperShrubClassifier(window_size=2).partial_fit(frame, [5, 6, 5])
    X, y = learner._engine.window()
    assert np.array_equal(X, [[math.nan, 1.0], [3.0, 0.0]], equal_nan=True)
    assert y.tolist() == [1.0, 0.0]
