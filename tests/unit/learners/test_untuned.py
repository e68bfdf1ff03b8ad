"""The learner that needs no tuning: the same model by every route, and what can be seen of it."""

import threading

import numpy as np
import pytest

from shrubs import NoChange, PaperShrubClassifier, ShrubClassifier, ShrubRegressor, _core
from shrubs.evaluation import evaluate
from shrubs.learners.shrub import Addition
from shrubs.protocols import Block, Feature, Schema
from shrubs.streams import RandomRBF, Sine

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(500, 4))
X[:, 3] = RNG.integers(0, 5, size=500)
Y = (X[:, 0] * 3).astype(int) ^ (X[:, 3] == 2)
T = X[:, 0] * 3 + (X[:, 3] == 2)
X[RNG.uniform(size=X.shape) < 0.05] = np.nan

KINDS = {"classifier": (ShrubClassifier, Y), "regressor": (ShrubRegressor, T)}
LIMITS = ["1MB", "64KB", "16KB"]


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def kind(request):
    return request.param


def new(make, limit, **more):
    return make(memory_limit=limit, nominal_features=[3], **more)


def learn_rows(learner, labels, begin=0, end=500):
    for x, y in zip(X[begin:end], labels[begin:end].tolist(), strict=True):
        learner.learn_one(x, y)
    return learner


@pytest.mark.parametrize("limit", LIMITS)
def test_batches_of_any_size_give_the_model_of_single_rows(kind, limit):
    make, y = kind
    rows = learn_rows(new(make, limit), y).to_bytes()
    assert new(make, limit).partial_fit(X, y).to_bytes() == rows
    parts = new(make, limit)
    for i in range(0, 500, 37):
        parts.partial_fit(X[i : i + 37], y[i : i + 37])
    assert parts.to_bytes() == rows


@pytest.mark.parametrize("limit", LIMITS)
def test_prequential_predicts_what_predict_one_predicts(kind, limit):
    make, y = kind
    one_by_one, expected = new(make, limit), []
    for x, label in zip(X, y.tolist(), strict=True):
        expected.append(one_by_one.predict_one(x))
        one_by_one.learn_one(x, label)
    batch = new(make, limit)
    assert batch.prequential(X, y).tolist() == expected
    assert batch.to_bytes() == one_by_one.to_bytes()


def test_interleaving_predicts_what_prequential_predicts(kind):
    make, y = kind
    classes = None if make is ShrubRegressor else tuple(range(4))
    features = tuple(Feature(str(i), nominal=i == 3) for i in range(4))
    one, other = new(make, "64KB"), new(make, "64KB")
    for learner in (one, other):
        learner.prepare(Schema(features, classes))
    block = Block(X.astype(np.float32), y)
    predicted = one.interleave(block, block).predicted
    assert np.asarray(predicted).tolist() == other.prequential(X, y).tolist()
    assert one.to_bytes() == other.to_bytes()


def test_the_model_does_not_depend_on_what_the_process_did_before(kind):
    # Python's objects of the same content may differ in size; the memory is divided without them.
    make, y = kind
    first = new(make, "64KB").partial_fit(X, y).to_bytes()
    for i in range(20):
        other = new(make, "64KB")
        other.a_new_attribute = i
        assert other.partial_fit(X, y).to_bytes() == first


def test_predicting_leaves_every_byte_as_it_was(kind):
    make, y = kind
    learner = new(make, "16KB")
    for i in range(40):
        learn_rows(learner, y, i, i + 1)
        before = learner.to_bytes()
        learner.predict_one(X[0])
        learner.predict(X[:5])
        assert learner.to_bytes() == before


def test_another_seed_predicts_otherwise(kind):
    make, y = kind
    one, other = (new(make, "1MB", seed=s).partial_fit(X, y) for s in (0, 1))
    method = "predict" if make is ShrubRegressor else "predict_proba"
    assert getattr(one, method)(X).tolist() != getattr(other, method)(X).tolist()


@pytest.mark.parametrize("limit", LIMITS)
def test_weights_of_shrubs_and_companions_sum_to_one(kind, limit):
    make, y = kind
    learner = new(make, limit)
    for i in range(120):
        learn_rows(learner, y, i, i + 1)
        companions = learner.companions.values()
        assert learner.weights.sum() + sum(companions) == pytest.approx(1.0, abs=1e-12)
        assert min([*learner.weights, *companions]) >= 0.0


