"""Damaged states whose checksum is right: refused with one line, or learners like any other."""

import numpy as np
import pytest

from shrubs import ShrubClassifier
from shrubs.learners import Contract
from shrubs.live import Model
from tests.attacks.budget import rounds
from tests.unit.learners.states import make_learners, read_tables, sealed, tables_of, with_tables

pytestmark = [
    pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning"),
    pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning"),
]

LEARNERS = make_learners()
LARGE = bytes([0, 1, 2, 0x7F, 0x80, 0xFF])


def damaged(state, draw):
    """The state with bytes written over, and perhaps a few left out or doubled."""
    body = bytearray(state[:-4])
    for _ in range(draw.randint(1, 4)):
        begin = draw.randrange(draw.choice((16, tables_of(state)[1])), len(body))
        length = draw.randint(1, 8)
        new = draw.choice((draw.randbytes(length), bytes(draw.choices(LARGE, k=length))))
        body[begin : begin + length] = new
    if draw.random() < 0.5:
        begin, length = draw.randrange(16, len(body)), draw.randint(1, 12)
        body[begin : begin + length] = 2 * body[begin : begin + length] * draw.randint(0, 1)
    return sealed(bytes(body))


def check_message(text):
    assert len(text) < 300
    assert "\n" not in text


def use(learner):
    """Predict and learn, whatever shape it has."""
    width = learner._owner.tables.width if learner._engine is not None else 2
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


@pytest.mark.parametrize("name", LEARNERS)
def test_a_damaged_state_is_refused_or_harmless(name):
    kind, state = type(LEARNERS[name]), LEARNERS[name].to_bytes()
    n_loaded = 0
    for draw in rounds(1000):
        try:
            victim = kind.from_bytes(damaged(state, draw), max_bytes=2**24)
        except ValueError as error:
            check_message(str(error))
        else:
            n_loaded += 1
            use(victim)
    print(f"{n_loaded} were harmless")


KINDS = {"a": "number", "b": "nominal", "flag": "boolean", "when": "date", "y": "number"}


def test_a_damaged_contract_is_refused_or_harmless():
    contract = Contract("y", KINDS, ("id",))
    state = LEARNERS["auto, names"].to_bytes(contract=contract)
    begin = state.index(b'"contract"')
    for draw in rounds(500):
        body = bytearray(state[:-4])
        at = draw.randrange(begin, tables_of(state)[1] - 1)
        body[at] = draw.randrange(32, 127)
        check_contract(sealed(bytes(body)))
    for draw in rounds(200):
        tables = read_tables(state)
        where = draw.choice((tables, tables["contract"], tables["contract"]["kinds"]))
        where[draw.choice(list(where)) if where is not tables else "contract"] = draw.choice(
            (None, 1, "number", [], ["a"], [None], {}, {"a": "number"}, {"a": []}, [["a"]], True)
        )
        check_contract(with_tables(state, tables))


def check_contract(state):
    try:
        model = Model.from_bytes(state, max_bytes=2**24)
    except ValueError as error:
        check_message(str(error))
        with pytest.raises(ValueError, match="this saved model is"):
            ShrubClassifier.from_bytes(state, max_bytes=2**24)
        return
    for row in ({"a": 0.5, "b": "red"}, {"a": 0.5, "b": "red", "y": 1}):
        try:
            model.predict(row)
            model.learn(row)
        except ValueError as error:
            check_message(str(error))
    Model.from_bytes(model.to_bytes())


def test_a_contract_of_too_many_names_is_refused():
    contract = Contract("y", {f"{i}": "number" for i in range(20_000)})
    state = LEARNERS["auto, names"].to_bytes(contract=contract)
    with pytest.raises(ValueError, match="its contract has too many names"):
        Model.from_bytes(state)
