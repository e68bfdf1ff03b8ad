"""A learner without tuning takes whatever comes, in the memory that it has."""

import pickle
import random
import time
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import shrubs
from shrubs import GivenUp, MemoryFullWarning, ShrubClassifier, ShrubRegressor
from shrubs.evaluation import evaluate
from shrubs.protocols import Block, Feature, Schema
from shrubs.streams import real_stream

KB = 1024
LIMITS = {"64KB": 64 * KB, "1MB": 1024 * KB}
RNG = np.random.default_rng(0)

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")


@pytest.fixture(params=LIMITS)
def limit(request):
    return request.param


def useful(i):
    """A row in which "a" and "b" tell the class, and what they tell."""
    a, b = RNG.random(2)
    return {"a": a, "b": b}, int(a + b > 1)


def rights(learner, n, add):
    """Whether each prediction was right, with what `add(i)` brings, and seconds by tenths."""
    right, seconds = [], []
    for i in range(n):
        if i % (n // 10) == 0:
            seconds.append(time.process_time())
        x, y = useful(i)
        x.update(add(i))
        right.append(learner.predict_one(x) == y)
        learner.learn_one(x, y)
    seconds.append(time.process_time())
    return np.array(right), np.diff(seconds)


NEW = {
    "categories": lambda i: {"id": f"customer {i}"},
    "long texts": lambda i: {"text": f"{i} " * 100},
    "names": lambda i: {f"feature {i}": 1.0},
    "names of texts": lambda i: {f"feature {i}": f"text {i}"},
    "names that stay a while": lambda i: {f"feature {i // 100}": 1.0},
}


@pytest.mark.parametrize("add", NEW.values(), ids=NEW)
def test_what_is_always_new_costs_neither_accuracy_nor_time(limit, add):
    n = 4000 if limit == "1MB" else 10_000
    learner = ShrubClassifier(memory_limit=limit)
    right, seconds = rights(learner, n, add)
    alone, _ = rights(ShrubClassifier(memory_limit=limit), n, lambda i: {})
    assert right[n // 4 :].mean() >= alone[n // 4 :].mean() - 0.01
    assert seconds[-1] <= 4 * seconds[0] + 0.5
    assert learner.examples_seen == n
    assert learner.memory_bytes <= LIMITS[limit]


def test_every_class_of_thousands_is_learned_when_it_comes(limit):
    learner = ShrubClassifier(memory_limit=limit)
    for i in range(2000 if limit == "64KB" else 1200):
        learner.learn_one({"a": float(i % 7)}, f"class {i}")
        assert learner.memory_bytes <= LIMITS[limit]
    assert f"class {i}" in learner.classes_
    assert learner.memory_report().given_up.classes_forgotten == i + 1 - len(learner.classes_)
    for _ in range(60):
        learner.learn_one({"a": 1.0}, "the last")
    assert learner.predict_one({"a": 1.0}) == "the last"


def test_classes_that_stay_are_not_forgotten_for_others():
    learner = ShrubClassifier(memory_limit="64KB")
    for i in range(3000):
        x, y = useful(i)
        learner.learn_one(x, y if i % 4 else f"never again {i}")
    right = [learner.predict_one(x) == y for x, y in map(useful, range(500))]
    assert {0, 1} <= set(learner.classes_)
    assert np.mean(right) > 0.85


def test_labels_that_come_once_leave_few_classes(limit):
    learner = ShrubClassifier(memory_limit=limit)
    for i in range(600):
        learner.learn_one(useful(i)[0], i % 2 if i % 3 else f"never again {i}")
    assert len(learner.classes_) == 32
    assert {0, 1} <= set(learner.classes_)


def test_a_label_that_comes_again_is_there_to_stay():
    learner = ShrubClassifier(memory_limit="64KB")
    for i in range(200):  # more than a fourth of those that there is room for
        learner.learn_one({"a": 1.0}, i)
    n_classes = len(learner.classes_)
    assert 32 <= n_classes < 40
    learner.learn_one({"a": 1.0}, 150).learn_one({"a": 1.0}, 300).learn_one({"a": 1.0}, 301)
    assert {150, 301} <= set(learner.classes_)
    assert 300 not in learner.classes_
    assert len(learner.classes_) == n_classes + 1


def learn_useful(learner, n):
    for i in range(n):
        learner.learn_one(*useful(i))


def test_labels_that_came_once_go_by_themselves(limit):
    learner = ShrubClassifier(memory_limit=limit)
    learn_useful(learner, 2000)
    plan = learner._engine.window_size
    for i in range(300):
        learner.learn_one(useful(i)[0], f"never again {i}")
    assert len(learner.classes_) > 32
    while len(learner.classes_) > 2:
        assert learner.examples_seen < 2000 + 300 + 2 * plan
        learner.learn_one(*useful(0))
    learner.learn_one(*useful(0))
    assert set(learner.classes_) == {0, 1} == set(learner.predict_proba_one(useful(0)[0]))
    assert learner.predict_proba([[0.1, 0.1]]).shape == (1, 2)
    assert learner.predict([[0.1, 0.1], [0.9, 0.9]]).tolist() == [0, 1]
    assert abs(learner._engine.window_size - plan) < plan // 16
    assert learner.memory_bytes <= LIMITS[limit]
    assert learner.memory_report().given_up.classes_forgotten == 300


def test_classes_that_came_twice_or_were_announced_stay():
    learner = ShrubClassifier(memory_limit="64KB")
    learner.partial_fit([[0.5, 0.5]], [0], classes=[0, 1, "announced"])
    for i in range(40):
        for _ in range(2):
            learner.learn_one([0.5, 0.5], f"twice {i}")
    for _ in range(3):
        learner.learn_one([0.5, 0.5], "announced")
    for i in range(3000):
        x, y = useful(i)
        learner.learn_one(list(x.values()), y)
    assert len(learner.classes_) == 43


def test_a_label_that_went_and_comes_again_stays():
    learner = ShrubClassifier(memory_limit="64KB")
    for i in range(40):
        learner.learn_one({"a": 0.5, "b": 0.5}, f"once {i}")
    learn_useful(learner, 2000)
    assert set(learner.classes_) == {0, 1}
    learner.learn_one({"a": 0.5, "b": 0.5}, "once 39")
    for i in range(40):
        learner.learn_one({"a": 0.5, "b": 0.5}, f"another {i}")
    learn_useful(learner, 2000)
    assert set(learner.classes_) == {0, 1, "once 39"}


def test_what_went_by_itself_is_said_once_before_the_next_example():
    learner = ShrubClassifier(memory_limit="1MB")
    learn_useful(learner, 10)
    for i in range(40):
        learner.learn_one({"a": 0.5, "b": 0.5}, f"once {i}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(40_000):
            if len(learner.classes_) == 2:
                break
            learner.learn_one(*useful(i))
        n_seen = learner.examples_seen
        with pytest.raises(MemoryFullWarning):
            learner.learn_one(*useful(0))
        assert learner.examples_seen == n_seen
        learner.learn_one(*useful(0))


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_thousands_of_numbers_at_once(limit, kind):
    X = RNG.random((60, 5000))
    y = (X[:, 0] > 0.5).astype(int)
    rows, batch, sparse, frame = (kind(memory_limit=limit) for _ in range(4))
    for x, label in zip(X, y.tolist(), strict=True):
        rows.learn_one(x, label)
    batch.partial_fit(X, y)
    sparse.partial_fit(scipy.sparse.csr_matrix(X), y)
    frame.partial_fit(pd.DataFrame(X).astype(object).to_numpy(), y)
    assert rows.to_bytes() == batch.to_bytes() == sparse.to_bytes() == frame.to_bytes()
    assert batch.memory_bytes <= LIMITS[limit]
    assert batch.n_features_in_ == 5000 == len(batch.feature_importances_)
    assert batch.predict(X).tolist() == [rows.predict_one(list(x)) for x in X]
    assert batch.predict(scipy.sparse.csr_matrix(X)).tolist() == batch.predict(X).tolist()
    assert batch.snapshot().predict(X).tolist() == batch.predict(X).tolist()
    assert batch.snapshot().predict_one(X[0]) == batch.predict_one(X[0])
    assert batch.memory_report().given_up.features_left_out > 0
    with pytest.raises(ValueError, match=r"X has 10 features, but this learner is expecting 5000"):
        batch.predict(X[:, :10])
    with pytest.raises(ValueError, match="x has 10 features, but this learner was built for 5000"):
        batch.predict_one(X[0, :10])
    recalled = {"last label", "label before", "last target", "last change"}
    assert all(0 <= feature < 5000 for feature in used_by(batch) - recalled)


def used_by(learner):
    """The features that shrubs ask for."""
    found = set()
    for shrub in learner.shrubs:
        waiting = [shrub.root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, shrubs.Split):
                found.add(node.feature)
                waiting += [node.left, node.right]
    return found


def test_thousands_of_texts_at_once(limit):
    names = [f"feature {i}" for i in range(2000)]
    frame = pd.DataFrame({name: [f"text {i % 3}" for i in range(30)] for name in names})
    y = np.arange(30) % 3
    batch, rows = ShrubClassifier(memory_limit=limit), ShrubClassifier(memory_limit=limit)
    batch.partial_fit(frame, y)
    for x, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
        rows.learn_one(x, label)
    assert tables_of(rows) == tables_of(batch)
    assert batch.memory_bytes <= LIMITS[limit]
    kept = {int(name.split()[1]) for name in batch.feature_names_in_}
    assert len(kept) + batch.memory_report().given_up.features_left_out == 2000
    assert 800 < np.mean(list(kept)) < 1200  # from all over


ELEC = ("date", "day", "period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer")


def rights_in_4_kb(rows):
    """Whether each prediction was right, of rows of eight names and their labels."""
    learner, right = ShrubClassifier(memory_limit="4KB", seed=1), []
    for x, y in rows:
        right.append(learner.predict_one(x) == y)
        learner.learn_one(x, y)
        assert learner.memory_bytes <= 4 * KB
    assert set(learner.feature_names_in_) == set(x)
    assert learner.memory_report().given_up == GivenUp()
    return np.array(right)


@pytest.mark.parametrize("names", [ELEC, [f"feature {i:04}" for i in range(8)]])
def test_eight_named_numbers_and_two_labels_are_learned_in_4_kb(names):
    X = RNG.random((2000, 8))
    y = np.where(X[:, 3] > 0.5, "UP", "DOWN").tolist()
    rows = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    assert rights_in_4_kb(zip(rows, y, strict=True))[1000:].mean() > 0.9


def test_elec_is_learned_by_name_in_4_kb():
    try:
        stream = real_stream("elec")
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    assert tuple(feature.name for feature in stream.schema.features) == ELEC
    block = next(iter(stream.blocks(5000)))
    y = np.array(stream.schema.classes)[block.y].tolist()
    rows = [dict(zip(ELEC, x, strict=True)) for x in block.X.tolist()]
    no_change = np.mean(block.y[1:] == block.y[:-1])
    assert rights_in_4_kb(zip(rows, y, strict=True)).mean() > no_change + 0.02


# -- the same by every way in ----------------------------------------------------------------------


N = 600
NUMBERS = {"a": RNG.random(N), "b": RNG.integers(0, 2, N).astype(float)}
TEXTS = {
    "id": [f"customer {i}" for i in range(N)],
    "city": [f"city {i}" for i in RNG.integers(0, 90, N)],
    "country": [f"country {i}" for i in RNG.integers(0, 20, N)],
}
CLASSES = [f"class {i % 3}" if i % 5 else f"class {i // 7}" for i in range(N)]


def test_classes_one_by_one_in_batches_and_prequentially_are_the_same():
    frame, y = pd.DataFrame(NUMBERS), CLASSES
    rows, batch, preq = (ShrubClassifier(memory_limit="32KB") for _ in range(3))
    predicted = []
    for x, label in zip(frame.to_dict("records"), y, strict=True):
        predicted.append(rows.predict_one(x))
        rows.learn_one(x, label)
    for i in range(0, len(y), 100):
        batch.partial_fit(frame[i : i + 100], y[i : i + 100])
    assert preq.prequential(frame, y).tolist() == predicted
    assert rows.to_bytes() == batch.to_bytes() == preq.to_bytes()
    assert rows.memory_report().given_up.classes_forgotten > 0


def test_classes_that_go_by_themselves_go_in_batches_too():
    X = RNG.random((4000, 3))
    y = [
        f"once {i}" if 500 <= i < 560 or 2000 <= i < 2050 else "late" if i % 900 == 899 else i % 2
        for i in range(len(X))
    ]
    learners = [ShrubClassifier(memory_limit="48KB", class_weight="balanced") for _ in range(5)]
    rows, batch, preq, parts, saved = learners
    predicted, n_classes = [], set()
    for i, (x, label) in enumerate(zip(X.tolist(), y, strict=True)):
        predicted.append(rows.predict_one(x))
        rows.learn_one(x, label)
        saved.learn_one(x, label)
        n_classes.add(len(rows.classes_))
        if i % 300 == 0:
            saved = ShrubClassifier.from_bytes(pickle.loads(pickle.dumps(saved)).to_bytes())
    labels = np.array(y, dtype=object)
    batch.partial_fit(X, labels)
    assert preq.prequential(X, labels).tolist() == predicted
    for i in range(0, len(y), 77):
        parts.partial_fit(X[i : i + 77], labels[i : i + 77])
    assert max(n_classes) > 32
    assert len(rows.classes_) == 3
    for other in (batch, preq, parts, saved):
        assert other.to_bytes() == rows.to_bytes()


def test_texts_one_by_one_and_in_batches_are_the_same():
    frame = pd.DataFrame({**NUMBERS, **TEXTS})
    rows, batch = (ShrubClassifier(memory_limit="32KB") for _ in range(2))
    for x, label in zip(frame.to_dict("records"), CLASSES, strict=True):
        rows.learn_one(x, label)
    batch.partial_fit(frame, CLASSES)
    assert tables_of(rows) == tables_of(batch)
    assert rows.memory_report().given_up.features_without_texts == 3


def tables_of(learner):
    """Names, categories, labels and what was given up."""
    tables = learner._owner.tables
    return tables.names(), tables.categories(), tables.labels(), tables.crowd()


def test_a_late_feature_is_learned_when_it_comes_again():
    first = {f"f{i:02}": float(i) for i in range(20)}
    late = {**first, "late": 1.0}
    learner, batch = ShrubClassifier(), ShrubClassifier()
    for i in range(6):
        learner.learn_one(late if i else first, i % 2)
        assert learner.n_features_in_ == (20 if i < 2 else 21)
    assert learner.memory_report().given_up == GivenUp()
    batch.partial_fit(pd.DataFrame([first]), [0])
    assert batch.partial_fit(pd.DataFrame([late]), [1]).n_features_in_ == 20
    batch.partial_fit(pd.DataFrame([late] * 4), [0, 1, 0, 1])
    assert learner.to_bytes() == batch.to_bytes()


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_features_that_come_and_go_in_frames_are_learned_as_by_rows(kind):
    rows, batch, preq = (kind(memory_limit="32KB") for _ in range(3))
    for n, first in ((30, 0), (40, 5), (1, 12), (200, 12), (80, 40), (300, 41), (30, 0)):
        names = [f"f{i:02}" for i in range(first, first + 12)]
        frame = pd.DataFrame(RNG.random((n, 12)), columns=names)
        if first > 5:
            frame[f"late {first}"] = np.where(np.arange(n) % 20 == 15, 1.0, np.nan)
        y = np.arange(n) % 2
        for x, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
            rows.learn_one(x, label)
        batch.partial_fit(frame, y)
        assert len(preq.prequential(frame, y)) == n
        for other in (batch, preq):
            assert tables_of(rows)[:3] == tables_of(other)[:3]
            assert rows._engine.to_state(b"") == other._engine.to_state(b"")
    assert rows.memory_report().given_up.features_forgotten > 0


def test_a_wrong_value_in_a_late_part_of_a_frame_changes_nothing():
    learner = ShrubClassifier().learn_one({f"f{i:02}": 1.0 for i in range(20)}, 0)
    before = learner.to_bytes()
    frame = pd.DataFrame({"late": [1.0] * 4, "later": [1.0, 2.0, 3.0, np.inf]})
    with pytest.raises(ValueError, match="finite"):
        learner.partial_fit(frame, [0, 1, 0, 1])
    assert learner.to_bytes() == before


def test_a_hundred_late_features_come_in_although_few_can_wait():
    learner = ShrubClassifier()
    learner.learn_one({f"f{i:02}": 1.0 for i in range(20)}, 0)
    late = {f"late {i}": 1.0 for i in range(100)}
    for i in range(10):
        learner.learn_one(late, i % 2)
    assert learner.n_features_in_ == 120


def test_an_old_feature_gives_way_to_a_new_one():
    learner = ShrubClassifier(memory_limit="32KB")
    names = [f"f{i:02}" for i in range(60)]
    for name in names:
        for i in range(200):
            learner.learn_one({"a": float(i % 2), name: float(i)}, i % 2)
    known = set(learner.feature_names_in_)
    assert {"a", names[-1]} <= known
    assert names[0] not in known
    assert learner.memory_report().given_up.features_forgotten > 0
    assert not any("f00" in str(shrub) for shrub in learner.shrubs)


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_a_crowded_learner_goes_on_after_saving(kind):
    learner = kind(memory_limit="32KB")
    for i in range(900):
        y = f"class {i // 20}" if kind is ShrubClassifier else float(i)
        x = {f"g{j:02}": float(i) for j in range(17)}
        learner.learn_one({**x, f"f{i // 3}": 1.0, "id": f"customer {i}"}, y)
        if i == 450:
            others = [
                kind.from_bytes(learner.to_bytes()),
                pickle.loads(pickle.dumps(learner)),
            ]
            snapshot, expected = learner.snapshot(), learner.predict_one(x)
        if i > 450:
            for other in others:
                other.learn_one({**x, f"f{i // 3}": 1.0, "id": f"customer {i}"}, y)
    for other in others:
        assert other.to_bytes() == learner.to_bytes()
        assert other.memory_report().given_up == learner.memory_report().given_up
    assert snapshot.predict_one({f"g{j:02}": 450.0 for j in range(17)}) == expected


# -- what was given up -----------------------------------------------------------------------------


def test_what_is_given_up_is_said_once_and_can_be_asked_for():
    learner = ShrubClassifier(memory_limit="32KB")
    assert learner.memory_report().given_up == GivenUp()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(300):
            learner.learn_one({"id": f"customer {i}"}, f"class {i}")
    assert [warning.category for warning in caught] == [MemoryFullWarning]
    assert caught[0].filename == __file__
    assert str(caught[0].message).startswith("memory_limit='32KB' has no room for all that")
    given_up = learner.memory_report().given_up
    assert given_up.features_without_texts == 1
    assert given_up.classes_forgotten == 300 - len(learner.classes_)
    assert str(learner.memory_report()).endswith("features without texts 1")


def test_a_warning_that_is_an_error_changes_nothing_and_comes_once():
    learner = ShrubClassifier(memory_limit="32KB")
    n_warnings = 0
    for i in range(300):
        before = learner.to_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                learner.learn_one({"id": f"customer {i}"}, 0)
        except MemoryFullWarning:
            n_warnings += 1
            assert learner.to_bytes() == before
    assert n_warnings == 1
    assert learner.examples_seen == 299


def test_an_error_takes_back_what_gave_way():
    learner = ShrubClassifier(memory_limit="32KB")
    for i in range(300):
        learner.learn_one({"id": f"customer {i}"}, f"class {i}")
    before = learner.to_bytes()
    for x, y in (
        ({"id": "x", "n": float("inf")}, "new"),
        ({"id": ["x"]}, "new"),
        ({"id": "x"}, []),
    ):
        with pytest.raises((TypeError, ValueError)):
            learner.learn_one(x, y)
        assert learner.to_bytes() == before
    with pytest.raises(ValueError, match="finite"):
        learner.partial_fit(pd.DataFrame({"id": ["x", "y"], "n": [1.0, np.inf]}), ["new", "newer"])
    assert learner.to_bytes() == before


def test_a_category_without_a_text_is_learned_and_shown():
    learner = ShrubClassifier(memory_limit="32KB")
    for i in range(2000):
        learner.learn_one({"id": f"customer {i // 2}"}, 0)
    for i in range(2000):
        learner.learn_one({"id": "late" if i % 2 else f"other {i % 50}"}, i % 2)
    assert [learner.predict_one({"id": name}) for name in ("late", "other 2")] == [1, 0]
    conditions = {part for vote in learner.explain_one({"id": "late"}) for part in vote.rule}
    assert any(part.startswith("id == (other #") for part in conditions)


def test_categories_that_are_always_new_are_as_good_as_missing():
    learner = ShrubClassifier(memory_limit="32KB")
    for i in range(500):
        x = {"a": RNG.random(), "id": f"customer {i}"}
        learner.learn_one(x, int(x["a"] > 0.5))
    for a in (0.1, 0.9):
        new, missing = {"a": a, "id": "somebody"}, {"a": a}
        assert learner.predict_proba_one(new) == learner.predict_proba_one(missing)


def test_labels_that_are_long_are_known_by_their_beginning():
    learner = ShrubClassifier(memory_limit="32KB")
    for i in range(40):
        learner.learn_one([float(i % 2)], ("long " if i % 2 else "longer ") * 100_000)
    assert learner.memory_bytes <= 32 * KB
    assert str(learner.predict_one([1.0])).startswith("long long long")
    assert len(learner.classes_) == 2


def test_more_classes_are_announced_than_there_is_room_for():
    X, y = RNG.random((300, 2)), np.arange(300)
    learner = ShrubClassifier(memory_limit="32KB").fit(X, y)
    assert learner.examples_seen == 300
    assert 299 in learner.classes_
    with pytest.raises(ValueError, match="y holds the label 300, which is not among classes"):
        learner.partial_fit(X[:1], [300], classes=[1, 2])


class Classes:
    """A stream of more classes than there is room for."""

    name, n_examples = "classes", 1500

    def __init__(self, n_classes):
        features = tuple(Feature(f"f{i}") for i in range(300))
        self.schema = Schema(features, tuple(f"class {c}" for c in range(n_classes)))

    def blocks(self, size=1024):
        draw = np.random.default_rng(0)
        for start in range(0, self.n_examples, size):
            n = min(size, self.n_examples - start)
            y = (np.arange(start, start + n) // 100) % self.schema.n_classes
            X = draw.random((n, 300), dtype=np.float32) + y[:, None].astype(np.float32)
            yield Block(X, y)


def test_an_evaluation_takes_more_features_and_classes_than_there_is_room_for():
    found = evaluate(ShrubClassifier(memory_limit="32KB"), Classes(400))
    few = evaluate(ShrubClassifier(memory_limit="1MB"), Classes(15))
    assert found.n_examples == few.n_examples == 1500
    assert found.metrics.accuracy > few.metrics.accuracy - 0.1


def test_a_short_window_learns_every_example_of_many_classes():
    """Most of 60 classes come at most once among the few examples that it holds."""
    draw = random.Random(1)
    learner = ShrubClassifier(memory_limit="64KB")
    for _ in range(400):
        c = draw.randrange(60)
        learner.learn_one([c + draw.random() for _ in range(100)], f"class {c}")
    assert learner.examples_seen == 400
