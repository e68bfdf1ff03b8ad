"""A column of weights: examples are learned, and count, as often as it says."""

import numpy as np
import pytest

from shrubs import MajorityClass, PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier
from shrubs.evaluation import evaluate
from shrubs.evaluation.metrics import ClassificationMetrics, RegressionMetrics
from shrubs.protocols import Block, Feature, Schema
from tests.reference.weights import Repetition
from tests.unit.evaluation.test_prequential import OneByOne

WEIGHTS = np.array([1, 0, 0, 2, 0.5, 1.5, 3, 0, 1, 0.25])


class Weighted:
    """Two features with a column of weights between them."""

    name = "weighted"
    n_examples = 120

    def __init__(self, *, regression=False, weights=WEIGHTS):
        rng = np.random.default_rng(3)
        self.X = rng.uniform(size=(120, 3)).astype(np.float32)
        self.X[:, 1] = np.resize(weights, 120)
        y = self.X[:, 0] + rng.normal(scale=0.2, size=120)
        self.y = y if regression else (y > 0.5).astype(np.int64)
        classes = None if regression else ("no", "yes")
        self.schema = Schema(tuple(Feature(name) for name in ("a", "cost", "b")), classes)

    def blocks(self, size=1024):
        for start in range(0, 120, size):
            yield Block(self.X[start : start + size], self.y[start : start + size])


def plain_loop(learner, stream, delay):
    """The loop as one would write it; a row is predicted as often as one is learned after it."""
    repetition, predicted = Repetition(), []
    classes = stream.schema.classes
    labels = stream.y if classes is None else [classes[c] for c in stream.y]
    rows = [{"a": float(a), "b": float(b)} for a, _, b in stream.X]
    for i, row in enumerate(rows):
        predicted.append(learner.predict_one(row))
        if i >= delay:
            for k in range(repetition.times(float(stream.X[i - delay, 1]))):
                if k > 0:
                    learner.predict_one(row)
                learner.learn_one(rows[i - delay], labels[i - delay])
    return predicted, labels


MAKE = {
    "untuned": lambda: ShrubClassifier(memory_limit="32KB"),
    "paper": lambda: PaperShrubClassifier(max_shrubs=4, window_size=16),
    "by row": lambda: OneByOne(PaperShrubClassifier(max_shrubs=4, window_size=16)),
    "majority": MajorityClass,
}


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_weighted_examples_are_learned_and_counted_as_in_a_plain_loop(make, delay):
    stream = Weighted()
    found = evaluate(make(), stream, weight="cost", delay=delay, trace_every=9)
    learner = make()
    if hasattr(learner, "prepare"):
        features = tuple(f for f in stream.schema.features if f.name != "cost")
        learner.prepare(Schema(features, stream.schema.classes))
    predicted, labels = plain_loop(learner, stream, delay)
    right = [a == b for a, b in zip(predicted, labels, strict=True)]
    assert found.values()["accuracy"] == pytest.approx(np.average(right, weights=stream.X[:, 1]))
    assert found.n_examples == 120


def test_targets_have_weights_too():
    stream = Weighted(regression=True)
    found = evaluate(PaperShrubRegressor(window_size=16), stream, weight="cost")
    predicted, targets = plain_loop(PaperShrubRegressor(window_size=16), stream, 0)
    errors = np.abs(np.array(predicted) - targets)[1:]  # nothing was known before the first
    assert found.values()["mae"] == pytest.approx(np.average(errors, weights=stream.X[1:, 1]))


def test_a_resumed_run_goes_on_with_its_fractions(tmp_path):
    def make():
        return PaperShrubClassifier(max_shrubs=4, window_size=16)

    stream, file = Weighted(), tmp_path / "checkpoint"
    options = {"weight": "cost", "delay": 3, "trace_every": 10}
    evaluate(make(), stream, n_examples=50, checkpoint=file, **options)
    resumed = evaluate(make(), stream, checkpoint=file, **options)
    assert resumed.metrics.values() == evaluate(make(), stream, **options).metrics.values()
    with pytest.raises(ValueError, match="was written with weight='cost', not None"):
        evaluate(make(), stream, checkpoint=file, delay=3, trace_every=10)


@pytest.mark.parametrize("metrics", [lambda: ClassificationMetrics(2), RegressionMetrics])
def test_a_whole_weight_counts_as_so_many_examples(metrics):
    rng = np.random.default_rng(1)
    y, predicted, p = rng.integers(0, 2, 90), rng.integers(0, 2, 90), rng.uniform(size=90)
    weights = rng.integers(0, 4, 90)
    weighted, repeated = metrics(), metrics()
    for part in (slice(0, 40), slice(40, 90)):
        weighted.update(y[part], predicted[part], p[part], weights[part].astype(float))
    rows = np.repeat(np.arange(90), weights)
    repeated.update(y[rows], predicted[rows], p[rows])
    # What depends on the order within the repetitions is left out.
    order = {"mean_running_accuracy", "kappa_m", "kappa_temporal"}
    expected = {k: v for k, v in repeated.values().items() if k not in order}
    assert {k: weighted.values()[k] for k in expected} == pytest.approx(expected)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1001.0])
def test_a_wrong_weight_is_named_with_its_place(weight):
    stream = Weighted(weights=[1.0] * 16 + [weight] + [1.0] * 103)
    message = (
        f"stream 'weighted', example 17: the weight must be a number from 0 to 1000, got {weight:g}"
    )
    with pytest.raises(ValueError, match=message):
        evaluate(MajorityClass(), stream, weight="cost")


def test_a_column_that_is_none_is_refused():
    message = (
        "weight must be one of the columns with numbers of stream 'weighted', a, cost, b; got 'no'"
    )
    with pytest.raises(ValueError, match=message):
        evaluate(MajorityClass(), Weighted(), weight="no")
