"""The conventions of scikit-learn, checked by its own checks and by its tools."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)

LEARNERS = [
    ShrubClassifier,
    ShrubRegressor,
    PaperShrubClassifier,
    PaperShrubRegressor,
    WindowedTree,
]


# It shuffles the rows of one of the two learners that it compares, and what a stream learner knows
# depends on their order. `test_sample_weights.py` runs it without.
IN_ANOTHER_ORDER = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


@pytest.fixture(scope="module", params=LEARNERS, ids=lambda learner: learner.__name__)
def results(request):
    """What check_estimator says of a learner: check name, status and exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # our learners keep the conventions without BaseEstimator
        return check_estimator(request.param(), on_fail=None, on_skip=None)


def test_no_check_of_scikit_learn_fails(results):
    failed = [
        (r["check_name"], r["exception"])
        for r in results
        if r["status"] in ("failed", "xfail") and r["check_name"] not in IN_ANOTHER_ORDER
    ]
    assert failed == []


def test_the_checks_of_weights_are_run(results):
    run = {r["check_name"] for r in results if r["status"] in ("passed", "failed")}
    weights = {name for name in run if "weight" in name}
    assert (len(weights) >= 7, weights >= IN_ANOTHER_ORDER) == (True, True)


def test_most_checks_of_scikit_learn_are_run(results):
    # 1.6 has about 50 for an estimator of this kind.
    assert sum(r["status"] == "passed" for r in results) >= 40


@pytest.fixture(scope="module")
def classes():
    return make_classification(300, n_features=5, n_informative=3, random_state=0)


@pytest.fixture(scope="module")
def targets():
    return make_regression(300, n_features=5, noise=1.0, random_state=0)


def small():
    return PaperShrubClassifier(max_shrubs=8, window_size=64)


def test_a_clone_has_the_parameters_and_nothing_learned(classes):
    learner = small().fit(*classes)
    copied = clone(learner)
    assert (copied.get_params(), copied.examples_seen) == (learner.get_params(), 0)


def test_learners_say_what_they_are():
    assert (is_classifier(small()), is_regressor(ShrubRegressor())) == (True, True)


def test_a_pipeline_learns(classes):
    X, y = classes
    pipeline = make_pipeline(StandardScaler(), small()).fit(X, y)
    assert pipeline.predict(X).shape == y.shape


def test_a_grid_search_finds_parameters(classes):
    search = GridSearchCV(small(), {"max_depth": [1, 5], "step_size": [0.1, 0.5]}, cv=2)
    assert set(search.fit(*classes).best_params_) == {"max_depth", "step_size"}


def test_cross_validation_scores_accuracy(classes):
    scores = cross_val_score(small(), *classes, cv=3)
    assert ((scores >= 0.0) & (scores <= 1.0)).all()


def test_cross_validation_scores_a_regression(targets):
    scores = cross_val_score(PaperShrubRegressor(window_size=64), *targets, cv=3)
    assert np.isfinite(scores).all()


def test_probabilities_can_be_scored(classes):
    scores = cross_val_score(small(), *classes, cv=3, scoring="neg_brier_score")
    assert ((scores >= -1.0) & (scores <= 0.0)).all()


def test_learners_can_be_bagged(classes):
    X, y = classes
    assert BaggingClassifier(small(), 3, random_state=0).fit(X, y).predict(X).shape == y.shape


def test_smoke_a_classifier_is_better_than_chance(classes):
    # An accuracy threshold, so no test of correctness; chance is 1/2.
    X, y = classes
    assert PaperShrubClassifier(window_size=150).fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.7


def test_a_learner_that_has_not_begun_is_not_fitted():
    with pytest.raises(
        NotFittedError, match=r"^this PaperShrubClassifier has not seen an example yet"
    ):
        small().predict([[1.0]])


def test_fit_forgets_what_was_learned_before(classes):
    X, y = classes
    learner = small().fit(X[:100], 1 - y[:100])
    assert learner.fit(X, y).to_bytes() == small().fit(X, y).to_bytes()


def test_partial_fit_goes_on(classes):
    X, y = classes
    learner = small().partial_fit(X[:100], y[:100], classes=[0, 1])
    assert learner.partial_fit(X[100:], y[100:]).to_bytes() == small().fit(X, y).to_bytes()


def test_the_score_is_the_share_of_right_predictions(classes):
    X, y = classes
    learner = small().fit(X, y)
    assert learner.score(X, y) == pytest.approx(np.mean(learner.predict(X) == y))


def test_the_score_of_a_regression_is_r_squared(targets):
    from sklearn.metrics import r2_score

    X, y = targets
    learner = PaperShrubRegressor(window_size=64).fit(X, y)
    assert learner.score(X, y) == pytest.approx(r2_score(y, learner.predict(X)))


def test_a_column_of_labels_is_warned_about(classes):
    X, y = classes
    with pytest.warns(
        UserWarning, match="A column-vector y was passed when a 1d array was expected"
    ):
        small().fit(X, y[:, None])


def test_nothing_is_warned_about_in_ordinary_use(classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small().fit(*classes).predict(classes[0])
