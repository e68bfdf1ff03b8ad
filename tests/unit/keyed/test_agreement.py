"""Whatever moves to the store and back, every key is learned as in a plain loop, to the bit."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier
from shrubs.keyed import KeyedLearners
from tests.reference.keyed import PlainKeyedLearners
from tests.unit.keyed.stores import PLACES
from tests.unit.learners.streams import tries

LEARNERS = {
    "paper": lambda: PaperShrubClassifier(max_shrubs=2, window_size=4),
    "regression": lambda: PaperShrubRegressor(max_shrubs=2, window_size=4),
    "untuned": lambda: ShrubClassifier(memory_limit="16KB"),
}
KEYS = st.sampled_from(["a", "b", "é", 1, "1", b"1", -(2**63), ""])
ROWS = st.tuples(
    KEYS, st.lists(st.integers(0, 3).map(float), min_size=2, max_size=2), st.integers(0, 2)
)
STEPS = st.one_of(
    st.tuples(st.just("learn_one"), ROWS),
    st.tuples(st.just("predict_one"), ROWS),
    st.tuples(
        st.sampled_from(["partial_fit", "prequential", "predict"]),
        st.lists(ROWS, min_size=1, max_size=30),
    ),
    st.tuples(st.sampled_from(["flush", "rollback", "die", "close"]), st.none()),
)


class Both:
    """The same steps by the class under test and by the reference."""

    def __init__(self, make, place, budget):
        self._make, self._place, self._budget = make, place, budget
        self._expected = PlainKeyedLearners(make)
        self._n_flushes = 0
        self._open()

    def _open(self):
        self.keyed = KeyedLearners(self._make, self._place.open(), self._budget)

    def do(self, name, what):
        if what is None:
            getattr(self, name)()
            return
        keys, X, y = what if name.endswith("_one") else zip(*what, strict=True)
        arguments = (keys, np.array(X)) if name == "predict" else (keys, np.array(X), y)
        arguments = arguments[:2] if name == "predict_one" else arguments
        found, expected = (getattr(a, name)(*arguments) for a in (self.keyed, self._expected))
        if name.startswith("pre"):
            assert np.array_equal(found, expected)

    def flush(self):
        self._n_flushes += 1
        self.keyed.flush(f"flush {self._n_flushes}")
        self._expected.flush(f"flush {self._n_flushes}")

    def rollback(self):
        self.keyed.rollback()
        self._expected.rollback()

    def die(self):
        """As after a kill: the store is given back, and nothing else happens."""
        self.keyed._store.close()
        self._expected.rollback()
        self._open()

    def close(self):
        self.flush()
        self.keyed.close()
        self._open()

    def compare(self):
        expected = self._expected.states()
        assert {key: self.keyed.learner(key).to_bytes() for key in self.keyed} == expected
        assert len(self.keyed) == len(expected)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("learner", LEARNERS)
@tries(25)
@given(st.lists(STEPS, max_size=25), st.sampled_from([1, 9_000, 14_000, 40_000, 10**9]))
def test_every_key_is_learned_as_in_a_plain_loop(place, learner, steps, budget):
    with tempfile.TemporaryDirectory() as folder:
        both = Both(LEARNERS[learner], PLACES[place](Path(folder)), budget)
        for name, what in steps:
            both.do(name, what)
        both.compare()
        both.rollback()
        both.compare()
        both.keyed.close()
