"""Saved learners: exact continuation, atomic files, and whatever else a file may hold."""

import copy
import json
import os
import pickle
import re
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import shrubs
from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)
from tests.unit.learners.states import make_learners, read_tables, sealed, tables_of, with_tables

LEARNERS = make_learners()
STATES = {name: learner.to_bytes() for name, learner in LEARNERS.items()}
ROOT = Path(__file__).parents[3]


def example(name, i):
    """More examples of the kind that a learner has had."""
    rng = np.random.default_rng(i)
    width = {"wide nodes": 70, "auto, wide": 100, "auto, compared": 36}.get(name, 2)
    x = rng.uniform(size=width).tolist()
    if name == "codes":
        x[0] = float(i % 4)
    if name.endswith("names"):
        x = {"a": x[0], "b": ["red", "blue", "green"][i % 3]}
    if name.endswith("crowded"):
        x = {"a": x[0], f"f{i}": 1.0, "id": f"customer {i}"}
    is_target = name in ("regression", "auto, regression", "auto, wide")
    return x, float(i) if is_target else "ab"[i % 2] if name == "codes" else i % 2


WAYS = {
    "bytes": lambda learner: type(learner).from_bytes(learner.to_bytes()),
    "pickle": lambda learner: pickle.loads(pickle.dumps(learner)),
    "oldest pickle": lambda learner: pickle.loads(pickle.dumps(learner, protocol=2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_goes_on_as_if_it_had_never_stopped(name, way):
    uninterrupted = copy.deepcopy(LEARNERS[name])
    interrupted = copy.deepcopy(LEARNERS[name])
    for i in range(20):
        uninterrupted.learn_one(*example(name, i))
        interrupted = way(interrupted.learn_one(*example(name, i)))
    assert interrupted.to_bytes() == uninterrupted.to_bytes()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_file_brings_back_the_learner(name, tmp_path):
    learner = LEARNERS[name]
    learner.save(tmp_path / "model.shrubs")
    assert type(learner).load(tmp_path / "model.shrubs").to_bytes() == STATES[name]


@pytest.mark.parametrize("name", LEARNERS)
def test_any_learner_is_loaded_as_what_it_is(name, tmp_path):
    LEARNERS[name].save(tmp_path / "model.shrubs")
    assert type(shrubs.load(tmp_path / "model.shrubs")) is type(LEARNERS[name])


@pytest.mark.parametrize("name", LEARNERS)
def test_parameters_are_brought_back(name):
    learner = LEARNERS[name]
    assert type(learner).from_bytes(STATES[name]).get_params() == learner.get_params()


def test_all_parameters_survive():
    learner = PaperShrubClassifier(
        max_shrubs=5,
        window_size=9,
        step_size=1 / 3,
        loss="cross_entropy",
        max_depth=7,
        max_features=0.3,
        splitter="best",
        min_samples_leaf=2,
        steps_per_example=3,
        grow_every=7,
        memory_limit="2MB",
        nominal_features=("a", 5, 2.5, b"x", (1, "y")),
        seed=2**64 - 1,
    ).learn_one({"a": 1}, 0)
    assert PaperShrubClassifier.from_bytes(learner.to_bytes()).get_params() == learner.get_params()


def test_parameters_that_were_changed_later_are_not_saved():
    learner = PaperShrubClassifier(window_size=5).learn_one([1.0], 0).set_params(window_size=9)
    assert PaperShrubClassifier.from_bytes(learner.to_bytes()).window_size == 5


@pytest.mark.parametrize("kind", [PaperShrubClassifier, PaperShrubRegressor, WindowedTree])
def test_a_new_learner_is_still_new_after_loading(kind):
    learner = kind.from_bytes(kind(window_size=7).to_bytes())
    assert learner.learn_one({"a": 1.0}, 2.0).to_bytes() == (
        kind(window_size=7).learn_one({"a": 1.0}, 2.0).to_bytes()
    )


GOLDEN = ROOT / "tests/golden"
# What the learners of these files, saved when one class held both algorithms, predicted after
# twelve examples and eight more.
EARLIER = {
    "earlier_paper": (
        "PaperShrubClassifier(max_shrubs=2, window_size=4, nominal_features=['b'])",
        [0.6591412220168422, 0.0, 0.6591412220168422],
    ),
}


@pytest.mark.parametrize("name", EARLIER)
def test_an_earlier_state_goes_on_in_the_class_that_it_has_today(name):
    learner = shrubs.load(GOLDEN / f"{name}.shrubs")
    shown, expected = EARLIER[name]
    assert (repr(learner), learner.examples_seen) == (shown, 12)
    for i in range(12, 20):
        learner.learn_one({"a": float(i % 5), "b": i % 3}, "yes" if i % 2 else "no")
    rows = [{"a": float(i), "b": i % 3} for i in range(3)]
    assert [learner.predict_proba_one(row)["yes"] for row in rows] == expected


def test_an_earlier_state_of_the_papers_algorithm_says_what_it_is():
    message = "^this is a saved 'PaperShrubClassifier', not a 'ShrubClassifier'; shrubs.load takes"
    with pytest.raises(ValueError, match=message):
        ShrubClassifier.load(GOLDEN / "earlier_paper.shrubs")


@pytest.mark.parametrize("name", ["earlier_tree", "earlier_untuned"])
def test_a_state_that_is_no_longer_read_is_refused_with_one_line(name):
    message = "^this learner was saved by an earlier version of shrubs and is no longer read; "
    with pytest.raises(ValueError, match=message):
        shrubs.load(GOLDEN / f"{name}.shrubs")


LABELS = [
    frozenset({"a"}),
    "text",
    "",
    "ünï\0code",
    0,
    -1,
    2**80,
    True,
    2.5,
    float("inf"),
    b"\x00\xff",
    (),
    (1, ("a",)),
]


@pytest.mark.parametrize("label", LABELS, ids=repr)
def test_a_label_keeps_its_value(label):
    learner = ShrubClassifier().learn_one([1.0], label)
    assert ShrubClassifier.from_bytes(learner.to_bytes()).predict_one([1.0]) == label


@pytest.mark.parametrize("label", LABELS, ids=repr)
def test_a_label_keeps_its_type(label):
    learner = ShrubClassifier().learn_one([1.0], label)
    assert type(ShrubClassifier.from_bytes(learner.to_bytes()).predict_one([1.0])) is type(label)


@pytest.mark.parametrize("label", [Fraction(1, 3), Path("a"), object(), (1, [2])], ids=type)
def test_what_cannot_be_saved_is_no_label_name_or_category(label):
    learner = ShrubClassifier().learn_one({"a": "x"}, 0)
    before = learner.to_bytes()
    with pytest.raises(TypeError, match=r"^y must be one of texts, numbers, booleans, bytes or "):
        learner.learn_one({"a": "x"}, label)
    with pytest.raises(TypeError, match=r"^feature 'a' takes categories: texts, numbers, "):
        learner.learn_one({"a": label}, 0)
    if label.__hash__ is not None and not isinstance(label, tuple):
        with pytest.raises(TypeError, match=r"^names of features are texts, numbers, booleans, "):
            learner.learn_one({label: 1.0}, 0)
    assert learner.to_bytes() == before


def test_names_and_categories_of_many_types_survive():
    row = {"a": "red", 5: 1.0, b"c": "x", ("d", 1): True, 2.5: 0}
    learner = ShrubClassifier().learn_one(row, 0).learn_one({**row, "a": "blue"}, 1)
    loaded = ShrubClassifier.from_bytes(learner.to_bytes())
    assert list(loaded.feature_names_in_) == list(learner.feature_names_in_)


def test_states_do_not_depend_on_the_order_of_hashes():
    program = (
        "from shrubs import ShrubClassifier as C; import sys;"
        "l = C(nominal_features={'a', 'b', 'c', 'd'});"
        "[l.learn_one({'a': i % 3, 'q': 'xy'[i % 2], 'b': 1}, 'uvw'[i % 3]) for i in range(9)];"
        "sys.stdout.write(l.to_bytes().hex())"
    )
    states = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(states) == 1


# -- files -----------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.shrubs"
    LEARNERS["codes"].save(path)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        LEARNERS["tree"].save(path)
    assert path.read_bytes() == STATES["codes"]


def test_a_failed_write_leaves_nothing_else(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        LEARNERS["tree"].save(tmp_path / "model.shrubs")
    assert list(tmp_path.iterdir()) == []


def test_saving_replaces_a_file(tmp_path):
    LEARNERS["codes"].save(tmp_path / "model.shrubs")
    LEARNERS["tree"].save(tmp_path / "model.shrubs")
    assert (tmp_path / "model.shrubs").read_bytes() == STATES["tree"]


def test_a_path_may_be_a_text(tmp_path):
    LEARNERS["codes"].save(f"{tmp_path}/model.shrubs")
    assert PaperShrubClassifier.load(f"{tmp_path}/model.shrubs").examples_seen == 15


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        shrubs.load(tmp_path / "nothing")


# -- damage ----------------------------------------------------------------------------------------

DAMAGED = (
    r"^(these bytes are not a saved shrubs model|this saved model is |this model was saved by )"
)


@pytest.mark.parametrize("name", STATES)
def test_a_state_cut_off_at_any_length_is_refused(name):
    state, kind = STATES[name], type(LEARNERS[name])
    for length in range(len(state)):
        with pytest.raises(ValueError, match=DAMAGED):
            kind.from_bytes(state[:length])


@pytest.mark.parametrize("name", STATES)
def test_a_state_with_any_byte_changed_is_refused(name):
    state, kind = STATES[name], type(LEARNERS[name])
    for i in range(len(state)):
        changed = bytearray(state)
        changed[i] ^= 0xFF
        with pytest.raises(ValueError, match=DAMAGED):
            kind.from_bytes(bytes(changed))


@pytest.mark.parametrize("bit", range(8))
def test_a_state_with_any_bit_changed_is_refused(bit):
    state = STATES["codes"]
    for i in range(len(state)):
        changed = bytearray(state)
        changed[i] ^= 1 << bit
        with pytest.raises(ValueError, match=DAMAGED):
            PaperShrubClassifier.from_bytes(bytes(changed))


def test_a_state_followed_by_more_is_refused():
    with pytest.raises(ValueError, match=DAMAGED):
        PaperShrubClassifier.from_bytes(STATES["codes"] + b"\0")


MESSAGES = {
    "these bytes are not a saved shrubs model": b"PK\x03\x04 a zip file",
    "this saved model is truncated": STATES["codes"][:-1],
    "this saved model is corrupted: its checksum does not match": (
        STATES["codes"][:-1] + bytes([STATES["codes"][-1] ^ 1])
    ),
    "this model was saved by a newer version of shrubs; upgrade to load it": (
        sealed(STATES["codes"][:6] + b"\x03\x00" + STATES["codes"][8:-4])
    ),
    "this saved model is invalid: its contents contradict each other": (
        sealed(STATES["codes"][:-4] + b"\0")
    ),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_damage_is_named(message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        PaperShrubClassifier.from_bytes(MESSAGES[message])


def test_no_bytes_are_not_a_model():
    with pytest.raises(ValueError, match=r"^these bytes are not a saved shrubs model$"):
        PaperShrubClassifier.from_bytes(b"")


@pytest.mark.parametrize("state", [None, "text", bytearray(STATES["codes"]), 5])
def test_a_state_must_be_bytes(state):
    with pytest.raises(TypeError, match=f"^state must be bytes, got {type(state).__name__}$"):
        PaperShrubClassifier.from_bytes(state)


def test_another_kind_of_learner_is_refused():
    message = r"^this is a saved 'PaperShrubRegressor', not a 'PaperShrubClassifier'; shrubs\.load"
    with pytest.raises(ValueError, match=message):
        PaperShrubClassifier.from_bytes(STATES["regression"])


# -- hostility -------------------------------------------------------------------------------------


def test_a_model_that_needs_too_much_memory_is_refused():
    with pytest.raises(ValueError, match=r"^this model needs \d+ bytes once loaded, more than max"):
        PaperShrubClassifier.from_bytes(STATES["codes"], max_bytes=1000)


def test_a_model_of_any_size_is_loaded_if_it_is_trusted():
    needed = LEARNERS["codes"].memory_bytes
    assert PaperShrubClassifier.from_bytes(STATES["codes"], max_bytes=needed).examples_seen == 15


def test_huge_declared_sizes_are_refused_before_anything_is_allocated():
    # 65,534 shrubs on a window of 65,535: the Gram matrix alone would take 17 GB.
    body = bytearray(STATES["codes"][:-4])
    body[21:29] = struct.pack("<II", 65_534, 65_535)
    with pytest.raises(ValueError, match=r"^this model needs \d{11,} bytes once loaded"):
        PaperShrubClassifier.from_bytes(sealed(bytes(body)))


@pytest.mark.parametrize("value", [0, 2, 2**31, 2**63, 2**64 - 1])
def test_a_wrong_length_of_the_tables_is_refused(value):
    state = STATES["names"]
    begin, _ = tables_of(state)
    with pytest.raises(ValueError, match=r"^this saved model is invalid"):
        PaperShrubClassifier.from_bytes(
            sealed(state[: begin - 8] + struct.pack("<Q", value) + state[begin:-4])
        )


def edited(**changes):
    """The tables of a state with two features, three classes and names, changed."""
    return {**read_tables(STATES["names"]), **changes}


def edited_parameters(**changes):
    tables = read_tables(STATES["names"])
    return {**tables, "parameters": {**tables["parameters"], **changes}}


def without(key):
    tables = read_tables(STATES["names"])
    del tables[key]
    return tables


TABLES = {
    "no JSON": b"\xff\xfe not JSON",
    "nested without end": b"[" * 100_000,
    "a list": [],
    "a number": b"1" * 5000,
    "nothing": {},
    "no classes": without("classes"),
    "no names": without("names"),
    "no categories": without("categories"),
    "no parameters": without("parameters"),
    "parameters of no kind": edited(parameters=[1, 2]),
    "an unknown parameter": edited_parameters(depth=3),
    "a parameter out of range": edited_parameters(max_shrubs=0),
    "a parameter of a wrong type": edited_parameters(window_size="six"),
    "parameters that contradict the core": edited_parameters(max_shrubs=4),
    "another seed": edited_parameters(seed=1),
    "an infinite step": edited_parameters(step_size={"float": "inf"}),
    "a float that overflows": edited_parameters(step_size={"float": "0x1p99999"}),
    "a float that is none": edited_parameters(step_size={"float": "red"}),
    "a value of an unknown kind": edited_parameters(step_size={"complex": "1j"}),
    "a value of two kinds": edited_parameters(step_size={"float": "0x1p0", "bytes": "00"}),
    "too few classes": edited(classes=[0, 1]),
    "too many classes": edited(classes=[0, 1, 2, 3]),
    "the same class twice": edited(classes=[0, 1, 1]),
    "a class that cannot be hashed": edited(classes=[0, 1, {"list": []}]),
    "a list without its kind": edited(classes=[0, 1, []]),
    "too few names": edited(names=["a"]),
    "too many names": edited(names=["a", "b", "c"]),
    "the same name twice": edited(names=["a", "a"]),
    "a name that cannot be hashed": edited(names=["a", {"list": []}]),
    "names of no kind": edited(names=7),
    "too few categories": edited(categories=[None]),
    "categories of a numeric feature": edited(categories=[["x"], ["red", "blue"]]),
    "categories of no kind": edited(categories=[None, 7]),
    "fractions below zero": edited(fractions=-1),
    "fractions beyond all numbers": edited(fractions=2**70),
    "fractions of no kind": edited(fractions="3"),
    "weights of some classes": edited_parameters(class_weight={"dict": [{"tuple": [0, 1]}]}),
    "weights of no kind": edited_parameters(class_weight={"dict": [1, 2]}),
    "weights of what has no hash": edited_parameters(
        class_weight={"dict": [{"tuple": [{"list": []}, 1]}]}
    ),
    "another learner": edited(learner="ShrubForest"),
    "a learner of no kind": edited(learner=["PaperShrubClassifier"]),
}


@pytest.mark.parametrize("name", TABLES)
def test_hostile_tables_are_refused(name):
    state = with_tables(STATES["names"], TABLES[name])
    with pytest.raises(ValueError, match=r"."):
        PaperShrubClassifier.from_bytes(state)


@pytest.mark.parametrize("name", TABLES)
def test_hostile_tables_are_refused_in_files(name, tmp_path):
    (tmp_path / "model.shrubs").write_bytes(with_tables(STATES["names"], TABLES[name]))
    with pytest.raises(ValueError, match=r"."):
        shrubs.load(tmp_path / "model.shrubs")


def test_tables_that_were_not_changed_are_loaded():
    # The others in this table would be refused for nothing if this one were.
    state = with_tables(STATES["names"], edited())
    assert json.loads(state[slice(*tables_of(state))]) == read_tables(STATES["names"])
    assert PaperShrubClassifier.from_bytes(state).examples_seen == 15


def test_the_deepest_shrub_can_be_looked_at():
    # In a process of its own: it once went deeper than the stack.
    program = (
        "from shrubs import PaperShrubRegressor as Regressor;"
        "from tests.unit.learners.states import deepest_state;"
        "print(Regressor.from_bytes(deepest_state()).shrubs[0].depth)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "65534\n"), run.stderr[-3000:]


@pytest.mark.parametrize("make", [ShrubClassifier, ShrubRegressor])
def test_what_features_earned_is_saved(make):
    # Of more than 32 features, where nodes have 64 examples.
    rng = np.random.default_rng(3)
    X = rng.random((300, 40))
    targets = X[:, 3] + X[:, 7]
    y = (targets > 1.0 if make is ShrubClassifier else targets).tolist()
    learner = make(memory_limit="300KB").partial_fit(X[:140], y[:140])
    again = make.from_bytes(learner.to_bytes())
    assert again.to_bytes() == learner.to_bytes()
    for each in (learner, again):
        each.partial_fit(X[140:], y[140:])
    assert again.to_bytes() == learner.to_bytes()
