"""A table of wrong calls: each says what is allowed and what came, and changes nothing."""

import math
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV

from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)
from shrubs.protocols import Feature, Schema

NAN, INF = math.nan, math.inf

PLAIN = "texts, numbers, booleans, bytes or tuples and frozensets of those"
LABEL = f"y must be one of {PLAIN}"
CATEGORY = f"feature 'b' takes categories: {PLAIN}"

CLASS_WEIGHT = "class_weight must be None, 'balanced' or a dict with the weight of each label"
CLASS_NUMBER = "must be a number from 1e-09 to 1e+09"

PARAMETERS = [
    ({"max_shrubs": 0}, ValueError, "max_shrubs must be at least 1, got 0"),
    ({"max_shrubs": 65_535}, ValueError, "max_shrubs must be at most 65534, got 65535"),
    ({"max_shrubs": 2.0}, TypeError, "max_shrubs must be an integer, got 2.0"),
    ({"max_shrubs": True}, TypeError, "max_shrubs must be an integer, got True"),
    ({"max_shrubs": None}, TypeError, "max_shrubs must be an integer, got None"),
    ({"max_shrubs": "8"}, TypeError, "max_shrubs must be an integer, got '8'"),
    ({"window_size": 0}, ValueError, "window_size must be at least 1, got 0"),
    ({"window_size": -3}, ValueError, "window_size must be at least 1, got -3"),
    ({"window_size": 65_536}, ValueError, "window_size must be at most 65535, got 65536"),
    ({"window_size": 2**70}, ValueError, f"window_size must be at most 65535, got {2**70}"),
    ({"window_size": 1.5}, TypeError, "window_size must be an integer, got 1.5"),
    ({"step_size": 0}, ValueError, "step_size must be greater than 0 and at most 1e+100, got 0"),
    (
        {"step_size": -0.5},
        ValueError,
        "step_size must be greater than 0 and at most 1e+100, got -0.5",
    ),
    (
        {"step_size": NAN},
        ValueError,
        "step_size must be greater than 0 and at most 1e+100, got nan",
    ),
    (
        {"step_size": INF},
        ValueError,
        "step_size must be greater than 0 and at most 1e+100, got inf",
    ),
    ({"step_size": "0.1"}, TypeError, "step_size must be a number, got '0.1'"),
    ({"step_size": None}, TypeError, "step_size must be a number, got None"),
    ({"step_size": True}, TypeError, "step_size must be a number, got True"),
    ({"step_size": 1j}, TypeError, "step_size must be a number, got 1j"),
    ({"step_size": Decimal("0.1")}, TypeError, "step_size must be a number, got Decimal('0.1')"),
    (
        {"step_size": np.array([0.1, 0.2])},
        TypeError,
        "step_size must be a number, got array([0.1, 0.2])",
    ),
    (
        {"loss": "cross-entropy"},
        ValueError,
        "loss must be 'mse' or 'cross_entropy', got 'cross-entropy'; did you mean 'cross_entropy'?",
    ),
    ({"loss": "hinge"}, ValueError, "loss must be 'mse' or 'cross_entropy', got 'hinge'"),
    ({"loss": None}, TypeError, "loss must be 'mse' or 'cross_entropy', got None"),
    ({"max_depth": 0}, ValueError, "max_depth must be at least 1, got 0"),
    ({"max_depth": 65_536}, ValueError, "max_depth must be at most 65535, got 65536"),
    ({"max_depth": 2.5}, TypeError, "max_depth must be an integer, got 2.5"),
    ({"max_features": 0}, ValueError, "max_features must be at least 1, got 0"),
    (
        {"max_features": 1.5},
        ValueError,
        "max_features must be greater than 0 and at most 1 as a share, got 1.5",
    ),
    (
        {"max_features": 0.0},
        ValueError,
        "max_features must be greater than 0 and at most 1 as a share, got 0.0",
    ),
    (
        {"max_features": "log2"},
        ValueError,
        "max_features must be None, 'sqrt', an integer or a share, got 'log2'",
    ),
    (
        {"max_features": False},
        TypeError,
        "max_features must be None, 'sqrt', an integer or a share, got False",
    ),
    (
        {"splitter": "rand"},
        ValueError,
        "splitter must be 'best' or 'random', got 'rand'; did you mean 'random'?",
    ),
    ({"splitter": 1}, TypeError, "splitter must be 'best' or 'random', got 1"),
    ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be at least 1, got 0"),
    ({"min_samples_leaf": 0.1}, TypeError, "min_samples_leaf must be an integer, got 0.1"),
    ({"steps_per_example": 0}, ValueError, "steps_per_example must be at least 1, got 0"),
    (
        {"steps_per_example": 1_000_001},
        ValueError,
        "steps_per_example must be at most 1000000, got 1000001",
    ),
    ({"grow_every": 0}, ValueError, "grow_every must be at least 1, got 0"),
    ({"grow_every": 2.5}, TypeError, "grow_every must be an integer, got 2.5"),
    (
        {"grow_every": 1_000_001},
        ValueError,
        "grow_every must be at most 1000000, got 1000001",
    ),
    ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
    ({"seed": 2**64}, ValueError, f"seed must be at most {2**64 - 1}, got {2**64}"),
    ({"seed": 1.0}, TypeError, "seed must be an integer, got 1.0"),
    ({"memory_limit": 0}, ValueError, "memory_limit must be at least 1 byte, got 0"),
    (
        {"memory_limit": "64 kilo"},
        ValueError,
        "memory_limit must be bytes or a text such as '64KB' or '1.5MB', got '64 kilo'",
    ),
    (
        {"memory_limit": 64.5},
        TypeError,
        "memory_limit must be None, an integer or a text, got 64.5",
    ),
    (
        {"nominal_features": "colour"},
        TypeError,
        "nominal_features must be None or a sequence of names or positions, got 'colour'",
    ),
    (
        {"nominal_features": 3},
        TypeError,
        "nominal_features must be None or a sequence of names or positions, got 3",
    ),
    (
        {"nominal_features": [["a"]]},
        TypeError,
        "nominal_features must hold names or positions, got ['a']",
    ),
    ({"class_weight": "balance"}, ValueError, f"{CLASS_WEIGHT}, got 'balance'"),
    ({"class_weight": 2.0}, TypeError, f"{CLASS_WEIGHT}, got 2.0"),
    ({"class_weight": [1.0, 2.0]}, TypeError, f"{CLASS_WEIGHT}, got [1.0, 2.0]"),
    ({"class_weight": {}}, ValueError, f"{CLASS_WEIGHT}, got {{}}"),
    ({"class_weight": {0: 0}}, ValueError, f"class_weight[0] {CLASS_NUMBER}, got 0"),
    ({"class_weight": {0: 1, 1: -1.0}}, ValueError, f"class_weight[1] {CLASS_NUMBER}, got -1.0"),
    ({"class_weight": {0: NAN}}, ValueError, f"class_weight[0] {CLASS_NUMBER}, got nan"),
    ({"class_weight": {0: INF}}, ValueError, f"class_weight[0] {CLASS_NUMBER}, got inf"),
    ({"class_weight": {0: "1"}}, TypeError, f"class_weight[0] {CLASS_NUMBER}, got '1'"),
    ({"class_weight": {0: True}}, TypeError, f"class_weight[0] {CLASS_NUMBER}, got True"),
    ({"class_weight": {NAN: 1}}, TypeError, "class_weight must have labels as keys, got nan"),
    ({"class_weight": {None: 1}}, TypeError, "class_weight must have labels as keys, got None"),
    (
        {"class_weight": {1: 2.0, 2: 1.0}},
        ValueError,
        "class_weight must have a weight for every label, but it has none for 0: {1: 2.0, 2: 1.0}",
    ),
]


