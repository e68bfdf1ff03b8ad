"""One model, however its examples come: row by row, in batches, as arrays of any kind."""

import itertools

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, PaperShrubRegressor
from tests.unit.learners.streams import TARGETS, cases

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")


def classifier(case):
    positions = [i for i, nominal in enumerate(case.nominal) if nominal]
    return PaperShrubClassifier(nominal_features=positions, **case.parameters)


def regressor(case):
    positions = [i for i, nominal in enumerate(case.nominal) if nominal]
    return PaperShrubRegressor(nominal_features=positions, **case.parameters)


def as_arrays(case):
    x, y = zip(*case.examples, strict=True)
    return np.array(x), np.array(y)


def learned_one_by_one(learner, case):
    for x, y in case.examples:
        learner.learn_one(x, y)
    return learner.to_bytes()


def parts(case, cuts):
    """Examples in batches that begin at the cuts."""
    places = sorted({0, len(case.examples), *(cut % len(case.examples) for cut in cuts)})
    X, y = as_arrays(case)
    return [(X[a:b], y[a:b]) for a, b in itertools.pairwise(places)]


CUTS = st.lists(st.integers(0, 100), max_size=4)


@given(cases(st.integers(0, 3)), CUTS)
def test_batches_of_any_size_give_the_classifier_of_single_rows(case, cuts):
    learner = classifier(case)
    for X, y in parts(case, cuts):
        learner.partial_fit(X, y)
    assert learner.to_bytes() == learned_one_by_one(classifier(case), case)


@given(cases(TARGETS, regression=True), CUTS)
def test_batches_of_any_size_give_the_regressor_of_single_rows(case, cuts):
    learner = regressor(case)
    for X, y in parts(case, cuts):
        learner.partial_fit(X, y)
    assert learner.to_bytes() == learned_one_by_one(regressor(case), case)


@given(cases(st.integers(0, 3)), CUTS)
def test_prequential_batches_give_the_classifier_of_single_rows(case, cuts):
    learner = classifier(case)
    for X, y in parts(case, cuts):
        learner.prequential(X, y)
    assert learner.to_bytes() == learned_one_by_one(classifier(case), case)


@given(cases(TARGETS, regression=True), CUTS)
def test_prequential_batches_give_the_regressor_of_single_rows(case, cuts):
    learner = regressor(case)
    for X, y in parts(case, cuts):
        learner.prequential(X, y)
    assert learner.to_bytes() == learned_one_by_one(regressor(case), case)


@given(cases(st.integers(0, 3)))
def test_prequential_labels_are_those_predicted_before_each_row(case):
    learner, expected = classifier(case), []
    for x, y in case.examples:
        expected.append(learner.predict_one(x))
        learner.learn_one(x, y)
    assert classifier(case).prequential(*as_arrays(case)).tolist() == expected


@given(cases(TARGETS, regression=True))
def test_prequential_targets_are_those_predicted_before_each_row(case):
    learner, expected = regressor(case), []
    for x, y in case.examples:
        expected.append(learner.predict_one(x))
        learner.learn_one(x, y)
    assert regressor(case).prequential(*as_arrays(case)).tolist() == expected


@given(cases(st.integers(0, 3)))
def test_a_matrix_is_predicted_like_its_rows(case):
    learner = classifier(case)
    X, y = as_arrays(case)
    learner.partial_fit(X, y)
    one_by_one = [list(learner.predict_proba_one(x).values()) for x, _ in case.examples]
    assert learner.predict_proba(X).tolist() == one_by_one


RNG = np.random.default_rng(0)
WHOLE = RNG.integers(0, 4, size=(60, 3))
Y = (WHOLE.sum(axis=1) > 4).astype(int)

