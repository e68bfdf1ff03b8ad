"""Random sequences of calls, good and bad: the bad ones are refused as if they had never been."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from shrubs import PaperShrubClassifier, PaperShrubRegressor
from tests.unit.learners.streams import tries

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")

NUMBER = st.one_of(st.floats(-5.0, 5.0, width=32), st.sampled_from([0.0, 1.0, math.nan]))
ROW = st.fixed_dictionaries(
    {"a": NUMBER}, optional={"b": st.sampled_from(["red", "blue", None]), "c": NUMBER}
)

# Calls that go through. Labels come from one place, so that both kinds of learners can be driven.
GOOD = st.one_of(
    st.tuples(st.just("learn"), ROW, st.integers(0, 3)),
    st.tuples(st.just("predict"), ROW),
    st.tuples(st.just("explain"), ROW),
    st.tuples(st.just("duplicate"), st.sampled_from(["copy", "pickle", "bytes"])),
    st.tuples(st.just("look")),
)

# Calls that are refused, whatever the learner has seen.
BAD = st.sampled_from(
    [
        lambda learner: learner.learn_one({"a": math.inf}, 0),
        lambda learner: learner.learn_one({"a": "text"}, 0),
        lambda learner: learner.learn_one({"a": 1.0, "d": 1e300}, 0),
        lambda learner: learner.learn_one({"a": 1.0, "d": object()}, 0),
        lambda learner: learner.learn_one({"a": 1.0, "d": [1]}, 0),
        lambda learner: learner.learn_one(None, 0),
        lambda learner: learner.learn_one([[1.0]], 0),
        lambda learner: learner.learn_one({"a": 1.0}, None),
        lambda learner: learner.learn_one({"a": 1.0, "new": 1.0}, math.nan),
        lambda learner: learner.learn_one({"a": 1.0, "new": "text"}, [0]),
        lambda learner: learner.partial_fit([[1.0]], [0, 1]),
        lambda learner: learner.partial_fit([1.0], [0]),
        lambda learner: learner.partial_fit(np.full((2, 1), np.inf), [0, 1]),
        lambda learner: learner.partial_fit(np.ones((2, 77)), [0, None]),
        lambda learner: learner.prequential(np.ones((2, 77)), [0, math.inf]),
        lambda learner: learner.fit(np.ones((2, 2)), None),
        lambda learner: learner.set_params(no_such_parameter=0),
        lambda learner: clone(learner).set_params(window_size=0).plan(n_features=1),
        lambda learner: learner.set_params(window_size=9, no_such_parameter=1),
        lambda learner: learner.predict([[math.inf]]),
        lambda learner: learner.plan(n_features=-1),
        lambda learner: type(learner).from_bytes(learner.to_bytes()[:-1]),
    ]
)
CALLS = st.lists(st.one_of(GOOD, BAD), min_size=10, max_size=40)

DUPLICATES = {
    "copy": copy.copy,
    "pickle": lambda learner: pickle.loads(pickle.dumps(learner)),
    "bytes": lambda learner: type(learner).from_bytes(learner.to_bytes()),
}


def do(learner, call):
    """Do a good call; the learner to go on with."""
    kind, *arguments = call
    if kind == "learn":
        # A first value fixes the kind of a feature, so all of them are known from the start.
        learner.learn_one(*arguments)
    elif kind == "predict":
        learner.predict_one(*arguments)
    elif kind == "explain":
        learner.explain_one(*arguments)
    elif kind == "duplicate":
        return DUPLICATES[arguments[0]](learner)
    else:
        assert learner.memory_bytes == learner.memory_report().total
        assert len(learner.shrubs) == learner.n_shrubs
    return learner


def begun(kind):
    learner = kind(max_shrubs=3, window_size=5, step_size=0.5)
    return learner.learn_one({"a": 1.0, "b": "red", "c": 2.0}, 1)


@tries(100)
@given(st.sampled_from([PaperShrubClassifier, PaperShrubRegressor]), CALLS)
def test_refused_calls_leave_no_trace(kind, calls):
    learner, spared = begun(kind), begun(kind)
    for call in calls:
        if callable(call):
            with pytest.raises((TypeError, ValueError)):
                call(learner)
        else:
            learner = do(learner, call)
            if call[0] == "learn":
                spared = do(spared, call)
    assert learner.to_bytes() == spared.to_bytes()