def names(table):
    return [f"{next(iter(row[0].items()))}"[:50] for row in table]


X, Y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
SCHEMA = Schema((Feature("a"), Feature("b")), (0, 1))
# Whatever uses the parameters of a learner that has not begun.
FIRST_USES = {
    "fit": lambda learner: learner.fit(X, Y),
    "partial_fit": lambda learner: learner.partial_fit(X, Y),
    "prequential": lambda learner: learner.prequential(X, Y),
    "learn_one": lambda learner: learner.learn_one({"a": 1.0}, 0),
    "predict_one": lambda learner: learner.predict_one({"a": 1.0}),
    "predict_proba_one": lambda learner: learner.predict_proba_one({"a": 1.0}),
    "explain_one": lambda learner: learner.explain_one({"a": 1.0}),
    "predict": lambda learner: learner.predict(X),
    "predict_proba": lambda learner: learner.predict_proba(X),
    "score": lambda learner: learner.score(X, Y),
    "snapshot": lambda learner: learner.snapshot(),
    "plan": lambda learner: learner.plan(n_features=2),
    "prepare": lambda learner: learner.prepare(SCHEMA),
    "to_bytes": lambda learner: learner.to_bytes(),
    "save": lambda learner: learner.save("never written"),
}


@pytest.mark.parametrize(("parameters", "error", "message"), PARAMETERS, ids=names(PARAMETERS))
def test_a_wrong_parameter_is_refused_at_the_first_example(parameters, error, message):
    learner = PaperShrubClassifier(**parameters)
    before = repr(learner)
    with pytest.raises(error) as caught:
        learner.learn_one({"a": 1.0}, 0)
    assert (str(caught.value), repr(learner), learner.examples_seen) == (message, before, 0)


