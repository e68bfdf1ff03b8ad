"""The River estimators: River's own checks, its pipelines, metrics and evaluation."""

import copy

import pandas as pd
import pytest

pytest.importorskip("river", reason="needs shrubs[river]")

from river import checks, compose, datasets, evaluate, metrics, preprocessing

from shrubs import learners
from shrubs.adapters.river import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
)

ESTIMATORS = (ShrubClassifier, ShrubRegressor, PaperShrubClassifier, PaperShrubRegressor)


def name_of(check):
    parts = [getattr(check, "__name__", None) or check.func.__name__]
    if hasattr(check, "keywords"):
        parts += [type(value).__name__ for value in check.keywords.values()]
    return "-".join(parts)


def small(kind):
    """An estimator for checks; River leaves out what depends on a fixed seed."""
    (params,) = kind._unit_test_params()
    return kind(**params, seed=None)


CHECKS = {kind: list(checks.yield_checks(small(kind))) for kind in ESTIMATORS}
CASES = [
    pytest.param(kind, check, id=f"{kind.__name__}-{i}-{name_of(check)}")
    for kind in ESTIMATORS
    for i, check in enumerate(CHECKS[kind])
]


@pytest.mark.parametrize(("kind", "check"), CASES)
def test_an_estimator_passes_a_check_of_river(kind, check):
    check(small(kind))


@pytest.mark.parametrize("kind", [ShrubClassifier, PaperShrubClassifier])
def test_all_checks_for_a_classifier_of_this_kind_are_run(kind):
    # A multi-class mini-batch classifier: 65 executions in River 0.22 and later.
    assert len(CHECKS[kind]) >= 65


def test_a_wrong_value_is_refused_by_a_prediction_of_many():
    with pytest.raises(ValueError, match=r"^max_shrubs must be at least 1, got 0$"):
        PaperShrubClassifier(max_shrubs=0).predict_many(batch()[0])


def test_a_pipeline_is_evaluated():
    model = preprocessing.StandardScaler() | PaperShrubClassifier(max_shrubs=8, window_size=64)
    score = evaluate.progressive_val_score(datasets.Phishing().take(300), model, metrics.Accuracy())
    assert 0.0 <= score.get() <= 1.0


def test_probabilities_are_evaluated():
    model = PaperShrubClassifier(max_shrubs=8, window_size=64)
    score = evaluate.progressive_val_score(datasets.Phishing().take(300), model, metrics.ROCAUC())
    assert 0.0 <= score.get() <= 1.0


def test_a_regression_is_evaluated():
    model = compose.Select("ipsos", "rasmussen") | PaperShrubRegressor(window_size=64)
    stream = datasets.TrumpApproval().take(300)
    score = evaluate.progressive_val_score(stream, model, metrics.MAE())
    assert score.get() >= 0.0


def test_texts_go_through_a_pipeline_as_categories():
    model = compose.Select("colour", "size") | PaperShrubClassifier(window_size=64, max_shrubs=8)
    for i in range(60):
        model.learn_one({"colour": ("red", "blue")[i % 2], "size": i % 5, "id": i}, i % 2 == 0)
    assert model.predict_one({"colour": "red", "size": 3, "id": 99}) is True


def test_the_estimator_learns_what_the_learner_learns():
    ours = learners.PaperShrubClassifier(max_shrubs=8, window_size=64)
    theirs = PaperShrubClassifier(max_shrubs=8, window_size=64)
    for x, y in datasets.Phishing().take(200):
        ours.learn_one(x, y)
        theirs.learn_one(x, y)
    assert theirs.members() == ours.members()


def test_a_batch_is_learned_like_its_rows():
    examples = list(datasets.Phishing().take(100))
    frame = pd.DataFrame([x for x, _ in examples])
    labels = pd.Series([y for _, y in examples])
    one_by_one = PaperShrubClassifier(max_shrubs=8, window_size=64)
    for x, y in examples:
        one_by_one.learn_one(x, y)
    many = PaperShrubClassifier(max_shrubs=8, window_size=64)
    many.learn_many(frame, labels)
    assert many.members() == one_by_one.members()


def batch():
    examples = list(datasets.Phishing().take(100))
    frame = pd.DataFrame([x for x, _ in examples], index=range(1000, 1100))
    return frame, pd.Series([y for _, y in examples], index=frame.index)


def test_batch_predictions_keep_the_index():
    X, y = batch()
    model = PaperShrubClassifier(max_shrubs=8, window_size=64)
    model.learn_many(X, y)
    assert model.predict_many(X).index.equals(X.index)


def test_batch_probabilities_have_a_column_per_label():
    X, y = batch()
    model = PaperShrubClassifier(max_shrubs=8, window_size=64)
    model.learn_many(X, y)
    assert set(model.predict_proba_many(X).columns) == set(y)


def test_a_batch_is_predicted_before_the_first_example():
    X, _ = batch()
    assert PaperShrubRegressor().predict_many(X).tolist() == [0.0] * 100


def test_a_clone_has_learned_nothing():
    model = PaperShrubClassifier(max_shrubs=3).learn_one({"a": 1.0}, True)
    assert (model.clone().examples_seen, model.clone().max_shrubs) == (0, 3)


def test_a_clone_may_change_parameters():
    assert PaperShrubClassifier(max_shrubs=3).clone({"max_shrubs": 5}).max_shrubs == 5


def test_a_copy_goes_on_alone():
    model = PaperShrubClassifier(max_shrubs=3).learn_one({"a": 1.0}, True)
    copy.deepcopy(model).learn_one({"a": 1.0}, False)
    assert model.examples_seen == 1


def test_the_estimator_can_be_saved(tmp_path):
    model = PaperShrubClassifier(max_shrubs=3).learn_one({"a": 1.0}, True)
    model.save(tmp_path / "model.shrubs")
    assert PaperShrubClassifier.load(tmp_path / "model.shrubs").to_bytes() == model.to_bytes()


def test_memory_is_counted_by_river():
    model = PaperShrubClassifier(max_shrubs=3).learn_one({"a": 1.0}, True)
    assert model._raw_memory_usage >= model.memory_bytes
