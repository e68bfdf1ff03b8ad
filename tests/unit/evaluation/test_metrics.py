import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs.evaluation import ClassificationMetrics, RegressionMetrics

sklearn_metrics = pytest.importorskip("sklearn.metrics")

labels = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0, 1)), min_size=1, max_size=60
)


def scored(examples, *, block=1000, window_size=7):
    y, predicted, p = (np.array(column) for column in zip(*examples, strict=True))
    metrics = ClassificationMetrics(4, window_size=window_size)
    for start in range(0, len(y), block):
        part = slice(start, start + block)
        metrics.update(y[part], predicted[part], p[part])
    return metrics.values()


@given(labels)
def test_running_accuracy_is_the_mean_over_time(examples):
    right = [y == predicted for y, predicted, _ in examples]
    running = [sum(right[: i + 1]) / (i + 1) for i in range(len(right))]
    values = scored(examples)
    assert values["accuracy"] == sum(right) / len(right)
    assert values["mean_running_accuracy"] == pytest.approx(sum(running) / len(running))
    assert values["windowed_accuracy"] == pytest.approx(np.mean(right[-7:]))


@given(labels)
def test_kappa_and_f1_agree_with_scikit_learn(examples):
    y, predicted, _ = zip(*examples, strict=True)
    values = scored(examples)
    present = sorted({*y, *predicted})
    f1 = sklearn_metrics.f1_score(y, predicted, labels=present, average="macro", zero_division=0)
    assert values["macro_f1"] == pytest.approx(f1)
    if len(present) > 1:
        assert values["kappa"] == pytest.approx(sklearn_metrics.cohen_kappa_score(y, predicted))


@given(labels)
def test_baselines_are_what_a_loop_counts(examples):
    y = [example[0] for example in examples]
    no_change = sum(a == b for a, b in itertools.pairwise(y)) / len(y)
    counts = [0] * 4
    majority = 0
    for label in y:
        majority += counts.index(max(counts)) == label
        counts[label] += 1
    values = scored(examples)
    for name, baseline in (("kappa_temporal", no_change), ("kappa_m", majority / len(y))):
        expected = (values["accuracy"] - baseline) / (1 - baseline) if baseline < 1 else 0.0
        assert values[name] == pytest.approx(expected)


@given(labels)
def test_log_loss_is_the_mean_surprise(examples):
    expected = np.mean([-np.log(max(p, 1e-15)) for _, _, p in examples])
    assert scored(examples)["log_loss"] == pytest.approx(expected)


@given(labels, st.integers(1, 20))
def test_blocks_of_any_size_give_the_same(examples, block):
    assert scored(examples, block=block) == pytest.approx(scored(examples))


@pytest.mark.filterwarnings("ignore:(y_pred contains classes not|A single label was found) in")
@given(labels)
def test_balanced_accuracy_agrees_with_scikit_learn(examples):
    y, predicted, _ = zip(*examples, strict=True)
    expected = sklearn_metrics.balanced_accuracy_score(y, predicted)
    assert scored(examples)["balanced_accuracy"] == pytest.approx(expected)


def area(y, p_of_one):
    """As scikit-learn has it, None for a single class."""
    return sklearn_metrics.roc_auc_score(y, p_of_one) if len(set(y)) == 2 else None


two_labels = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0])), max_size=60
)


@given(two_labels, st.integers(1, 20))
def test_the_area_under_the_curve_agrees_with_scikit_learn(examples, block):
    y, p = np.array([y for y, _ in examples], dtype=int), np.array([p for _, p in examples])
    metrics = ClassificationMetrics(2, window_size=7)
    for i in range(0, len(y), block):
        part = slice(i, i + block)
        metrics.update(y[part], y[part], np.where(y[part] == 1, p[part], 1 - p[part]))
    whole = [area(y[i : i + 7], p[i : i + 7]) for i in range(0, len(y) - 6, 7)]
    known = [value for value in whole if value is not None]
    last = area(y[-7:], p[-7:])
    assert metrics.values()["windowed_auc"] == (last if last is None else pytest.approx(last))
    expected = np.mean(known) if known else last
    assert metrics.values()["auc"] == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    "examples", [[(0, 0, 0.5), (1, 1, float("nan"))], [(0, 0, 0.5), (1, 1, 0.5), (2, 2, 0.5)]]
)
def test_the_area_is_known_for_two_classes_with_probabilities_alone(examples):
    y, predicted, p = (np.array(column) for column in zip(*examples, strict=True))
    metrics = ClassificationMetrics(2)
    metrics.update(y, predicted, p)
    assert (metrics.values()["auc"], metrics.values()["windowed_auc"]) == (None, None)


def test_an_unknown_probability_makes_the_log_loss_unknown():
    assert scored([(0, 0, 0.5), (1, 1, float("nan"))])["log_loss"] is None


def test_no_prediction_is_wrong():
    metrics = ClassificationMetrics(2)
    metrics.update(np.array([0]), np.array([-1]), np.array([0.0]))
    assert metrics.values()["accuracy"] == 0.0


def test_a_class_never_announced_widens_the_confusion():
    metrics = ClassificationMetrics(1)
    metrics.update(np.array([0, 2]), np.array([0, 0]), np.array([1.0, 0.0]))
    assert metrics.confusion.tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=2, max_size=40))
def test_regression_agrees_with_scikit_learn(pairs):
    y, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    metrics = RegressionMetrics()
    for i in range(0, len(y), 3):
        metrics.update(y[i : i + 3], predicted[i : i + 3], np.full(len(y[i : i + 3]), np.nan))
    values = metrics.values()
    assert values["mae"] == pytest.approx(sklearn_metrics.mean_absolute_error(y, predicted))
    expected = sklearn_metrics.root_mean_squared_error(y, predicted)
    assert values["rmse"] == pytest.approx(expected)
    if np.var(y) > 1e-6:
        expected = sklearn_metrics.r2_score(y, predicted)
        assert values["r2"] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_windowed_error_forgets_what_is_older_than_its_window():
    metrics = RegressionMetrics(window_size=4)
    for errors in ([100.0, 100.0, 1.0], [2.0], [3.0, 4.0]):
        metrics.update(np.zeros(len(errors)), np.array(errors), np.full(len(errors), np.nan))
    assert metrics.windowed_mae == 2.5  # of 1, 2, 3 and 4


def test_the_windowed_error_is_known_again_after_a_prediction_that_is_no_number():
    metrics = RegressionMetrics(window_size=2)
    metrics.update(np.zeros(1), np.array([np.nan]), np.full(1, np.nan))
    assert metrics.values()["windowed_mae"] is None
    metrics.update(np.zeros(2), np.array([1.0, 3.0]), np.full(2, np.nan))
    assert metrics.values()["windowed_mae"] == 2.0