@pytest.mark.parametrize(("parameters", "error", "message"), PARAMETERS, ids=names(PARAMETERS))
def test_a_wrong_parameter_is_stored_by_set_params_and_refused_at_fit(parameters, error, message):
    learner = PaperShrubClassifier().fit(X, Y).set_params(**parameters)
    assert [learner.get_params()[name] for name in parameters] == list(parameters.values())
    before = learner.to_bytes()
    with pytest.raises(error) as caught:
        learner.fit(X, Y)
    assert (str(caught.value), learner.to_bytes()) == (message, before)


UNTUNED = [
    *(row for row in PARAMETERS if row[0].keys() <= {"memory_limit", "nominal_features", "seed"}),
    ({"label_delay": -1}, ValueError, "label_delay must be at least 0, got -1"),
    ({"label_delay": 65536}, ValueError, "label_delay must be at most 65535, got 65536"),
    ({"label_delay": 1.5}, TypeError, "label_delay must be an integer, got 1.5"),
]


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
@pytest.mark.parametrize(("parameters", "error", "message"), UNTUNED, ids=names(UNTUNED))
def test_a_learner_without_tuning_refuses_the_same(kind, parameters, error, message):
    if parameters == {"memory_limit": 64.5}:
        message = "memory_limit must be an integer or a text such as '1MB', got 64.5"
    with pytest.raises(error) as caught:
        kind(**parameters).learn_one({"a": 1.0}, 0)
    assert str(caught.value) == message


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_a_learner_without_tuning_always_has_a_limit(kind):
    message = r"^memory_limit must be an integer or a text such as '1MB', got None$"
    with pytest.raises(TypeError, match=message):
        kind(memory_limit=None).learn_one([1.0], 0)


KINDS = {
    ShrubClassifier: ({"seed": -1}, "seed must be at least 0, got -1"),
    ShrubRegressor: ({"seed": -1}, "seed must be at least 0, got -1"),
    PaperShrubClassifier: ({"window_size": 0}, "window_size must be at least 1, got 0"),
    PaperShrubRegressor: ({"window_size": 0}, "window_size must be at least 1, got 0"),
    WindowedTree: ({"regrow": "never"}, "regrow must be 'on_error' or 'always', got 'never'"),
}


@pytest.mark.parametrize("use", FIRST_USES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_first_use_refuses_a_wrong_parameter(kind, use):
    if use.startswith("predict_proba") and kind in (ShrubRegressor, PaperShrubRegressor):
        pytest.skip("a regression has no probabilities")
    parameters, message = KINDS[kind]
    learner = kind(**parameters)
    with pytest.raises(ValueError, match=f"^{message}$"):
        FIRST_USES[use](learner)
    assert vars(learner) == vars(kind(**parameters))


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_parameter_passes_through_a_clone(kind):
    parameters, _ = KINDS[kind]
    assert clone(kind(**parameters)).get_params() == kind(**parameters).get_params()


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_parameter_that_was_put_right_is_forgotten(kind):
    parameters, _ = KINDS[kind]
    right = {name: kind().get_params()[name] for name in parameters}
    learner = kind(**parameters).set_params(**right)
    assert learner.fit(X, Y).to_bytes() == kind().fit(X, Y).to_bytes()


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_grid_search_passes_through_combinations_and_reports_those_that_fail():
    # Neither value is wrong alone; window_size=4096 does not fit into 32 KB.
    grid = {"window_size": [16, 4096], "memory_limit": ["32KB", None]}
    search = GridSearchCV(PaperShrubClassifier(max_shrubs=2), grid, cv=2, error_score=np.nan)
    with pytest.warns(FitFailedWarning, match="memory_limit='32KB' is too small"):
        search.fit(np.tile(X, (4, 1)), Y * 4)
    assert sorted(np.isnan(search.cv_results_["mean_test_score"])) == [False] * 3 + [True]


OTHER_LEARNERS = [
    (PaperShrubRegressor, {"loss": "cross_entropy"}, "loss must be 'mse', got 'cross_entropy'"),
    (PaperShrubRegressor, {"target_scaling": 1}, "target_scaling must be True or False, got 1"),
    (WindowedTree, {"regrow": "never"}, "regrow must be 'on_error' or 'always', got 'never'"),
    (WindowedTree, {"regrow": None}, "regrow must be 'on_error' or 'always', got None"),
]


@pytest.mark.parametrize(("kind", "parameters", "message"), OTHER_LEARNERS)
def test_a_wrong_parameter_of_its_own_is_refused(kind, parameters, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        kind(**parameters).learn_one([1.0], 0)
    assert str(caught.value) == message


HYPERPARAMETERS = [name for name in PaperShrubClassifier().get_params() if name != "cache"]


@pytest.mark.parametrize("name", HYPERPARAMETERS)
def test_auto_is_no_value_of_a_hyperparameter(name):
    with pytest.raises((TypeError, ValueError), match=f"^{name} must be .*, got 'auto'"):
        PaperShrubClassifier(**{name: "auto"}).learn_one([1.0], 0)


def test_a_parameter_that_does_not_exist_is_refused():
    message = (
        r"^Invalid parameter 'depth' for PaperShrubClassifier; it has max_shrubs, window_size, "
    )
    with pytest.raises(ValueError, match=message):
        PaperShrubClassifier().set_params(depth=3)


def test_numpy_numbers_are_parameters():
    learner = PaperShrubClassifier(
        max_shrubs=np.int64(3), window_size=np.uint8(4), step_size=np.float32(0.5), seed=np.int64(7)
    )
    assert learner.learn_one([1.0], 0).n_shrubs == 1


PLANS = [
    ({"n_features": -1}, ValueError, "n_features must be at least 0, got -1"),
    ({"n_features": 20_000}, ValueError, "n_features must be at most 16384, got 20000"),
    ({"n_features": 2.5}, TypeError, "n_features must be an integer, got 2.5"),
    ({"n_features": 1, "n_classes": 0}, ValueError, "n_classes must be at least 1, got 0"),
    (
        {"n_features": 1, "n_classes": 65_536},
        ValueError,
        "n_classes must be at most 65535, got 65536",
    ),
]


@pytest.mark.parametrize(("shape", "error", "message"), PLANS, ids=names(PLANS))
def test_a_plan_for_a_wrong_shape_is_refused(shape, error, message):
    with pytest.raises(error) as caught:
        ShrubClassifier().plan(**shape)
    assert str(caught.value) == message


def unnamed():
    """Two numeric features by position."""
    return PaperShrubClassifier(window_size=4, max_shrubs=2).partial_fit(
        [[1.0, 2.0], [2.0, 1.0]], [0, 1]
    )


def coded():
    """A nominal feature of codes and a numeric one, by position."""
    learner = PaperShrubClassifier(window_size=4, max_shrubs=2, nominal_features=[0])
    return learner.partial_fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])


