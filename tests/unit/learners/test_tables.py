"""The tables in the core against plain dictionaries."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs._core import Tables
from tests.reference.tables import PlainTables

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