FORMS = {
    "float64": WHOLE.astype(np.float64),
    "float32": WHOLE.astype(np.float32),
    "float16": WHOLE.astype(np.float16),
    "int64": WHOLE,
    "uint8": WHOLE.astype(np.uint8),
    "object": WHOLE.astype(object),
    "list of lists": WHOLE.tolist(),
    "tuple of arrays": tuple(WHOLE.astype(np.float64)),
    "Fortran order": np.asfortranarray(WHOLE.astype(np.float64)),
    "every second row of a larger one": np.repeat(WHOLE.astype(np.float32), 2, axis=0)[::2],
    "CSR": scipy.sparse.csr_matrix(WHOLE.astype(np.float64)),
    "CSC": scipy.sparse.csc_matrix(WHOLE.astype(np.float32)),
    "COO array": scipy.sparse.coo_array(WHOLE),
}


def small():
    return PaperShrubClassifier(max_shrubs=4, window_size=16, step_size=0.3)


@pytest.mark.parametrize("X", FORMS.values(), ids=FORMS)
def test_every_form_of_a_matrix_gives_the_same_model(X):
    assert small().partial_fit(X, Y).to_bytes() == learned_rows().to_bytes()


def learned_rows():
    learner = small()
    for x, y in zip(WHOLE.tolist(), Y.tolist(), strict=True):
        learner.learn_one(x, y)
    return learner


@pytest.mark.parametrize("X", FORMS.values(), ids=FORMS)
def test_every_form_of_a_matrix_is_predicted_alike(X):
    learner = learned_rows()
    expected = [learner.predict_one(x) for x in WHOLE.tolist()]
    assert learner.predict(X).tolist() == expected


ROWS = {
    "list": list,
    "tuple": tuple,
    "float64 array": lambda x: np.array(x, dtype=np.float64),
    "float32 array": lambda x: np.array(x, dtype=np.float32),
    "integer array": np.array,
    "every second value": lambda x: np.repeat(np.array(x, dtype=float), 2)[::2],
    "numpy scalars": lambda x: [np.int64(value) for value in x],
}


@pytest.mark.parametrize("form", ROWS.values(), ids=ROWS)
def test_every_form_of_a_row_gives_the_same_model(form):
    learner = small()
    for x, y in zip(WHOLE.tolist(), Y.tolist(), strict=True):
        learner.learn_one(form(x), y)
    assert learner.to_bytes() == learned_rows().to_bytes()


def test_the_order_of_the_names_in_a_row_does_not_matter():
    one, other = small(), small()
    for x, y in zip(WHOLE.tolist(), Y.tolist(), strict=True):
        one.learn_one({"a": x[0], "b": x[1], "c": x[2]}, y)
        other.learn_one({"c": x[2], "a": x[0], "b": x[1]}, y)
    assert one.to_bytes() == other.to_bytes()


def test_names_do_not_change_what_is_learned():
    named = small()
    for x, y in zip(WHOLE.tolist(), Y.tolist(), strict=True):
        named.learn_one({"a": x[0], "b": x[1], "c": x[2]}, y)
    assert named.members() == learned_rows().members()


def test_sparse_matrices_longer_than_a_block_are_learned_in_order():
    X = np.repeat(WHOLE.astype(float), 40, axis=0)  # 2,400 rows, more than two blocks of 1,024
    y = np.repeat(Y, 40)
    one = small().partial_fit(scipy.sparse.csr_matrix(X), y)
    assert one.to_bytes() == small().partial_fit(X, y).to_bytes()


def test_an_empty_batch_changes_nothing():
    learner = learned_rows()
    before = learner.to_bytes()
    assert learner.partial_fit(np.empty((0, 3)), []).to_bytes() == before


def test_double_precision_is_kept_in_single_precision():
    # 0.1 is no single precision number; its nearest one is.
    one = small().partial_fit([[0.1], [0.2]], [0, 1])
    other = small().partial_fit(np.array([[0.1], [0.2]], dtype=np.float32), [0, 1])
    assert one.to_bytes() == other.to_bytes()