def named():
    """A numeric feature and one of texts, by name."""
    learner = PaperShrubClassifier(window_size=4, max_shrubs=2)
    return learner.learn_one({"a": 1.0, "b": "red"}, 0).learn_one({"a": 2.0, "b": "blue"}, 1)


def regressor():
    return PaperShrubRegressor(window_size=4, max_shrubs=2).partial_fit([[1.0, 2.0]], [3.0])


FINITE = "must be finite and fit single precision, got"
CODES = "takes integers from 0 to 16777215, got"
ROW = "x must be a dict, a sequence or an array, got"

ROWS = [
    (unnamed, [1.0], 0, ValueError, "x has 1 features, but this learner was built for 2"),
    (unnamed, [1.0] * 3, 0, ValueError, "x has 3 features, but this learner was built for 2"),
    (unnamed, np.ones(3), 0, ValueError, "x has 3 features, but this learner was built for 2"),
    (unnamed, [1.0, INF], 0, ValueError, f"feature 1 {FINITE} infinity"),
    (unnamed, np.array([-INF, 1.0]), 0, ValueError, f"feature 0 {FINITE} infinity"),
    (unnamed, [1.0, 1e39], 0, ValueError, f"feature 1 {FINITE} 1e+39"),
    (unnamed, np.array([1.0, -1e39]), 0, ValueError, f"feature 1 {FINITE} -1e+39"),
    (unnamed, [1.0, "red"], 0, TypeError, "feature 1 takes numbers, got 'red'"),
    (unnamed, [1.0, b"red"], 0, TypeError, "feature 1 takes numbers, got b'red'"),
    (unnamed, [1.0, 1j], 0, TypeError, "feature 1 takes numbers, got 1j"),
    (unnamed, [1.0, [2.0]], 0, TypeError, "feature 1 takes numbers, got [2.0]"),
    (unnamed, np.ones((1, 2)), 0, ValueError, "x must be one example, got 2 dimensions"),
    (unnamed, 3.0, 0, TypeError, f"{ROW} 3.0"),
    (unnamed, "ab", 0, TypeError, f"{ROW} 'ab'"),
    (unnamed, None, 0, TypeError, f"{ROW} None"),
    (
        unnamed,
        {"a": 1.0, "b": 2.0},
        0,
        ValueError,
        "this learner was built on unnamed features: give x as 2 values in order, not by name",
    ),
    (unnamed, [1.0, 2.0], None, ValueError, "y must not be missing, got None"),
    (unnamed, [1.0, 2.0], NAN, ValueError, "y must not be missing, got nan"),
    (unnamed, [1.0, 2.0], pd.NA, ValueError, "y must not be missing, got <NA>"),
    (unnamed, [1.0, 2.0], [1], TypeError, f"{LABEL}, got [1]"),
    (unnamed, [1.0, 2.0], {"a": 1}, TypeError, f"{LABEL}, got {{'a': 1}}"),
    (coded, [3.5, 1.0], 0, ValueError, f"nominal feature 0 {CODES} 3.5"),
    (coded, [-1, 1.0], 0, ValueError, f"nominal feature 0 {CODES} -1.0"),
    (coded, [2**24, 1.0], 0, ValueError, f"nominal feature 0 {CODES} 16777216.0"),
    (coded, np.array([0.5, 1.0]), 0, ValueError, f"nominal feature 0 {CODES} 0.5"),
    (coded, ["red", 1.0], 0, TypeError, "feature 0 takes numbers, got 'red'"),
    (named, {"a": "long"}, 0, TypeError, "feature 'a' takes numbers, got 'long'"),
    (named, {"a": INF}, 0, ValueError, f"feature 'a' {FINITE} infinity"),
    (named, {"b": ["red"]}, 0, TypeError, f"{CATEGORY}, got ['red']"),
    (named, {"c": INF}, 0, ValueError, f"feature 'c' {FINITE} infinity"),
    (named, {"c": [1.0]}, 0, TypeError, "feature 'c' takes numbers, got [1.0]"),
    (regressor, [1.0, INF], 1.0, ValueError, f"feature 1 {FINITE} infinity"),
    (regressor, [1.0, 2.0], "3", TypeError, "y must be a number, got '3'"),
    (regressor, [1.0, 2.0], None, TypeError, "y must be a number, got None"),
    (regressor, [1.0, 2.0], [3.0], TypeError, "y must be a number, got [3.0]"),
    (regressor, [1.0, 2.0], NAN, ValueError, "y must be finite, got nan"),
    (regressor, [1.0, 2.0], INF, ValueError, "y must be finite, got inf"),
    (
        regressor,
        [1.0, 2.0],
        10**400,
        ValueError,
        "y must be finite, got an integer beyond all floats",
    ),
]


