"""The tables in the core against plain dictionaries."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs._core import Tables
from shrubs.learners._engine.room import Room
from tests.reference.tables import MAX_WAITING, BoundedTables, PlainTables

ATOMS = (
    st.text(max_size=20)
    | st.binary(max_size=20)
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.sampled_from([0.0, 1.0, 2.0**63, 1e300, float("inf"), "\ud800", "größe", ""])
)
# Within tuples and sets, equal numbers of different types are different keys: none of them here.
TEXTS = st.text(max_size=5)
VALUES = ATOMS | st.tuples(TEXTS, TEXTS | st.none()) | st.frozensets(TEXTS, max_size=3)
STEPS = st.lists(st.tuples(st.sampled_from(["name", "category", "label"]), VALUES), max_size=60)


def follow(steps, tables, plain):
    for kind, value in steps:
        if kind == "label":
            assert tables.add_label(value) == plain.add_label(value)
        elif kind == "name":
            if value not in plain.names:
                tables.add_feature(value, True, len(plain.names) % 2 == 0)
                plain.add_feature(value, len(plain.names) % 2 == 0)
        elif plain.names:
            tables.add_category(0, value)
            plain.add_category(0, value)


def as_lists(tables):
    return tables.names(), tables.categories(), tables.labels()


def types(values):
    return [types(value) if isinstance(value, list) else type(value) for value in values or ()]


def named():
    tables = Tables()
    tables.named = True
    return tables


@given(STEPS, VALUES)
def test_tables_know_what_dictionaries_know(steps, other):
    tables, plain = named(), PlainTables()
    follow(steps, tables, plain)
    assert as_lists(tables) == plain.as_lists()
    assert types(as_lists(tables)) == types(plain.as_lists())  # 1, 1.0 and True as they came
    for value in (*(value for _, value in steps), other):
        assert tables.column(value) == plain.names.get(value)
        assert tables.class_of(value) == plain.labels.get(value)
        if plain.names:
            assert tables.codes(0, [value])[0] == plain.categories[0].get(value, -1)


@given(STEPS, STEPS)
def test_tables_go_back_to_what_they_were(before, after):
    tables, plain = named(), PlainTables()
    follow(before, tables, plain)
    mark, n_bytes = tables.mark(), tables.memory_bytes
    follow(after, tables, copy.deepcopy(plain))
    tables.go_back_to(mark)
    assert as_lists(tables) == plain.as_lists()
    assert tables.memory_bytes == n_bytes
    follow(after, tables, plain)
    assert as_lists(tables) == plain.as_lists()


@given(STEPS)
def test_the_bytes_of_tables_follow_from_what_is_in_them(steps):
    tables = named()
    follow(steps, tables, PlainTables())
    names, categories, labels = as_lists(tables)
    for other in (
        Tables(names, tables.nominal, categories, labels),
        copy.deepcopy(tables),
        pickle.loads(pickle.dumps(tables)),
    ):
        assert as_lists(other) == as_lists(tables)
        assert other.memory_bytes == tables.memory_bytes


def test_keys_cost_little_more_than_their_bytes():
    tables = named()
    tables.add_feature("a", True, True)
    for i in range(10_000):
        tables.add_category(0, f"category {i:06}")
    assert tables.memory_bytes < 10_000 * (len("category 000000") + 30)


@pytest.mark.parametrize(
    "value", [[], {}, set(), object(), None, range(3), 1j, (1, [2])], ids=range(8)
)
def test_what_is_no_plain_value_is_no_key(value):
    tables = named()
    tables.add_feature("a", True, True)
    assert (tables.column(value), tables.class_of(value)) == (None, None)
    for add in (
        lambda: tables.add_label(value),
        lambda: tables.add_category(0, value),
        lambda: tables.add_feature(value, False, False),
    ):
        with pytest.raises(TypeError, match="texts, numbers, booleans, bytes or tuples"):
            add()


def test_a_key_nested_without_end_is_refused():
    value = ()
    for _ in range(10_000):
        value = (value,)
    with pytest.raises(TypeError, match="y must be one of"):
        Tables().add_label(value)


WRONG = {
    "names": ((["a"], bytes(2), [None, None], []), "differ in number"),
    "categories": ((["a", "b"], bytes(2), [None], []), "differ in number"),
    "a number with categories": ((["a"], bytes(1), [["x"]], []), "not nominal has categories"),
    "a category twice": ((["a"], b"\1", [["x", "x"]], []), "same category twice"),
    "a name twice": ((["a", "a"], bytes(2), [None, None], []), "two features 'a'"),
    "a label twice": ((None, b"", [], [1, 1.0]), "two classes of the same label"),
}


@pytest.mark.parametrize(("lists", "message"), WRONG.values(), ids=WRONG)
def test_lists_that_do_not_fit_are_refused(lists, message):
    with pytest.raises(ValueError, match=message):
        Tables(*lists)


# -- bounded room ----------------------------------------------------------------------------------

SOME = st.sampled_from(["", "a", "größe", "x" * 40, "y" * 128, "z" * 129]) | st.text(max_size=6)
BOUNDED_STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                *("name", "category", "wait", "replace name"),
                *("label", "way", "replace label", "remove labels", "once", "note"),
            ]
        ),
        st.integers(0, 3),
        SOME,
    ),
    max_size=80,
)


def follow_bounded(steps, tables, plain):
    for kind, index, text in steps:
        column = index % max(len(plain.names), 1)
        if kind in ("label", "way", "replace label"):
            follow_label(kind, index, text, tables, plain)
        elif kind == "remove labels":
            every_third = list(range(index, len(plain.labels), 3))
            assert tables.remove_labels(every_third) == plain.remove_labels(every_third)
        elif kind in ("once", "note"):
            follow_count(kind, index, tables, plain)
        elif kind == "category" and plain.names:
            n_seen = 5 * index
            tables.add_category(column, text, n_seen)
            plain.add_category(column, text, n_seen)
        elif kind != "category" and text not in plain.names:
            follow_name(kind, column, text, tables, plain)


def follow_label(kind, index, text, tables, plain):
    if kind == "way":
        assert tables.has_given_way(text) == plain.has_given_way(text)
    elif text in plain.labels:
        return
    elif kind == "label":
        tables.add_label(text)
        plain.labels.append(text)
    elif plain.labels:
        tables.replace_label(index % len(plain.labels), text)
        plain.replace_label(index % len(plain.labels), text)


def follow_count(kind, index, tables, plain):
    if index < len(plain.labels) and kind == "once":
        tables.once = sorted({*tables.once, index})
        plain.once.add(plain.labels[index])
    elif index < len(plain.labels):
        tables.note_classes(np.array([index, -1]))
        plain.once.discard(plain.labels[index])


def follow_name(kind, column, text, tables, plain):
    if kind == "name":
        assert tables.has_room_for(text) == plain.has_room_for(text)
        if plain.has_room_for(text):
            tables.add_feature(text, True, True)
            plain.add_feature(text)
    elif kind == "wait":
        assert tables.has_waited(text) == plain.has_waited(text)
    elif kind == "replace name" and plain.names:
        assert tables.has_room_for(text, column) == plain.has_room_for(text, column)
        if plain.has_room_for(text, column):
            tables.replace_feature(column, text, True)
            plain.replace_feature(column, text)


def as_bounded_lists(tables):
    names, categories, labels = as_lists(tables)
    known = [label for label in labels if "... #" not in label]
    return names, categories, known, tables.crowd(), tables.once


def bounded(name_bytes=400, category_bytes=500):
    tables = named()
    tables.set_room(name_bytes, category_bytes, n_waiting=MAX_WAITING)
    return tables, BoundedTables(name_bytes, category_bytes)


FEW = st.lists(st.text(max_size=40), max_size=8, unique=True)


@given(FEW, FEW)
def test_few_names_and_labels_take_no_more_than_their_room(names, labels):
    room = Room(8, len(labels), 294, 0, 32)
    tables, plain = named(), BoundedTables(room.name_bytes, 0, is_for_few=True)
    tables.set_room(
        room.name_bytes, room.category_bytes, room.key_bytes, room.n_waiting, room.is_for_few
    )
    for label in labels:
        tables.add_label(label)
    for name in names:
        assert tables.has_room_for(name) == plain.has_room_for(name)
        if plain.has_room_for(name):
            tables.add_feature(name, False, False)
            plain.add_feature(name)
    assert tables.memory_bytes <= room.table_bytes


@given(BOUNDED_STEPS, SOME)
def test_bounded_tables_know_what_the_reference_knows(steps, other):
    tables, plain = bounded()
    follow_bounded(steps, tables, plain)
    assert (tables.names(), tables.categories()) == (plain.names, plain.categories)
    assert tables.crowd()[0] == [i for i, is_closed in enumerate(plain.closed) if is_closed]
    assert tables.crowd()[1] == [i for i, is_new in enumerate(plain.ever_new) if is_new]
    assert len(tables.crowd()[2]) == len(plain.waiting)
    assert tables.once == [c for c, label in enumerate(plain.labels) if label in plain.once]
    assert tables.memory_bytes < 400 + 500 + 200 * len(plain.labels) + 20 * len(plain.names) + 600
    for text in (*(text for _, _, text in steps), other):
        assert tables.column(text) == (plain.names.index(text) if text in plain.names else None)
        known = plain.labels.index(text) if text in plain.labels else None
        assert tables.class_of(text) == known
        for column in range(len(plain.names)):
            code = tables.codes(column, [text])[0]
            assert (None if np.isnan(code) else code) == plain.code(column, text)


@pytest.mark.parametrize(("n_repeated", "is_ever_new"), [(0, True), (1, True), (2, False)])
def test_numbers_of_examples_are_seen_soon(n_repeated, is_ever_new):
    tables, plain = bounded(1000, 100_000)
    tables.add_feature("a", True, True)
    plain.add_feature("a")
    for i in range(400):
        tables.add_category(0, f"customer {i}", i + n_repeated)
        plain.add_category(0, f"customer {i}", i + n_repeated)
    assert tables.categories() == plain.categories
    assert tables.crowd()[1] == ([0] if is_ever_new else [])
    assert plain.ever_new == [is_ever_new]


@given(BOUNDED_STEPS, BOUNDED_STEPS)
def test_bounded_tables_go_back_to_what_they_were(before, after):
    tables, plain = bounded()
    follow_bounded(before, tables, plain)
    mark, lists, n_bytes = tables.mark(), as_bounded_lists(tables), tables.memory_bytes
    follow_bounded(after, tables, copy.deepcopy(plain))
    tables.go_back_to(mark)
    assert as_bounded_lists(tables) == lists
    assert tables.memory_bytes == n_bytes
    follow_bounded(after, tables, plain)
    assert (tables.names(), tables.categories()) == (plain.names, plain.categories)


@given(BOUNDED_STEPS)
def test_bounded_tables_can_be_restored(steps):
    tables, plain = bounded()
    follow_bounded(steps, tables, plain)
    names, categories, labels = as_lists(tables)
    other = Tables(names, tables.nominal, categories, labels)
    other.restore(tables.crowd())
    other.once = tables.once
    assert as_bounded_lists(other) == as_bounded_lists(tables)
    assert as_bounded_lists(pickle.loads(pickle.dumps(tables))) == as_bounded_lists(tables)


NONE = (0, 0, 0, 0)
WRONG_CROWDS = {
    "a closed number": (([1], [], [], 0, [], NONE, None), "without categories"),
    "a closed feature that is not there": (
        ([2], [], [], 0, [], NONE, None),
        "without categories",
    ),
    "ever new but not closed": (([], [0], [], 0, [], NONE, None), "has room for categories"),
    "more wait than came": (([], [], [1, 2], 0, [], (0, 0, 0, 1), None), "more wait"),
    "more wait than gave way": (([], [], [1, 2, 3], 0, [], (0, 1, 0, 1), None), "more wait"),
    "a newcomer that is no class": (([], [], [], 0, [], (0, 1, 0, 0), 0), "no such class"),
    "positions beyond the row": (([], [], [], 2, [0, 2], NONE, None), "positions must differ"),
    "a position twice": (([], [], [], 9, [1, 1], NONE, None), "positions must differ"),
    "nothing": ((), "no counts"),
    "too few counts": (([], [], [], 0, [], (0,), None), "no counts"),
    "texts": (([], [], ["a"], 0, [], NONE, None), "no counts"),
    "too few positions": (([], [], [], 9, [1], NONE, None), "differ in number"),
}


@pytest.mark.parametrize("classes", [[2], [1, 0], [0, 0]])
def test_classes_that_are_none_did_not_come_once(classes):
    tables = Tables(None, b"", [], ["x", "y"])
    with pytest.raises(ValueError, match="no such classes"):
        tables.once = classes
    with pytest.raises(ValueError, match="no such classes"):
        tables.remove_labels(classes)


@pytest.mark.parametrize(("crowd", "message"), WRONG_CROWDS.values(), ids=WRONG_CROWDS)
def test_a_crowd_that_does_not_fit_is_refused(crowd, message):
    tables = Tables(["a", "b"], b"\1\0", [["x"], None], [])
    with pytest.raises(ValueError, match=message):
        tables.restore((*crowd, b""))