def test_companions_are_named():
    assert list(ShrubClassifier().partial_fit(X, Y).companions) == [
        "naive Bayes, slow to forget",
        "naive Bayes, quick to forget",
        "linear model",
        "nearest neighbours",
        "no change",
        "what follows a label",
        "what follows two labels",
        "what follows three labels",
    ]
    alone = ShrubClassifier(last_outcomes=False).partial_fit(X, Y)
    assert len(alone.companions) == 4


@pytest.mark.parametrize("delay", [0, 5])
def test_a_prediction_changes_nothing_that_is_learned(delay):
    learner, asked = (ShrubClassifier(memory_limit="64KB", label_delay=delay) for _ in range(2))
    for x, y in zip(X, Y, strict=True):
        asked.predict_one(x)
        asked.learn_one(x, y)
        asked.predict(X)
    assert asked.to_bytes() == learner.partial_fit(X, Y).to_bytes()


def late(learner, y, delay):
    """The share that is right where labels come so many examples late; features tell nothing."""
    right = 0
    for t in range(len(y)):
        right += learner.predict_one([0.0]) == y[t]
        if t >= delay:
            learner.learn_one([0.0], y[t - delay])
    return right / len(y)


def test_labels_that_come_late_are_learned_as_they_were_predicted():
    # The label before is the opposite; the last one that is known when it counts, the same.
    y = [t % 2 for t in range(600)]
    assert late(ShrubClassifier(memory_limit="64KB", label_delay=1), y, 1) > 0.98
    assert late(ShrubClassifier(memory_limit="64KB"), y, 1) < 0.6


def test_companions_of_a_regression_are_named():
    assert list(ShrubRegressor().partial_fit(X, T).companions) == [
        "linear model",
        "no change",
        "trend",
    ]


def test_every_second_shrub_of_a_regression_adds_to_the_linear_model():
    learner = ShrubRegressor(memory_limit="64KB", last_outcomes=False)
    learner.partial_fit(X[:490], T[:490])  # none is growing then, so that no place is empty
    votes = learner.explain_one(X[0])
    adding = [vote for vote in votes if isinstance(vote.prediction, Addition)]
    assert len(adding) == learner.n_shrubs // 2
    assert all(": linear model " in str(vote) for vote in adding)
    # What it adds is small beside the targets, which all others predict themselves.
    assert np.mean(np.abs([vote.prediction for vote in adding])) < 0.5 * np.mean(
        [vote.prediction for vote in votes if vote not in adding]
    )


def test_a_linear_rule_with_a_step_is_learned_better_than_by_means_alone():
    rng = np.random.default_rng(3)
    features = rng.uniform(size=(2000, 4))
    targets = features @ [10.0, -5.0, 3.0, 0.0] + 2.0 * (features[:, 3] > 0.5)
    learner = ShrubRegressor(memory_limit="64KB", last_outcomes=False)
    errors = np.abs(learner.prequential(features, targets) - targets)[1000:]
    assert errors.mean() < 0.4


def test_a_snapshot_predicts_what_its_learner_predicts(kind):
    make, y = kind
    learner = new(make, "64KB").partial_fit(X, y)
    snapshot = learner.snapshot()
    expected = learner.predict(X).tolist()
    assert snapshot.predict(X).tolist() == expected
    learner.partial_fit(X[::-1], y)
    assert snapshot.predict(X).tolist() == expected
    assert [snapshot.predict_one(x) for x in X[:9]] == expected[:9]


def test_a_snapshot_stays_while_another_thread_learns(kind):
    make, y = kind
    learner = new(make, "64KB").partial_fit(X, y)
    snapshot, expected = learner.snapshot(), learner.predict(X).tolist()
    worker = threading.Thread(target=lambda: [learner.partial_fit(X, y) for _ in range(5)])
    worker.start()
    predictions = [snapshot.predict(X).tolist() for _ in range(10)]
    worker.join()
    assert predictions == [expected] * 10
    assert learner.examples_seen == 3000