@pytest.mark.parametrize(("make", "x", "y", "error", "message"), ROWS)
def test_a_wrong_row_is_refused_and_changes_nothing(make, x, y, error, message):
    learner = make()
    before = learner.to_bytes()
    with pytest.raises(error) as caught:
        learner.learn_one(x, y)
    assert (str(caught.value), learner.to_bytes()) == (message, before)


SAMPLES = "X and y have inconsistent numbers of samples:"
TWO = [[1.0, 2.0], [2.0, 1.0]]

BATCHES = [
    (
        unnamed,
        [1.0, 2.0],
        [0],
        ValueError,
        "X must be two-dimensional, (n_examples, n_features), got 1 dimensions. Reshape your data: "
        "X.reshape(1, -1) is one example",
    ),
    (
        unnamed,
        None,
        [0],
        ValueError,
        "X must be two-dimensional, (n_examples, n_features), got 0 dimensions. Reshape your data: "
        "X.reshape(1, -1) is one example",
    ),
    (
        unnamed,
        [[1.0, 2.0], [1.0]],
        [0, 1],
        ValueError,
        "X must be two-dimensional, but its rows differ in length",
    ),
    (
        unnamed,
        [[1.0]],
        [0],
        ValueError,
        "X has 1 features, but PaperShrubClassifier is expecting 2 features as input",
    ),
    (
        unnamed,
        scipy.sparse.csr_matrix(np.ones((2, 3))),
        [0, 1],
        ValueError,
        "X has 3 features, but PaperShrubClassifier is expecting 2 features as input",
    ),
    (
        unnamed,
        np.empty((1, 0)),
        [0],
        ValueError,
        "0 feature(s) (shape=(1, 0)) while a minimum of 1 is required.",
    ),
    (unnamed, [[1.0, 2.0], [1.0, INF]], [0, 1], ValueError, f"feature 1 {FINITE} infinity"),
    (unnamed, [[1.0, 2.0], [1e39, 1.0]], [0, 1], ValueError, f"feature 0 {FINITE} 1e+39"),
    (
        unnamed,
        [["red", 1.0]],
        [0],
        TypeError,
        "feature 0 takes numbers, got 'red'",
    ),
    (unnamed, TWO, [0], ValueError, f"{SAMPLES} 2 and 1"),
    (unnamed, TWO, [0, 1, 1], ValueError, f"{SAMPLES} 2 and 3"),
    (unnamed, TWO, [], ValueError, f"{SAMPLES} 2 and 0"),
    (
        unnamed,
        TWO,
        None,
        ValueError,
        "a classifier requires y to be passed, but the target y is None",
    ),
    (
        unnamed,
        TWO,
        [[0, 1], [1, 0]],
        ValueError,
        "y must be one-dimensional, (n_examples,), got shape (2, 2)",
    ),
    (unnamed, TWO, [0, NAN], ValueError, "y must not be missing, but it contains NaN"),
    (unnamed, TWO, [0, INF], ValueError, "y must be finite, but it contains infinity"),
    (unnamed, TWO, [0, None], ValueError, "y must not be missing, got None"),
    (unnamed, TWO, ["a", NAN], ValueError, "y must not be missing, got nan"),
    (
        unnamed,
        TWO,
        [0.5, 1.0],
        ValueError,
        "Unknown label type: continuous. y must hold labels, not targets",
    ),
    (coded, [[1.0, 2.0], [0.5, 1.0]], [0, 1], ValueError, f"nominal feature 0 {CODES} 0.5"),
    (
        named,
        pd.DataFrame({"a": [1.0, INF]}),
        [0, 1],
        ValueError,
        f"feature 'a' {FINITE} infinity",
    ),
    (regressor, TWO, [1.0, NAN], ValueError, "y must be finite, but it contains NaN or infinity"),
    (regressor, TWO, [1.0, "2"], TypeError, "y must be a number, got '2'"),
    (regressor, TWO, [1.0, None], TypeError, "y must be a number, got None"),
    (
        regressor,
        TWO,
        None,
        ValueError,
        "a regressor requires y to be passed, but the target y is None",
    ),
]


