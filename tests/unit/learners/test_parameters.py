"""Which class is which algorithm, and what parameters each of them has."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
    _core,
)

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(120, 3))
Y = (X[:, 0] > 0.5).astype(int)

UNTUNED = {
    "memory_limit": "1MB",
    "nominal_features": None,
    "last_outcomes": True,
    "label_delay": 0,
    "seed": 0,
}
# Algorithm 1, with the defaults that docs/defaults.md chooses.
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
    "memory_limit": None,
    "nominal_features": None,
    "seed": 0,
}
OTHER = {
    "max_shrubs": 5,
    "window_size": 20,
    "step_size": 0.3,
    "max_depth": 3,
    "max_features": 2,
    "splitter": "best",
    "min_samples_leaf": 2,
    "steps_per_example": 3,
    "grow_every": 4,
    "seed": 1,
}
DEFAULTS = {
    ShrubClassifier: {**UNTUNED, "class_weight": None},
    ShrubRegressor: UNTUNED,
    PaperShrubClassifier: {**PAPER, "cache": "auto", "class_weight": None},
    PaperShrubRegressor: {**PAPER, "target_scaling": True},
}
PAPERS = [PaperShrubClassifier, PaperShrubRegressor]


def state(learner):
    """What a learner has learned, without its parameters as they were written."""
    return learner.fit(X, Y)._engine.to_state(b"")


@pytest.mark.parametrize("kind", DEFAULTS)
def test_the_defaults_stand_in_the_signature(kind):
    parameters = inspect.signature(kind).parameters
    assert {name: p.default for name, p in parameters.items()} == DEFAULTS[kind]


@pytest.mark.parametrize("kind", DEFAULTS)
def test_parameters_are_given_by_name_only(kind):
    with pytest.raises(TypeError, match="positional argument"):
        kind(3)


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_a_learner_without_tuning_knows_no_hyperparameter(kind):
    with pytest.raises(TypeError, match="unexpected keyword argument 'window_size'"):
        kind(window_size=20)


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
@pytest.mark.parametrize("more", [{}, {"seed": 3}, {"memory_limit": 65_536}])
def test_without_hyperparameters_it_is_the_learner_without_tuning(kind, more):
    assert isinstance(kind(**more).learn_one([1.0], 1)._engine, _core.AutoLearner)


@pytest.mark.parametrize(
    ("kind", "engine"),
    [*((kind, _core.PaperLearner) for kind in PAPERS), (WindowedTree, _core.TreeLearner)],
)
def test_every_learner_has_one_algorithm(kind, engine):
    learner = kind().partial_fit(X, Y)
    assert isinstance(learner._engine, engine)
    assert learner.companions == {}


@pytest.mark.parametrize("name", OTHER)
@pytest.mark.parametrize("kind", PAPERS)
def test_every_hyperparameter_makes_a_difference(kind, name):
    assert state(kind(**{name: OTHER[name]})) != state(kind())


@pytest.mark.parametrize("kind", DEFAULTS)
def test_defaults_written_out_are_the_default(kind):
    assert state(kind(**DEFAULTS[kind])) == state(kind())


@pytest.mark.parametrize("kind", DEFAULTS)
def test_a_clone_has_the_same_parameters(kind):
    learner = kind(memory_limit="256KB", seed=5)
    assert clone(learner).get_params() == learner.get_params()
    assert state(clone(learner)) == state(learner)


@pytest.mark.parametrize("kind", DEFAULTS)
def test_a_changed_parameter_is_taken_up_at_the_next_fit(kind):
    learner = kind().fit(X, Y)
    before = learner._engine.to_state(b"")
    learner.set_params(seed=9)
    assert learner._engine.to_state(b"") == before
    assert state(learner) == state(kind(seed=9))


@pytest.mark.parametrize("kind", DEFAULTS)
def test_only_what_differs_is_printed(kind):
    name = kind.__name__
    assert repr(kind()) == f"{name}()"
    assert repr(kind(memory_limit="64KB")) == f"{name}(memory_limit='64KB')"
    assert eval(repr(kind(seed=4))).get_params() == kind(seed=4).get_params()
