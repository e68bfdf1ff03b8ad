"""The learners and the plain reference agree to the last bit on random streams."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier
from tests.unit.learners.agreement import (
    NamedReference,
    assert_classifiers_agree,
    assert_regressors_agree,
    make_classifiers,
    state_of,
    state_of_reference,
)
from tests.unit.learners.streams import (
    TARGETS,
    WILD_TARGETS,
    Case,
    cases,
    named_rows,
    parameters,
    streams,
    tries,
)

# Small steps freeze a full ensemble, which is part of what is compared.
pytestmark = pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")


@tries(250)
@given(cases(st.integers(0, 3)))
def test_classifier_agrees_with_the_reference(case):
    assert_classifiers_agree(case)


@tries(150)
@given(cases(TARGETS, regression=True))
def test_regressor_agrees_with_the_reference(case):
    assert_regressors_agree(case)


@tries(100)
@given(cases(WILD_TARGETS, regression=True))
def test_regressor_agrees_on_targets_of_wild_magnitude(case):
    assert_regressors_agree(case)


@given(cases(st.integers(0, 25)))
def test_classifier_agrees_with_sparse_leaves(case):
    # With a window of up to 12, leaves are sparse from about 5 classes on: this starts dense and
    # changes over as classes come.
    assert_classifiers_agree(case)


@given(cases(st.just(7)))
def test_classifier_agrees_on_a_single_class(case):
    assert_classifiers_agree(case)


@given(cases(st.integers(0, 2)))
def test_classifier_agrees_on_constant_features(case):
    first = case.examples[0][0]
    assert_classifiers_agree(replace(case, examples=[(first, y) for _, y in case.examples]))


@tries(100)
@given(
    parameters(regression=False),
    streams(st.tuples(named_rows(), st.sampled_from("uvw"))),
)
def test_classifier_agrees_on_rows_by_name(chosen, examples):
    # The number of features tried may not exceed those known, as a reference takes it.
    chosen = chosen | {"max_features": None}
    learner, reference = PaperShrubClassifier(**chosen), NamedReference(**chosen)
    for row, y in examples:
        if learner.examples_seen:
            assert list(learner.predict_proba_one(row).values()) == reference.predict(row)
        learner.learn_one(row, y)
        reference.learn(row, y)
        assert state_of(learner) == state_of_reference(reference.plain)


@tries(40)
@given(
    cases(st.integers(0, 1)),
    st.sampled_from([0.002, 0.01, 0.03, 0.1]),
    st.sampled_from(["mse", "cross_entropy"]),
    st.integers(0, 2**32),
)
def test_not_growing_hopeless_newcomers_changes_nothing(case, step_size, loss, seed):
    # One step per example and a full ensemble: the case in which growing is skipped. The reference
    # never skips. Labels are mostly predictable, so that most newcomers are hopeless.
    chosen = case.parameters | {
        "step_size": step_size,
        "steps_per_example": 1,
        "max_shrubs": 2,
        "loss": loss,
    }
    draw = random.Random(seed)
    examples = [
        (x, y if draw.random() < 0.2 else int(x[0] > 0.5))
        for x, y in (case.examples * 3)[: 60 if len(case.examples) > 10 else 20]
    ]
    assert_classifiers_agree(replace(case, parameters=chosen, examples=examples))


@tries(40)
@given(cases(st.integers(0, 2)), st.sampled_from([1e3, 1e8, 1e12, 1e20, 1e100]))
def test_classifier_agrees_at_absurd_step_sizes(case, step_size):
    chosen = case.parameters | {"step_size": step_size, "steps_per_example": 1}
    assert_classifiers_agree(replace(case, parameters=chosen))


WIDE = {"more than 64 features": (70, 8, 20), "more than 256 leaves": (1, 300, 310)}


@pytest.mark.parametrize("loss", ["mse", "cross_entropy"])
@pytest.mark.parametrize(("n_features", "window_size", "n_examples"), WIDE.values(), ids=WIDE)
def test_classifier_agrees_where_nodes_are_wide(n_features, window_size, n_examples, loss):
    draw = random.Random(1)
    chosen = {"max_shrubs": 2, "window_size": window_size, "splitter": "random", "step_size": 0.2}
    case = Case(chosen | {"loss": loss}, (False,) * n_features, [])
    learner, reference = make_classifiers(case)
    for _ in range(n_examples):
        x = [draw.random() for _ in range(n_features)]
        y = draw.randrange(3)
        learner.learn_one(x, y)
        index = list(learner.classes_).index(y)
        reference.learn(x, index)
    assert state_of(learner) == state_of_reference(reference)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("n_features", [5, 18])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_classifier_agrees_where_most_newcomers_are_cut(splitter, n_features, n_classes):
    # Shallow shrubs on noisy labels gain little: they are given up before they are grown. Of the
    # two numbers of features the larger one is of bits.
    draw = random.Random(n_features)
    chosen = {
        "max_shrubs": 4,
        "window_size": 40,
        "max_depth": 3,
        "splitter": splitter,
        "max_features": 2,
        "steps_per_example": 1 + n_classes % 2,
    }
    examples = []
    for _ in range(120):
        x = [draw.random() for _ in range(n_features)]
        if n_features > 16:
            x = [float(value > 0.5) for value in x]
        label = int((x[0] + x[1]) * n_classes / 2) % n_classes
        examples.append((x, label if draw.random() < 0.8 else draw.randrange(n_classes)))
    assert_classifiers_agree(Case(chosen | {"step_size": 0.3}, (False,) * n_features, examples))


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_classifier_agrees_on_a_longer_stream_with_drift(splitter):
    draw = random.Random(2)
    chosen = {
        "max_shrubs": 6,
        "window_size": 24,
        "splitter": splitter,
        "step_size": 0.1,
        "max_features": 2,
    }
    examples = []
    for t in range(250):
        x = [draw.random(), float(draw.randrange(4)), draw.random() if draw.random() < 0.7 else 0.5]
        label = (x[0] > 0.5) ^ (x[1] == 2.0) ^ (t > 120)
        examples.append((x, int(label)))
    assert_classifiers_agree(Case(chosen, (False, True, False), examples))