@pytest.mark.parametrize("method", ["partial_fit", "prequential"])
@pytest.mark.parametrize(("make", "X", "y", "error", "message"), BATCHES)
def test_a_wrong_batch_is_refused_and_changes_nothing(method, *, make, X, y, error, message):
    learner = make()
    before = learner.to_bytes()
    with pytest.raises(error) as caught:
        getattr(learner, method)(X, y)
    assert (str(caught.value), learner.to_bytes()) == (message, before)


# With fit the features may be others than before.
WEIGHT = "weight must be a number from 0 to 1000, got"
WEIGHTS = [
    (-1, ValueError, f"{WEIGHT} -1"),
    (NAN, ValueError, f"{WEIGHT} nan"),
    (INF, ValueError, f"{WEIGHT} inf"),
    (1000.5, ValueError, f"{WEIGHT} 1000.5"),
    (10**400, ValueError, f"{WEIGHT} 1000000000000000000000000000000000000...00000000000"),
    ("2", TypeError, f"{WEIGHT} '2'"),
    (None, TypeError, f"{WEIGHT} None"),
    (True, TypeError, f"{WEIGHT} True"),
    (1j, TypeError, f"{WEIGHT} 1j"),
    (np.array([1.0, 2.0]), TypeError, f"{WEIGHT} array([1., 2.])"),
]


@pytest.mark.parametrize("make", [unnamed, regressor])
@pytest.mark.parametrize(("weight", "error", "message"), WEIGHTS)
def test_a_wrong_weight_is_refused_and_changes_nothing(make, weight, error, message):
    learner = make()
    before = learner.to_bytes()
    with pytest.raises(error) as caught:
        learner.learn_one([1.0, 2.0], 0, weight=weight)
    assert (str(caught.value)[:60], learner.to_bytes()) == (message[:60], before)


SAMPLE_WEIGHT = "sample_weight must hold numbers from 0 to 1000, got"
SAMPLE_WEIGHTS = [
    ([1, -1], ValueError, f"{SAMPLE_WEIGHT} -1 at row 1"),
    ([NAN, 1], ValueError, f"{SAMPLE_WEIGHT} nan at row 0"),
    ([1, None], ValueError, f"{SAMPLE_WEIGHT} None at row 1"),
    ([1, INF], ValueError, f"{SAMPLE_WEIGHT} inf at row 1"),
    ([1, 1001], ValueError, f"{SAMPLE_WEIGHT} 1001 at row 1"),
    ([1], ValueError, "sample_weight must have one weight per example, 2, got 1"),
    ([1, 1, 1], ValueError, "sample_weight must have one weight per example, 2, got 3"),
    (2.0, ValueError, "sample_weight must be one-dimensional, (n_examples,), got shape ()"),
    (["1", "x"], TypeError, "sample_weight must hold numbers, got ['1', 'x']"),
    ([1j, 1], ValueError, "Complex data not supported: sample_weight must hold real numbers"),
    (
        np.ones((2, 2)),
        ValueError,
        "sample_weight must be one-dimensional, (n_examples,), got shape (2, 2)",
    ),
]


@pytest.mark.parametrize("make", [unnamed, regressor])
@pytest.mark.parametrize("method", ["partial_fit", "fit"])
@pytest.mark.parametrize(("sample_weight", "error", "message"), SAMPLE_WEIGHTS)
def test_wrong_weights_are_refused_and_change_nothing(
    *, make, method, sample_weight, error, message
):
    learner = make()
    before = learner.to_bytes()
    with pytest.raises(error) as caught:
        getattr(learner, method)(TWO, [0, 1], sample_weight=sample_weight)
    assert (str(caught.value), learner.to_bytes()) == (message, before)


@pytest.mark.parametrize("make", [unnamed, regressor])
def test_weights_that_are_all_zero_fit_nothing(make):
    message = "^sample_weight must not be zero for all examples, but all are zero$"
    with pytest.raises(ValueError, match=message):
        make().fit(TWO, [0, 1], sample_weight=[0, 0])


