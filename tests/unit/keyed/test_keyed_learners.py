"""A learner per key: what stays in memory, what is refused, and what an error leaves behind."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from shrubs import MajorityClass, PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier
from shrubs.keyed import DictStore, KeyedLearners, StoreError
from tests.reference.keyed import PlainKeyedLearners

X = np.random.default_rng(0).uniform(size=(200, 3))
Y = (X[:, 0] > 0.5).astype(int)
KEYS = [f"key {i % 7}" for i in range(200)]


def make():
    return PaperShrubClassifier(max_shrubs=2, window_size=8)


def keyed(store=None, memory_budget="1MB", learner=make):
    return KeyedLearners(learner, {} if store is None else store, memory_budget)


class Failing(DictStore):
    """A store that can stop taking anything, and counts what it is given."""

    def __init__(self):
        super().__init__()
        self.is_full = False
        self.n_put = 0

    def put_many(self, states):
        if self.is_full:
            raise StoreError("no room left")
        states = list(states)
        self.n_put += len(states)
        super().put_many(states)


# -- memory --------------------------------------------------------------------------------------


def test_learners_in_memory_stay_within_the_budget():
    learners = keyed(memory_budget=20_000)
    for key, x, y in zip(KEYS, X, Y, strict=True):
        learners.learn_one(key, x, y)
        assert 0 < learners.memory_bytes <= 20_000


def test_bytes_in_memory_are_those_of_learners_and_keys():
    learners = keyed().partial_fit(KEYS, X, Y)
    alone = [learners.learner(key).memory_bytes for key in learners]
    assert 7 * 50 < learners.memory_bytes - sum(alone) < 7 * 400


def test_the_learner_in_use_stays_whatever_its_size():
    learners = keyed(memory_budget=1).partial_fit(KEYS, X, Y)
    assert learners.memory_bytes > 1
    assert learners.learner("key 1").examples_seen == KEYS.count("key 1")


def test_those_used_least_recently_go_to_the_store():
    states = {}
    store = DictStore(states)
    size = keyed().learn_one("a", X[0], Y[0]).memory_bytes
    learners = keyed(store, memory_budget=2 * size + size // 2)
    for key in ("a", "b"):
        learners.learn_one(key, X[0], Y[0])
    learners.predict_one("a", X[0])
    learners.learn_one("c", X[0], Y[0])
    assert list(store.keys()) == ["b"]


def test_a_learner_that_did_not_change_is_not_written_again():
    store = Failing()
    learners = keyed(store, memory_budget=1).partial_fit(KEYS, X, Y)
    n_put = store.n_put
    for key in sorted(set(KEYS)) * 2:
        learners.predict_one(key, X[0])
    assert store.n_put == n_put + 1  # the one that was in use


# -- what is predicted and learned ---------------------------------------------------------------


@pytest.mark.parametrize(("learner", "expected"), [(make, None), (PaperShrubRegressor, 0.0)])
def test_a_prediction_for_an_unknown_key_makes_no_learner(learner, expected):
    learners = keyed(learner=learner)
    assert learners.predict_one("a", X[0]) == expected
    assert learners.predict(["a", "b"], X[:2]).tolist() == [expected] * 2
    assert len(learners) == 0


def test_an_example_that_is_refused_makes_no_learner():
    learners = keyed()
    with pytest.raises(ValueError, match="finite"):
        learners.learn_one("a", [np.inf], 1)
    assert len(learners) == 0
    assert learners.memory_bytes == 0


@pytest.mark.parametrize("block", ["array", "frame", "rows"])
def test_blocks_of_all_kinds_are_learned_as_single_examples(block):
    names = ["a", "b", "c"]
    rows = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    data = {"array": X, "frame": pd.DataFrame(X, columns=names), "rows": rows}[block]
    expected = PlainKeyedLearners(make)
    predictions = expected.prequential(KEYS, X if block == "array" else rows, Y.tolist())
    learners = keyed(memory_budget=20_000)
    assert learners.prequential(pd.Series(KEYS), data, Y.tolist()).tolist() == predictions
    assert {key: learners.learner(key).to_bytes() for key in learners} == expected.states()


def test_labels_may_be_tuples():
    learners = keyed()
    labels = [("a", 1), ("b", 2), ("a", 1)]
    learners.partial_fit([1, 1, 2], X[:3], labels)
    assert learners.predict([1, 2], X[:2]).tolist() == [("a", 1), ("a", 1)]


def test_a_copy_of_a_learner_is_its_own():
    learners = keyed().learn_one("a", X[0], 1)
    learners.learner("a").learn_one(X[0], 0)
    assert learners.learner("a").examples_seen == 1


def test_threads_take_turns():
    learners = keyed(memory_budget=20_000)

    def learn(key):
        for x, y in zip(X, Y, strict=True):
            learners.learn_one(key, x, y)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(learn, range(8)))
    expected = make().partial_fit(X, Y).to_bytes()
    assert {learners.learner(key).to_bytes() for key in range(8)} == {expected}


# -- errors --------------------------------------------------------------------------------------

NO_KEYS = [
    (1.0, r"^a key must be a text, an integer or bytes, got 1.0$"),
    (True, "got True"),
    (None, "got None"),
    (("a", 1), r"got \('a', 1\)"),
    (np.float64(2), "got"),
    (2**63, "^a key must be an integer of at most 64 bits"),
    ("\ud800", "^a key must be a text without lone surrogates"),
]


@pytest.mark.parametrize(("key", "message"), NO_KEYS)
def test_an_unknown_kind_of_key_is_refused(key, message):
    learners = keyed().learn_one(1, X[0], 1)
    for call in (
        lambda: learners.learn_one(key, X[0], 1),
        lambda: learners.predict_one(key, X[0]),
        lambda: learners.partial_fit([1, key], X[:2], Y[:2]),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            call()
    assert learners.learner(1).examples_seen == 1


@pytest.mark.parametrize("keys", ["ab", 7, ["a"]])
def test_a_block_needs_a_key_for_each_row(keys):
    with pytest.raises((TypeError, ValueError), match="keys"):
        keyed().partial_fit(keys, X[:2], Y[:2])


def test_a_block_needs_a_label_for_each_row():
    rows = [{"a": 1}, {"a": 2}]
    for data in (rows, X[:2]):
        with pytest.raises(ValueError, match="2"):
            keyed().partial_fit(["a", "b"], data, [1])


MAKERS = [
    (lambda: 7, TypeError, "^make must return a learner of shrubs, got 7$"),
    (MajorityClass, TypeError, "^make must return a learner of shrubs"),
    (lambda: make().learn_one([1.0], 1), ValueError, "a new learner each time, got one that has"),
    (lambda: PaperShrubClassifier(window_size=0), ValueError, "^window_size must be at least 1"),
]


@pytest.mark.parametrize(("learner", "error", "message"), MAKERS)
def test_what_makes_no_learner_is_refused_at_once(learner, error, message):
    with pytest.raises(error, match=message):
        keyed(learner=learner)


def test_a_learner_that_is_handed_out_twice_is_refused():
    only = make()
    learners = keyed(learner=lambda: only).learn_one("a", X[0], 1)
    with pytest.raises(ValueError, match="a new learner each time"):
        learners.learn_one("b", X[0], 1)


@pytest.mark.parametrize("budget", [0, "much", 1.5])
def test_a_wrong_budget_is_refused(budget):
    with pytest.raises((TypeError, ValueError), match=r"^memory_budget must be"):
        keyed(memory_budget=budget)


def test_a_state_of_another_kind_is_refused_by_its_key():
    states = {"a": ShrubClassifier().to_bytes()}
    with pytest.raises(StoreError, match=r"^the state of key 'a' cannot be read: this is a saved"):
        keyed(states).predict_one("a", X[0])


def test_progress_must_be_a_text():
    with pytest.raises(TypeError, match=r"^progress must be a text, got 7$"):
        keyed().flush(7)


def test_an_error_in_a_block_says_what_was_learned():
    data = X[:6].copy()
    data[3, 0] = np.inf
    learners = keyed()
    with pytest.raises(ValueError, match=r"finite|infinity") as error:
        learners.prequential(list("ababac"), data, Y[:6])
    assert error.value.learned.tolist() == [True, False, True, False, True, False]
    assert error.value.predictions.tolist()[1::2] == [None] * 3
    assert learners.learner("a").examples_seen == 3
    assert list(learners) == ["a"]


def test_a_full_store_stops_learning_before_anything_is_lost():
    store, expected = Failing(), PlainKeyedLearners(make)
    learners = keyed(store, memory_budget=15_000)

    def learn(first, last):
        for i in range(first, last):
            learners.learn_one(KEYS[i], X[i], Y[i])
            expected.learn_one(KEYS[i], X[i], Y[i])

    learn(0, 50)
    store.is_full = True
    with pytest.raises(StoreError, match=r"^no room left$"):
        learn(50, 100)
    with pytest.raises(StoreError, match=r"^no room left$") as error:
        learners.partial_fit(KEYS, X, Y)
    learned = np.flatnonzero(error.value.learned)
    expected.partial_fit([KEYS[i] for i in learned], X[learned], Y[learned])
    with pytest.raises(StoreError, match=r"^no room left$"):
        learners.flush("half")
    assert learners.progress is None
    store.is_full = False
    assert {key: learners.learner(key).to_bytes() for key in learners} == expected.states()


# -- the end -------------------------------------------------------------------------------------


def test_leaving_keeps_what_was_learned():
    states = {}
    with keyed(states) as learners:
        learners.learn_one("a", X[0], 1)
    assert states["a"] == make().learn_one(X[0], 1).to_bytes()


def test_leaving_by_an_exception_keeps_what_was_flushed():
    states = {}
    learners = keyed(states)
    learners.learn_one("a", X[0], 1).flush()
    learners.learn_one("b", X[0], 1)
    with pytest.raises(ValueError, match="finite"), learners:
        learners.learn_one("c", [np.inf], 1)
    assert set(states) == {"a"}
