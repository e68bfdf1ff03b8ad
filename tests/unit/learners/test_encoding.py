"""Examples as plain numbers, without a look ahead."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs.learners._encoding import Encoder
from shrubs.protocols import Feature, Schema

SCHEMA = Schema((Feature("a"), Feature("c", True, ("red", "blue")), Feature("b")), ("no", "yes"))


def prepared(**options):
    encoder = Encoder(**options)
    encoder.prepare(SCHEMA)
    return encoder


def table(values):
    return np.array(values, dtype=np.float32)


def test_numbers_are_standardised_with_what_came_before():
    encoder = prepared()
    encoder.learn(table([[2, 0, 5], [6, 0, 5]]))
    # a: mean 4, spread 2; b: constant, so it says nothing
    np.testing.assert_array_equal(
        encoder.encode(table([[7, 0, 9]]), encoder.now()), [[1.5, 1, 0, 0]]
    )


def test_the_scales_of_a_row_do_not_know_it():
    encoder = prepared()
    X = table([[1, 0, 0], [3, 0, 0], [100, 0, 0]])
    means, spreads = encoder.learn(X)
    np.testing.assert_array_equal(means[:, 0], [np.nan, 1, 2, 104 / 3])
    np.testing.assert_array_equal(spreads[:3, 0], [np.inf, np.inf, 1])


def test_a_missing_number_is_the_mean_and_a_missing_category_none():
    encoder = prepared(standardise=False)
    encoder.learn(table([[2, 0, 5], [6, 0, 7]]))
    missing = table([[np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(encoder.encode(missing, encoder.now()), [[4, 0, 0, 6]])


def test_an_outlier_is_cut_off():
    encoder = prepared()
    encoder.learn(table([[0, 0, 0], [2, 0, 0]]))
    assert encoder.encode(table([[1e9, 0, 0]]), encoder.now())[0, 0] == 5


@given(
    st.lists(
        st.tuples(
            st.one_of(st.floats(-1e6, 1e6, width=32), st.just(float("nan"))),
            st.sampled_from([0.0, 1.0, float("nan")]),
            st.floats(0, 1, width=32),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_a_block_gives_the_bits_of_its_rows(rows):
    X = table(rows)
    block, one_by_one = prepared(), prepared()
    means, spreads = block.learn(X)
    at_once = block.encode(X, (means[:-1], spreads[:-1]))
    for i, row in enumerate(X):
        np.testing.assert_array_equal(one_by_one.encode(row[None], one_by_one.now())[0], at_once[i])
        one_by_one.learn(row[None])


def test_new_features_and_categories_come_last():
    encoder = Encoder(standardise=False)
    for row in ({"a": 1.0, "c": "red"}, {"a": 1.0, "b": 2.0, "c": "blue"}):
        encoder.learn(encoder.read(row, learn=True))
    seen = encoder.read({"a": 3.0, "b": 4.0, "c": "blue"}, learn=False)
    np.testing.assert_array_equal(
        encoder.encode(seen, encoder.now()), [[3, 0, 1, 4]]
    )  # a, c=red, c=blue, b


def test_an_unknown_category_is_none():
    encoder = prepared()
    unknown = encoder.read({"c": "green"}, learn=False)
    assert not encoder.encode(unknown, encoder.now()).any()
    assert encoder.n_columns == 4


def test_codes_without_names_get_columns_as_they_come():
    encoder = Encoder()
    encoder.prepare(Schema((Feature("code", nominal=True),), ("no", "yes")))
    encoder.learn(table([[2]]))
    np.testing.assert_array_equal(encoder.encode(table([[2], [7]]), encoder.now()),
                                  [[0, 0, 1], [0, 0, 0]])  # fmt: skip


def test_rows_by_position_have_a_fixed_length():
    encoder = Encoder()
    encoder.learn(encoder.read([1.0, "x"], learn=True))
    with pytest.raises(ValueError, match="x has 3 features, but this learner was built for 2"):
        encoder.read([1.0, "x", 2.0], learn=False)


def test_a_text_in_a_numeric_feature_is_refused():
    encoder = prepared()
    with pytest.raises(TypeError, match="takes numbers, got 'x'"):
        encoder.read({"a": "x"}, learn=False)