@pytest.mark.parametrize("make", [unnamed, regressor])
def test_a_wrong_example_uses_up_no_fraction(make):
    learner = make()
    before = learner.to_bytes()
    with pytest.raises(ValueError, match="features"):
        learner.learn_one([1.0], 0, weight=0.5)
    with pytest.raises(ValueError, match="finite"):
        learner.partial_fit([[1.0, INF]], [0], sample_weight=[1.5])
    assert learner.to_bytes() == before


WEIGHED = {"class_weight": {"a": 1, "b": 2}}
CLASSES = [
    (
        lambda learner: learner.learn_one([1.0, 2.0], "c"),
        "class_weight must have a weight for every label, but it has none for 'c'",
    ),
    (
        lambda learner: learner.partial_fit(TWO, ["a", "c"]),
        "class_weight must have a weight for every label, but it has none for 'c'",
    ),
    (
        lambda learner: learner.prequential(TWO, ["a", "c"]),
        "class_weight must have a weight for every label, but it has none for 'c'",
    ),
    (
        lambda learner: learner.partial_fit(TWO, ["a", "a"], classes=["a", "c"]),
        "class_weight must have a weight for every label, but it has none for 'c'",
    ),
    (
        lambda learner: learner.fit(TWO, ["a", "a"]),
        "class_weight must name labels that there are, but 'b' is not among ['a']",
    ),
    (
        lambda learner: learner.prepare(Schema((Feature("x"), Feature("y")), ("a",))),
        "class_weight must name labels that there are, but 'b' is not among ['a']",
    ),
]


@pytest.mark.parametrize("kind", [ShrubClassifier, PaperShrubClassifier, WindowedTree])
@pytest.mark.parametrize(("action", "message"), CLASSES)
def test_labels_and_weights_that_do_not_fit_are_refused(kind, action, message):
    learner = kind(**WEIGHED).partial_fit(TWO, ["a", "a"])
    before = learner.to_bytes()
    with pytest.raises(ValueError, match=re.escape(message)):
        action(learner)
    assert learner.to_bytes() == before


ALWAYS_WRONG = [
    batch
    for batch in BATCHES
    if "is expecting" not in batch[-1] and batch[-1] != "feature 0 takes numbers, got 'red'"
]


@pytest.mark.parametrize(("make", "X", "y", "error", "message"), ALWAYS_WRONG)
def test_a_wrong_fit_is_refused_and_changes_nothing(make, X, y, error, message):
    learner = make()
    before = learner.to_bytes()
    with pytest.raises(error) as caught:
        learner.fit(X, y)
    assert (str(caught.value), learner.to_bytes()) == (message, before)


def test_a_first_batch_without_examples_is_refused():
    with pytest.raises(ValueError, match=r"^Found array with 0 sample\(s\) \(shape=\(0, 2\)\)"):
        ShrubClassifier().partial_fit(np.empty((0, 2)), [])


def test_a_label_that_was_not_announced_is_refused():
    learner = unnamed()
    before = learner.to_bytes()
    message = r"^y holds the label 'c', which is not among classes$"
    with pytest.raises(ValueError, match=message):
        learner.partial_fit(TWO, ["a", "c"], classes=["a", "b"])
    assert learner.to_bytes() == before


POSITIONS = "nominal_features must be positions from 0 to 1 for unnamed features, got"


@pytest.mark.parametrize(("position", "shown"), [(2, "2"), (-1, "-1"), ("a", "'a'")])
def test_a_nominal_position_that_does_not_exist_is_refused(position, shown):
    with pytest.raises(ValueError, match=f"^{POSITIONS} {shown}$"):
        ShrubClassifier(nominal_features=[position]).learn_one([1.0, 2.0], 0)


PREDICTIONS = [
    (unnamed, [1.0], ValueError, "x has 1 features, but this learner was built for 2"),
    (unnamed, [1.0, INF], ValueError, f"feature 1 {FINITE} infinity"),
    (unnamed, [1.0, 1j], TypeError, "feature 1 takes numbers, got 1j"),
    (unnamed, None, TypeError, f"{ROW} None"),
    (unnamed, np.ones((2, 2)), ValueError, "x must be one example, got 2 dimensions"),
    (
        unnamed,
        {"a": 1.0},
        ValueError,
        "this learner was built on unnamed features: give x as 2 values in order, not by name",
    ),
    (named, {"a": INF}, ValueError, f"feature 'a' {FINITE} infinity"),
    (named, {"b": ["red"]}, TypeError, f"{CATEGORY}, got ['red']"),
]


@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one", "explain_one"])
@pytest.mark.parametrize(("make", "x", "error", "message"), PREDICTIONS)
def test_a_wrong_row_is_not_predicted(make, x, error, message, method):
    with pytest.raises(error) as caught:
        getattr(make(), method)(x)
    assert str(caught.value) == message