def accuracy(learner, n=300):
    """On a line that is easy to learn."""
    grid = np.linspace(0.0, 1.0, n)[:, None]
    padded = np.hstack([grid, np.zeros((n, learner.n_features_in_ - 1))])
    return float(np.mean(learner.predict(padded) == (grid[:, 0] > 0.5)))


@pytest.mark.parametrize("limit", ["1MB", "32KB"])
def test_a_new_class_leaves_what_was_known(limit):
    learner = ShrubClassifier(memory_limit=limit)
    learner.partial_fit(X[:, :1], np.nan_to_num(X[:, 0]) > 0.5)
    before = accuracy(learner)
    learner.learn_one([0.99], "new")
    assert before > 0.9
    assert accuracy(learner) >= before - 0.05


@pytest.mark.parametrize("limit", ["1MB", "32KB"])
def test_a_new_feature_leaves_what_was_known(limit):
    learner = ShrubClassifier(memory_limit=limit)
    learn = np.nan_to_num(X[:, 0])
    for value in learn.tolist():
        learner.learn_one({"a": value}, value > 0.5)
    learner.learn_one({"a": 0.9, "b": 1.0, "c": "red"}, True)
    right = [learner.predict_one({"a": v}) == (v > 0.5) for v in learn[:200].tolist()]
    assert np.mean(right) > 0.9


# Accuracy on short streams: a smoke test, far from any bound.
STREAMS = {
    "clusters": RandomRBF(n_examples=3000),
    "sine": Sine(n_examples=3000),
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_smoke_it_beats_no_change_and_the_papers_defaults(stream):
    auto, paper, no_change = (
        evaluate(learner, stream).values()["accuracy"]
        for learner in (ShrubClassifier(), PaperShrubClassifier(), NoChange())
    )
    assert auto > max(paper, no_change)


@pytest.mark.parametrize("scale", [2.0**-40, 2.0**7, 2.0**300])
def test_the_unit_of_targets_does_not_matter(scale):
    plain = new(ShrubRegressor, "64KB").prequential(X, T)
    scaled = new(ShrubRegressor, "64KB").prequential(X, T * scale) / scale
    assert scaled.tolist() == plain.tolist()


def test_the_origin_of_targets_does_not_matter():
    plain = new(ShrubRegressor, "64KB").prequential(X, T)
    shifted = new(ShrubRegressor, "64KB").prequential(X, T + 1024.0) - 1024.0
    errors, shifted_errors = np.abs(plain - T)[200:], np.abs(shifted - T)[200:]
    assert shifted_errors.mean() < 1.2 * errors.mean()


def test_targets_as_large_as_numbers_can_be_are_saved_and_loaded():
    largest = np.finfo(float).max
    learner = ShrubRegressor(memory_limit="64KB")
    for i in range(40):
        learner.learn_one([float(i % 5)], largest if i % 3 else -largest)
    loaded = ShrubRegressor.from_bytes(learner.to_bytes())
    assert loaded.predict_one([1.0]) == learner.predict_one([1.0])
    assert np.isfinite(loaded.predict_one([1.0]))


@pytest.mark.parametrize("n_classes", [2, 40, 3000])
def test_blocks_predict_like_rows_after_moving_into_the_least_memory(n_classes):
    # Shrubs that are too large for their new places stay behind, and so do all companions.
    roomy = _core.AutoLearner(_core.Task.classification, 100_000, 0, 2, bytes(4))
    roomy.learn_many(X, (Y > 1).astype(np.int64))
    arena_bytes = _core.smallest_auto_arena(_core.Task.classification, n_classes, bytes(4))
    one, other = (roomy.replan(arena_bytes, n_classes, bytes(4)) for _ in range(2))
    expected = np.empty((60, n_classes))
    for i in range(60):
        expected[i] = one.predict_many(X[i : i + 1])
        one.learn_many(X[i : i + 1], Y[i : i + 1].astype(np.int64) % 2)
    predicted = np.empty(60, dtype=np.int64)
    other.prequential(X[:60], Y[:60].astype(np.int64) % 2, predicted)
    assert predicted.tolist() == expected.argmax(axis=1).tolist()
    assert expected.sum(axis=1) == pytest.approx(np.ones(60))
