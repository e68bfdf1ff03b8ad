"""A step size that can only freeze a full ensemble.

In one step a newcomer gets at most 2 alpha / C, and a member loses at most as much. So a full
ensemble whose smallest weight exceeds 4 alpha / C admits nobody. (2 alpha / C is not enough: a
member may fall while the newcomer rises.)
"""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import FrozenEnsembleWarning, PaperShrubClassifier
from tests.unit.learners.agreement import make_classifiers
from tests.unit.learners.streams import cases, tries

MOST = {"mse": lambda step_size, n_classes: 2.0 * step_size / n_classes,
        "cross_entropy": lambda step_size, n_classes: step_size}  # fmt: skip


def stepped_weights(case):
    """Per step: weights before, and those of members and newcomer between gradient and prox."""
    _, reference = make_classifiers(case)
    gradient_step = reference._gradient_step
    steps = []

    def watched():
        before, after = list(reference.weights), gradient_step()
        steps.append((before, after, reference._n_classes))
        return after

    reference._gradient_step = watched
    indices: dict[int, int] = {}
    for x, y in case.examples:
        reference.learn(x, indices.setdefault(y, len(indices)))
    return steps


def max_per_step(case, n_classes):
    step_size, loss = case.parameters["step_size"], case.parameters["loss"]
    return MOST[loss](step_size, n_classes) * (1.0 + 1e-12)


@tries(150)
@given(cases(st.integers(0, 3)))
def test_a_newcomer_gets_at_most_two_steps_over_the_classes(case):
    for before, after, n_classes in stepped_weights(case):
        assert after[-1] - before[-1] <= max_per_step(case, n_classes)


@tries(150)
@given(cases(st.integers(0, 3)))
def test_a_member_loses_at_most_two_steps_over_the_classes(case):
    for before, after, n_classes in stepped_weights(case):
        most = max_per_step(case, n_classes) + 1e-12
        assert all(b - a <= most for b, a in zip(before, after, strict=True))


@tries(150)
@given(cases(st.integers(0, 2)), st.sampled_from([0.001, 0.01, 0.05]))
@pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")
def test_a_full_ensemble_of_heavy_shrubs_admits_nobody(case, step_size):
    learner, _ = make_classifiers(case)
    learner = PaperShrubClassifier(**{**learner.get_params(), "step_size": step_size})
    steps = learner.steps_per_example
    for t, (x, y) in enumerate(case.examples):
        before = learner.members()
        learner.learn_one(x, y)
        most = MOST[learner.loss](step_size, len(learner.classes_))
        full = len(before) == learner.max_shrubs
        if full and min(weight for _, weight in before) > 2.0 * steps * most:
            assert all(born < t for born, _ in learner.members())


def test_two_steps_over_the_classes_below_the_smallest_weight_do_not_freeze():
    # M = 1, so the weight is 1, and 2 * 0.9 / 2 = 0.9 is less. After a drift to the other class the
    # member falls to 1 - 0.9 = 0.1 and the newcomer rises to 0.9.
    learner = PaperShrubClassifier(max_shrubs=1, window_size=1, step_size=0.9)
    learner.partial_fit([[0.0], [0.0]], ["a", "a"], classes=["a", "b"])
    assert learner.learn_one([0.0], "b").members() == [(2, 1.0)]


def stream(n):
    """Two classes that can be told apart, so that all shrubs are good and share the weight."""
    return [[float(i % 4)] for i in range(n)], [i % 4 > 1 for i in range(n)]


def warnings_of(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [warning.category for warning in caught]


def frozen(**changes):
    return PaperShrubClassifier(
        **{"max_shrubs": 2, "window_size": 8, "step_size": 0.001, **changes}
    )


def learn_rows(learner, n):
    X, y = stream(n)
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)


def test_a_freezing_step_size_is_warned_about_once_in_single_rows():
    learner = frozen()
    assert warnings_of(lambda: learn_rows(learner, 200)) == [FrozenEnsembleWarning]


def test_a_freezing_step_size_is_warned_about_once_in_batches():
    learner = frozen()
    X, y = stream(60)
    caught = warnings_of(lambda: [learner.partial_fit(X, y) for _ in range(4)])
    assert caught == [FrozenEnsembleWarning]


def test_a_freezing_step_size_is_warned_about_once_in_prequential_batches():
    learner = frozen()
    X, y = stream(60)
    caught = warnings_of(lambda: [learner.prequential(X, y) for _ in range(4)])
    assert caught == [FrozenEnsembleWarning]


def test_a_loaded_learner_does_not_warn_again():
    learner = frozen()
    warnings_of(lambda: learn_rows(learner, 100))
    loaded = PaperShrubClassifier.from_bytes(learner.to_bytes())
    assert warnings_of(lambda: learn_rows(loaded, 100)) == []


def test_the_warning_names_the_step_size_and_what_to_do():
    with pytest.warns(FrozenEnsembleWarning, match=r"^step_size=0.001 is so small .* Use a larger"):
        learn_rows(frozen(), 100)


def test_the_warning_points_to_the_line_that_learned():
    learner = frozen()
    with pytest.warns(FrozenEnsembleWarning) as caught:
        learn_rows(learner, 100)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("changes", [{"step_size": 0.5}, {"max_shrubs": 200}])
def test_a_sound_step_size_is_not_warned_about(changes):
    learner = frozen(**changes)
    assert warnings_of(lambda: learn_rows(learner, 100)) == []


def test_an_ensemble_that_still_admits_newcomers_is_not_called_frozen():
    learner = PaperShrubClassifier(max_shrubs=1, window_size=1, step_size=0.9)
    X, y = stream(200)
    assert warnings_of(lambda: learner.partial_fit(X, y, classes=[False, True])) == []