@pytest.mark.parametrize(("make", "x", "error", "message"), PREDICTIONS)
def test_a_snapshot_refuses_what_its_learner_refuses(make, x, error, message):
    with pytest.raises(error) as caught:
        make().snapshot().predict_one(x)
    assert str(caught.value) == message


@pytest.mark.parametrize("kind", [ShrubClassifier, PaperShrubClassifier])
def test_memory_that_cannot_do_for_anything_is_refused_at_first_use(kind):
    with pytest.raises(ValueError, match=r"^memory_limit='1KB' is too small for these parameters"):
        kind(memory_limit="1KB").predict_one([1.0])


@pytest.mark.parametrize("kind", [ShrubClassifier, PaperShrubClassifier])
def test_the_smallest_memory_that_will_do_is_named_and_exact(kind):
    with pytest.raises(ValueError, match="they need at least") as caught:
        kind(memory_limit=1).predict_one([1.0])
    smallest = int(str(caught.value).split("at least ")[1].split(" ")[0])
    assert kind(memory_limit=smallest).predict_one([1.0]) is None
    with pytest.raises(ValueError, match="is too small"):
        kind(memory_limit=smallest - 1).predict_one([1.0])


def needed(error):
    """The bytes that an error asks for."""
    return int(str(error.value).split("this needs at least ")[1].split(" ")[0])


SMALL = {"window_size": 16, "max_shrubs": 4, "max_depth": 3}


def test_memory_that_cannot_do_is_refused_at_the_first_example():
    learner = PaperShrubClassifier(memory_limit="8KB", **SMALL)
    with pytest.raises(
        ValueError, match=r"^memory_limit='8KB' is too small for 300 features and 1"
    ):
        learner.learn_one([1.0] * 300, 0)
    assert learner.examples_seen == 0


def test_the_smallest_memory_that_will_do_is_named_at_the_first_example():
    with pytest.raises(ValueError, match="this needs at least") as caught:
        PaperShrubClassifier(memory_limit="8KB", **SMALL).learn_one([1.0] * 300, 0)
    enough = PaperShrubClassifier(memory_limit=needed(caught) + 16, **SMALL)
    assert enough.learn_one([1.0] * 300, 0).examples_seen == 1


def full_learner():
    """A learner that has hardly any room left."""
    roomy = PaperShrubClassifier(**SMALL)
    for i in range(20):
        roomy.learn_one({"a": float(i % 3)}, i % 2)
    learner = PaperShrubClassifier(memory_limit=roomy.memory_bytes + 80, **SMALL)
    for i in range(20):
        learner.learn_one({"a": float(i % 3)}, i % 2)
    return learner


REFUSED = {
    "class": lambda learner: learner.learn_one({"a": 1.0}, "a new class"),
    "feature": lambda learner: learner.learn_one({"a": 1.0, "b": 2.0}, 0),
    "feature of texts": lambda learner: learner.learn_one({"a": 1.0, "b": "red"}, 0),
    "class in the middle of a batch": lambda learner: learner.partial_fit(
        pd.DataFrame({"a": [1.0, 2.0, 1.0]}), [0, 1, 2]
    ),
    "class in the middle of a prequential batch": lambda learner: learner.prequential(
        pd.DataFrame({"a": [1.0, 2.0, 1.0]}), [0, 1, 2]
    ),
    "announced class": lambda learner: learner.partial_fit(
        pd.DataFrame({"a": [1.0]}), [0], classes=[0, 1, 2]
    ),
    "column": lambda learner: learner.partial_fit(pd.DataFrame({"a": [1.0], "b": [2.0]}), [0]),
}


@pytest.mark.parametrize("action", REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused_and_changes_nothing(action):
    learner = full_learner()
    before = learner.to_bytes()
    with pytest.raises(ValueError, match=r"^memory_limit=\d+ is too small for \d features and \d"):
        action(learner)
    assert learner.to_bytes() == before


@pytest.mark.parametrize("action", REFUSED.values(), ids=REFUSED)
def test_a_learner_goes_on_after_a_refusal(action):
    learner = full_learner()
    with pytest.raises(ValueError, match="is too small"):
        action(learner)
    assert learner.learn_one({"a": 1.0}, 1).to_bytes() == (
        full_learner().learn_one({"a": 1.0}, 1).to_bytes()
    )


def test_categories_without_end_are_refused():
    learner = PaperShrubClassifier(memory_limit="12KB", **SMALL)
    frame = pd.DataFrame({"a": [f"category {i}" for i in range(1000)]})
    with pytest.raises(ValueError, match=r"^memory_limit='12KB' is too small"):
        learner.partial_fit(frame, [0] * 1000)


def test_more_features_than_the_core_takes_are_refused():
    with pytest.raises(ValueError, match="a learner takes at most 16384 features"):
        PaperShrubClassifier(window_size=1, max_shrubs=1).learn_one([0.0] * 16_385, 0)
