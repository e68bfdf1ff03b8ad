"""A small state cannot ask for much time or memory: loading is bounded by ``max_bytes``."""

import json
import signal
import struct
import time

import pytest

from shrubs import PaperShrubClassifier, PaperShrubRegressor
from tests.unit.learners.states import read_tables, sealed, tables_of, with_tables

N_NODES = 65_534
EVEN = struct.pack("<5H", 2, 0, 16_384, 1, 16_384)
LONG = "^this model takes longer to load than max_bytes allows; pass a larger max_bytes"


def with_contents(learner, examples, shrubs):
    """The state of a learner with this window and these shrubs, all of the same weight."""
    state = learner.to_bytes()
    head = struct.pack("<QIBI", len(examples), 0, 0, len(examples))
    weight = struct.pack("<d", 1 / len(shrubs))
    body = [state[: tables_of(state)[1]], head, *examples, struct.pack("<I", len(shrubs))]
    return sealed(b"".join([*body, *(weight + shrub for shrub in shrubs)]))


def many_shrubs(n_shrubs, n_examples):
    """Shrubs without a question, each predicting one half, on a large window of two classes."""
    learner = PaperShrubClassifier(max_shrubs=n_shrubs, window_size=65_535, max_depth=1)
    learner.learn_one([1.0], 0).learn_one([1.0], 1)
    examples = [struct.pack("<fH", j, j % 2) for j in range(n_examples)]
    return with_contents(learner, examples, [struct.pack("<QH", 0, 0) + EVEN] * n_shrubs)


def long_ways(n_shrubs, n_examples):
    """Shrubs that ask each example 65,534 questions."""
    learner = PaperShrubRegressor(max_shrubs=4, window_size=65_535).learn_one([1.0], 3.0)
    nodes = [struct.pack("<fHH", i, 0, N_NODES - 1 - i) for i in range(N_NODES)]
    shrub = [struct.pack("<QH", 0, N_NODES), *nodes, struct.pack("<d", 1.0) * (N_NODES + 1)]
    examples = [struct.pack("<fd", -1.0, 1.0)] * n_examples
    return with_contents(learner, examples, [b"".join(shrub)] * n_shrubs)


def seconds_to_refuse(load, state, message):
    start = time.process_time()
    with pytest.raises(ValueError, match=message):
        load(state)
    return time.process_time() - start


def test_the_products_of_many_shrubs_are_refused():
    state = many_shrubs(7000, 26_500)
    assert len(state) < 360_000
    assert seconds_to_refuse(PaperShrubClassifier.from_bytes, state, LONG) < 10


def test_long_ways_of_many_examples_are_refused():
    state = long_ways(2, 65_535)
    assert len(state) < 3_000_000
    assert seconds_to_refuse(PaperShrubRegressor.from_bytes, state, LONG) < 10


def test_a_trusted_state_may_take_its_time():
    state = many_shrubs(200, 10_000)
    with pytest.raises(ValueError, match=LONG):
        PaperShrubClassifier.from_bytes(state, max_bytes=2**24)
    assert PaperShrubClassifier.from_bytes(state, max_bytes=2**25).examples_seen == 10_000


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts")
def test_an_interrupt_ends_the_loading():
    state = many_shrubs(7000, 3000)  # more than a minute
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    start = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            PaperShrubClassifier.from_bytes(state, max_bytes=2**34)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 30


STATE = PaperShrubClassifier(max_shrubs=2, window_size=2).learn_one({"a": 1.0}, 0).to_bytes()


@pytest.mark.parametrize(
    "value",
    ["[],", "{},", "[[[]]],", '"a",', "1.5,"],
    ids=["lists", "objects", "deep", "texts", "numbers"],
)
def test_large_tables_are_refused_before_they_are_read(value, monkeypatch):
    monkeypatch.setattr(json, "loads", None)
    hostile = with_tables(STATE, b'{"learner":[' + value.encode() * 100_000 + b"0]}")
    message = r"^this model needs \d+ bytes once loaded, more than max_bytes=1000000; pass a larger"
    with pytest.raises(ValueError, match=message):
        PaperShrubClassifier.from_bytes(hostile, max_bytes=10**6)


@pytest.mark.parametrize("open_and_close", ["[]", ('{"list":[', "]}")])
def test_deep_tables_get_one_line(open_and_close):
    first, last = open_and_close
    depth = 100_000
    tables = read_tables(STATE)
    text = json.dumps(tables).replace("[0]", f"[{first * depth}{last * depth}]").encode()
    with pytest.raises(ValueError, match=r"^this saved model is invalid: its tables are not"):
        PaperShrubClassifier.from_bytes(with_tables(STATE, text))


@pytest.mark.parametrize("max_bytes", [0, -1, 2**60, 10**400, 1.5, "1GB", None])
def test_wrong_bounds_are_refused(max_bytes):
    with pytest.raises((TypeError, ValueError), match=r"^max_bytes must be"):
        PaperShrubClassifier.from_bytes(STATE, max_bytes=max_bytes)
