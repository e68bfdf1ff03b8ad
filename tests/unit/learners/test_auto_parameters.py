"""When a learner needs no tuning, and when it is the algorithm of the paper."""

import numpy as np
import pytest
from sklearn.base import clone

from shrubs import ShrubClassifier, ShrubRegressor, _core

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(120, 3))
LABELS = {ShrubClassifier: (X[:, 0] > 0.5).astype(int), ShrubRegressor: X[:, 0] * 2}
# What "auto" stands for as soon as one hyperparameter has a value, written out.
PAPER = {
    "max_shrubs": 32,
    "window_size": 256,
    "step_size": 0.5,
    "loss": "mse",
    "max_depth": None,
    "max_features": None,
    "splitter": "random",
    "min_samples_leaf": 1,
    "steps_per_example": 1,
    "grow_every": 1,
}
OTHER = {
    "max_shrubs": 5,
    "window_size": 20,
    "step_size": 0.3,
    "loss": "mse",
    "max_depth": 3,
    "max_features": 2,
    "splitter": "best",
    "min_samples_leaf": 2,
    "steps_per_example": 3,
    "grow_every": 4,
}


@pytest.fixture(params=[ShrubClassifier, ShrubRegressor])
def kind(request):
    return request.param


def state(learner):
    """What a learner has learned, without its parameters as they were written."""
    return learner.partial_fit(X, LABELS[type(learner)])._engine.to_state(b"")


def is_auto(learner):
    return isinstance(learner.learn_one([1.0], 1)._engine, _core.AutoLearner)


def test_without_arguments_a_learner_needs_no_tuning(kind):
    assert is_auto(kind())


@pytest.mark.parametrize(
    "more", [{"seed": 3}, {"memory_limit": "64KB"}, {"nominal_features": [0]}, {"cache": "none"}]
)
def test_what_is_no_hyperparameter_leaves_it_so(kind, more):
    if "cache" not in more or kind is ShrubClassifier:
        assert is_auto(kind(**more))


def test_auto_written_out_is_the_default(kind):
    assert state(kind(**dict.fromkeys(PAPER, "auto"))) == state(kind())


def test_the_paper_is_all_values_written_out(kind):
    assert state(kind.paper()) == state(kind(**PAPER))
    assert kind.paper().get_params() == kind(**PAPER).get_params()


@pytest.mark.parametrize("name", PAPER)
def test_a_value_for_one_hyperparameter_gives_the_papers_algorithm(kind, name):
    chosen = {name: OTHER[name]}
    learner = kind(**chosen)
    assert state(learner) == state(kind(**{**PAPER, **chosen}))
    assert isinstance(learner._engine, _core.Learner)


@pytest.mark.parametrize("name", PAPER)
def test_the_paper_with_another_value_is_the_same(kind, name):
    assert state(kind.paper(**{name: OTHER[name]})) == state(kind(**{name: OTHER[name]}))


def test_the_papers_algorithm_has_no_companions(kind):
    assert kind.paper().partial_fit(X, LABELS[kind]).companions == {}


def test_targets_that_are_not_scaled_are_the_papers_algorithm():
    assert not is_auto(ShrubRegressor(target_scaling=False))


def test_parameters_are_kept_as_they_were_written(kind):
    assert {name: kind().get_params()[name] for name in PAPER} == dict.fromkeys(PAPER, "auto")
    assert kind(window_size=9).get_params()["max_shrubs"] == "auto"


def test_a_clone_has_the_same_parameters(kind):
    learner = kind(memory_limit="64KB", seed=5)
    assert clone(learner).get_params() == learner.get_params()
    assert state(clone(learner)) == state(learner)


def test_setting_a_hyperparameter_changes_over_at_the_next_fit(kind):
    learner = kind().fit(X, LABELS[kind])
    before = learner._engine.to_state(b"")
    learner.set_params(window_size=20)
    assert learner._engine.to_state(b"") == before
    again = learner.fit(X, LABELS[kind])._engine.to_state(b"")
    assert again == kind(window_size=20).fit(X, LABELS[kind])._engine.to_state(b"")


def test_setting_auto_changes_back(kind):
    learner = kind(window_size=20).set_params(window_size="auto")
    assert is_auto(learner)


def test_only_what_differs_is_printed(kind):
    name = kind.__name__
    assert repr(kind()) == f"{name}()"
    assert repr(kind(memory_limit="64KB")) == f"{name}(memory_limit='64KB')"
    assert "max_shrubs=32" in repr(kind.paper())
    assert eval(repr(kind.paper())).get_params() == kind.paper().get_params()


@pytest.mark.parametrize("name", PAPER)
def test_a_wrong_word_is_no_auto(kind, name):
    with pytest.raises((TypeError, ValueError), match=f"^{name} must be"):
        kind(**{name: "automatic"})
