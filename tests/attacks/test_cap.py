"""The cap on memory: whatever comes, a learner never takes more than it says and may."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from shrubs import PaperShrubClassifier, ShrubClassifier, ShrubRegressor
from tests.attacks.budget import rounds, sanitized

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")

MB = 1024**2


def is_learned(learner, x, y):
    """Whether there was room for an example; if not, nothing may have changed."""
    before = learner.examples_seen, learner.memory_bytes
    try:
        learner.learn_one(x, y)
    except ValueError as error:
        if "is too small for" not in str(error):
            raise
    else:
        return True
    assert (learner.examples_seen, learner.memory_bytes) == before
    return False


NAMES = {
    "texts": lambda i: f"a text with number {i}",
    "texts of NumPy": lambda i: np.str_(f"a text with number {i}"),
    "beyond ASCII": lambda i: f"größe {i} 日本語 🌱",
    "bytes": lambda i: b"%d" % i,
    "numbers": lambda i: i + 0.5,
    "large numbers": lambda i: 2**80 + i,
    "tuples": lambda i: (i, f"of {i}", (i,)),
    "sets": lambda i: frozenset({i, f"of {i}"}),
}


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_categories_stay_within_the_cap(kind, name):
    learner = kind(memory_limit="64KB").learn_one({"a": "a text", "b": 1.0}, 0.0)
    for i in range(1500):
        learner.learn_one({"a": name(i), "b": 1.0}, float(i % 2))
        assert learner.memory_bytes <= 64 * 1024


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_labels_and_features_stay_within_the_cap(name):
    learner = ShrubClassifier(memory_limit="64KB")
    for i in range(400):
        learner.learn_one({"b": 1.0}, name(i))
        learner.learn_one({name(i): 1.0}, name(0))
        assert learner.memory_bytes <= 64 * 1024


@pytest.mark.parametrize("name", ["texts", "texts of NumPy"])
def test_a_number_after_thousands_of_texts_stays_within_the_cap(name):
    learner = ShrubClassifier()
    for i in range(6000):
        learner.learn_one({"a": NAMES[name](i)}, i % 2)
    learner.learn_one({"a": 5}, 0)
    assert learner.memory_bytes <= MB


class Payload:
    def __init__(self):
        self.payload = "x" * 10**6


@pytest.mark.parametrize("value", [Payload(), pathlib.Path("a" * 1000), range(9)], ids=type)
def test_what_reaches_further_than_it_looks_is_no_key(value):
    learner = ShrubClassifier().learn_one({"a": "text"}, 0)
    with pytest.raises(TypeError, match="nominal_features must hold names or positions, got "):
        ShrubClassifier(nominal_features=["a", value]).predict_one([])
    for x, y in (({"a": value}, 0), ({value: 1.0}, 0), ({"a": "text"}, value)):
        with pytest.raises(TypeError, match="texts, numbers, booleans, bytes or tuples"):
            learner.learn_one(x, y)
    assert learner.examples_seen == 1


@pytest.mark.parametrize("collection", [list, tuple, set, frozenset])
def test_names_of_nominal_features_count(collection):
    short, long = (
        PaperShrubClassifier(nominal_features=collection([(("x" * n),)])) for n in (1, 10_000)
    )
    assert long.memory_bytes - short.memory_bytes >= 9999


def test_a_text_longer_than_all_memory_is_taken():
    learner = ShrubClassifier(memory_limit="64KB").learn_one({"a": "text"}, 0)
    for x, y in (({"a": "x" * 10**7}, 0), ({"x" * 10**7: 1.0}, 0), ({"a": "text"}, "x" * 10**7)):
        assert learner.learn_one(x, y).memory_bytes <= 64 * 1024
        assert learner.predict_proba_one(x)
    assert learner.examples_seen == 4


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_everything_at_once_is_taken_and_stays_within_the_cap(kind):
    kinds = [*NAMES.values(), lambda i: "x" * (i * i)]
    for draw in rounds(5):
        limit = draw.choice([16_000, 20_000, 40_000, 200_000])
        learner = kind(memory_limit=limit, seed=draw.randrange(10))
        for i in range(300):
            names = [draw.choice(kinds)(draw.randrange(200)) for _ in range(draw.randrange(12))]
            x = {name: draw.choice([1.0, i, None]) for name in names}
            x[f"text {i // 9}"] = x["a"] = f"category {i}"
            y = float(i) if kind is ShrubRegressor else draw.choice(kinds)(draw.randrange(100))
            assert learner.learn_one(x, y).memory_bytes <= limit
        assert kind.from_bytes(learner.to_bytes()).to_bytes() == learner.to_bytes()


def test_mixed_names_of_random_sizes_stay_within_the_cap():
    kinds = [*NAMES.values(), lambda i: "x" * (i * i)]
    for draw in rounds(5):
        limit = draw.choice([16_000, 40_000, 200_000])
        learner = PaperShrubClassifier(max_shrubs=4, window_size=16, memory_limit=limit)
        learner.learn_one({"a": "text"}, 0)
        for _ in range(200):
            value = draw.choice(kinds)(draw.randrange(100))
            is_learned(learner, {"a": value, "b": 1.0}, draw.randrange(3))
            assert learner.memory_bytes <= limit


# -- what the process itself says ------------------------------------------------------------------

_PROGRAM = """
import ctypes, gc, json
from shrubs import PaperShrubClassifier, ShrubClassifier, ShrubRegressor, WindowedTree

class Info(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info

def used():
    gc.collect()
    info = libc.mallinfo2()
    return info.uordblks + info.hblkhd

def learned(make, n_categories):
    learner = make()
    for i in range(15):
        row = {"number": float(i), "text": f"category {i % n_categories}", "other": i % 7 * 1.0}
        learner.learn_one(row, float(i) if learner._regression else f"class {i % 4}")
    return learner

MAKE = {
    "untuned, 4KB": (lambda: ShrubClassifier(memory_limit="4KB"), 2),
    "untuned, 16KB": (lambda: ShrubClassifier(memory_limit="16KB"), 20),
    "untuned, 64KB, many categories": (lambda: ShrubClassifier(memory_limit="64KB"), 40),
    "regressor, 32KB": (lambda: ShrubRegressor(memory_limit="32KB"), 20),
    "paper, smallest": (lambda: PaperShrubClassifier(max_shrubs=1, window_size=2), 2),
    "paper": (lambda: PaperShrubClassifier(max_shrubs=8, window_size=64), 20),
    "tree": (lambda: WindowedTree(window_size=64), 20),
}
N = 1000
result = {}
for name, (make, n_categories) in MAKE.items():
    warm = [learned(make, n_categories) for _ in range(20)]
    before = used()
    kept = [learned(make, n_categories) for _ in range(N)]
    grown = used() - before
    result[name] = grown / N, sum(learner.memory_bytes for learner in kept) / N
    del kept, warm
print(json.dumps(result))
"""

_PER_LEARNER = 472  # what docs/algorithm.md says
_SHARE = 0.05


@pytest.mark.skipif(sanitized, reason="a sanitizer takes memory of its own")
def test_thousands_of_learners_take_what_they_say():
    if not hasattr(__import__("ctypes").CDLL(None), "mallinfo2"):
        pytest.skip("this C library does not count its bytes")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM],
        env={**os.environ, "PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for name, (taken, counted) in json.loads(run.stdout).items():
        assert taken <= counted, name
        assert taken >= (1 - _SHARE) * counted - _PER_LEARNER, name
