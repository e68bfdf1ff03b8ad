"""Loads damaged states whose checksum is right. Run as a program, for a crash ends the process.

    python -m tests.unit.learners.hostile [how many per kind]

A state must be refused with a ValueError, or give a learner that predicts and learns.
"""

import sys
import warnings

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shrubs import FrozenEnsembleWarning
from tests.unit.learners.states import make_learners, sealed, tables_of

LARGE = st.sampled_from([0, 1, 2, 0x7F, 0x80, 0xFF])
# (whether behind the tables, position as a share of that part, what to write there)
EDITS = st.lists(
    st.tuples(
        st.booleans(),
        st.floats(0.0, 1.0),
        st.one_of(
            st.binary(min_size=1, max_size=8),
            st.lists(LARGE, min_size=1, max_size=8).map(bytes),
        ),
    ),
    min_size=1,
    max_size=4,
)
CUTS = st.one_of(st.none(), st.tuples(st.floats(0.0, 1.0), st.integers(1, 12), st.booleans()))


def damaged(state, edits, cut):
    """The state with bytes written over, and a few left out or doubled."""
    body = bytearray(state[:-4])
    for behind, share, new in edits:
        first = tables_of(state)[1] if behind else 16
        begin = first + int(share * (len(body) - first - 1))
        body[begin : begin + len(new)] = new
    if cut is not None:
        share, length, doubled = cut
        begin = 16 + int(share * (len(body) - 17))
        part = body[begin : begin + length]
        body[begin : begin + length] = part + part if doubled else b""
    return sealed(bytes(body))


def use(learner):
    """Predict and learn, whatever shape it has."""
    width = learner._engine.n_features if learner._engine is not None else 2
    X = np.linspace(0.0, 1.0, 3 * width).reshape(3, width).round()
    if width and learner._engine is not None and learner.n_shrubs:
        learner.predict(X)
        repr(learner.shrubs)
        learner.explain_one(X[0]) if learner._owner.tables.named is False else None
        assert learner.feature_importances_.shape == (width,)
    label = 1.0 if learner._regression else (learner._owner.tables.labels() or (0,))[0]
    if width:
        learner.partial_fit(X, [label] * 3)
    assert learner.memory_bytes > 0
    type(learner).from_bytes(learner.to_bytes())


def attack(learner, n):
    """How many of `n` damaged states of a learner could be loaded."""
    state = learner.to_bytes()
    loaded = 0

    @settings(
        max_examples=n,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(EDITS, CUTS)
    def load(edits, cut):
        nonlocal loaded
        try:
            victim = type(learner).from_bytes(damaged(state, edits, cut), max_bytes=2**24)
        except ValueError:
            return
        loaded += 1
        use(victim)

    load()
    return loaded


def main(n):
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", FrozenEnsembleWarning)
    for name, learner in make_learners().items():
        print(f"{name}: {attack(learner, n)} of {n} were harmless")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
