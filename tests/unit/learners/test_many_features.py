"""Where more features come at once than fit, those that tell something get the columns."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from shrubs import ShrubClassifier, ShrubRegressor
from shrubs.evaluation import evaluate
from shrubs.protocols import Block, Feature, Schema

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")

LIMIT = "32KB"
WIDTH, TELLING = 300, (117, 222)


def numbers(n, seed=0):
    """Rows of noise in which two values tell the class, and the classes."""
    X = np.random.default_rng(seed).integers(0, 5, (n, WIDTH)).astype(float)
    return X, (X[:, TELLING[0]] + X[:, TELLING[1]] > 4).astype(int)


def named(X):
    return pd.DataFrame(X, columns=[f"feature {i}" for i in range(X.shape[1])])


def learn_rows(learner, rows, y):
    for x, label in zip(rows, y.tolist(), strict=True):
        learner.learn_one(x, label)
        assert learner.memory_bytes <= 32 * 1024
    return learner


def kept(learner):
    """Positions of features that have a column, or numbers in their names."""
    tables = learner._owner.tables
    if tables.kept is not None:
        return set(tables.kept.tolist())
    return {int(name.split()[1]) for name in tables.names()}


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
@pytest.mark.parametrize("by_name", [False, True])
def test_the_features_that_tell_are_found(kind, by_name):
    X, y = numbers(1500)
    rows = named(X).to_dict("records") if by_name else X.tolist()
    learner = learn_rows(kind(memory_limit=LIMIT), rows, y)
    assert set(TELLING) <= kept(learner)
    assert learner.memory_report().given_up.features_left_out == WIDTH - len(kept(learner))
    right = (np.array([learner.predict_one(x) for x in rows[1000:]]) > 0.5) == y[1000:]
    assert right.mean() > 0.9


@pytest.mark.parametrize(("limit", "width"), [("8KB", 12), ("12KB", 24), ("16KB", 24)])
@pytest.mark.parametrize("by_name", [False, True])
def test_all_that_come_at_once_have_columns_in_little_memory(limit, width, by_name):
    X = np.random.default_rng(0).integers(0, 2, (600, width)).astype(float)
    rows = pd.DataFrame(X, columns=[f"x{i}" for i in range(width)]).to_dict("records")
    learner = ShrubClassifier(memory_limit=limit)
    right = []
    for x, label in zip(rows if by_name else X.tolist(), X[:, -1].tolist(), strict=True):
        right.append(learner.predict_one(x) == label)
        learner.learn_one(x, label)
        assert learner.memory_bytes <= 1024 * int(limit[:-2])
    assert learner.memory_report().given_up.features_left_out == 0
    assert np.mean(right[300:]) > 0.9


def test_texts_that_tell_are_found_among_texts_and_numbers():
    X, y = numbers(1500)
    rows = [[x if i % 3 else f"text {x}" for i, x in enumerate(row)] for row in X.tolist()]
    learner = learn_rows(ShrubClassifier(memory_limit=LIMIT), rows, y)
    assert TELLING[0] % 3 == TELLING[1] % 3 == 0
    assert set(TELLING) <= kept(learner)
    right = [learner.predict_one(row) == label for row, label in zip(rows, y, strict=True)]
    assert np.mean(right[1000:]) > 0.8


def test_after_a_drift_others_are_found():
    X, y = numbers(1200)
    learner = learn_rows(ShrubClassifier(memory_limit=LIMIT), X.tolist(), y)
    learner.partial_fit(np.roll(X, 10, axis=1), y)
    assert {i + 10 for i in TELLING} <= kept(learner)


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_rows_and_batches_of_any_kind_give_the_same(kind):
    X, y = numbers(500)
    rows = learn_rows(kind(memory_limit=LIMIT, seed=1), X.tolist(), y)
    batch, single, sparse, parts, preq = (kind(memory_limit=LIMIT, seed=1) for _ in range(5))
    batch.partial_fit(X, y)
    learn_rows(single, X.astype(np.float32), y)
    sparse.partial_fit(scipy.sparse.csr_matrix(X), y)
    for start in range(0, 500, 70):
        parts.partial_fit(X[start : start + 70], y[start : start + 70])
    preq.prequential(X, y)
    assert rows.memory_report().given_up.features_forgotten > 0
    for other in (batch, single, sparse, parts, preq):
        assert other.to_bytes() == rows.to_bytes()


def test_rows_and_frames_of_names_give_the_same():
    X, y = numbers(400)
    frame = named(X)
    frame.loc[frame.index % 7 == 3, [f"feature {i}" for i in TELLING]] = np.nan
    rows = learn_rows(ShrubClassifier(memory_limit=LIMIT, seed=1), frame.to_dict("records"), y)
    batch = ShrubClassifier(memory_limit=LIMIT, seed=1).partial_fit(frame, y)
    assert rows.memory_report().given_up.features_forgotten > 0
    assert batch.to_bytes() == rows.to_bytes()


def test_rows_and_arrays_of_texts_find_the_same():
    X, y = numbers(400)
    texts = np.array([[f"text {x}" for x in row] for row in X], dtype=object)
    rows = learn_rows(ShrubClassifier(memory_limit=LIMIT, seed=1), texts.tolist(), y)
    batch = ShrubClassifier(memory_limit=LIMIT, seed=1).partial_fit(texts, y)
    assert rows.memory_report().given_up.features_forgotten > 0
    assert kept(batch) == kept(rows)


@pytest.mark.parametrize("by_name", [False, True])
def test_a_saved_learner_goes_on_with_the_same_bits(by_name):
    X, y = numbers(420)
    rows = named(X).to_dict("records") if by_name else X.tolist()
    learner = ShrubClassifier(memory_limit=LIMIT, seed=1)
    other = ShrubClassifier(memory_limit=LIMIT, seed=1)
    for i, (x, label) in enumerate(zip(rows, y.tolist(), strict=True)):
        learner.learn_one(x, label)
        other.learn_one(x, label)
        if i % 31 == 0:
            other = ShrubClassifier.from_bytes(other.to_bytes())
    assert learner.memory_report().given_up.features_forgotten > 0
    assert other.to_bytes() == learner.to_bytes()
    assert other.memory_bytes == learner.memory_bytes
    assert learner.snapshot().predict_one(rows[0]) == learner.predict_one(rows[0])
    assert learner.snapshot().memory_bytes < learner.memory_bytes


class Announced:
    """A stream whose features are announced by name."""

    def __init__(self, X, y, classes):
        features = tuple(Feature(f"feature {i}") for i in range(X.shape[1]))
        self.name, self.n_examples, self.drifts = "wide", len(y), ()
        self.schema = Schema(features, classes)
        self._block = Block(X.astype(np.float32), y)

    def blocks(self, size=1000):
        for start in range(0, self.n_examples, size):
            rows = slice(start, start + size)
            yield Block(self._block.X[rows], self._block.y[rows])


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_they_are_found_in_an_evaluation(kind):
    X, y = numbers(1500)
    is_classifier = kind is ShrubClassifier
    stream = Announced(X, y if is_classifier else y * 1.0, ("no", "yes") if is_classifier else None)
    learner = kind(memory_limit=LIMIT)
    evaluate(learner, stream)
    names = learner.feature_names_in_.tolist()
    assert {f"feature {i}" for i in TELLING} <= set(names)
    assert [int(name.split()[1]) for name in names] == learner._owner.tables.kept.tolist()
    assert learner.memory_bytes <= 32 * 1024


@pytest.mark.parametrize("by_name", [False, True])
def test_after_an_evaluation_rows_go_on_with_the_columns_that_there_are(by_name):
    X, y = numbers(1500)
    learner = ShrubClassifier(memory_limit=LIMIT)
    evaluate(learner, Announced(X[:200], y[:200], ("no", "yes")))
    names = learner.feature_names_in_.tolist()
    rows = named(X[200:300]).to_dict("records") if by_name else X[200:300].tolist()
    for x, label in zip(rows, y[200:300], strict=True):
        learner.learn_one(x, ("no", "yes")[label])
    assert learner.feature_names_in_.tolist() == names
    assert learner.examples_seen == 300
    assert not learner._owner.tables.calls() or not by_name


def test_what_is_refused_changes_nothing():
    X, y = numbers(300)
    learner = ShrubClassifier(memory_limit=LIMIT, seed=1).partial_fit(X, y)
    while not learner._owner.tables.calls():  # the next row would change columns
        learner.partial_fit(*(part[:1] for part in numbers(1, seed=learner.examples_seen)))
    before = learner.to_bytes()
    with pytest.raises(TypeError, match="takes numbers"):
        learner.learn_one(["text"] * WIDTH, 0)
    assert learner.to_bytes() == before
