"""Every learner keeps the contract. A new one joins with one line."""

from functools import partial

import pytest

from shrubs import MajorityClass, NoChange, ShrubClassifier, ShrubRegressor, WindowedTree
from tests.contracts.learner_contract import ClassifierContract, CoreContract, LearnerContract

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")

SMALL = {"window_size": 16, "max_depth": 4}

CLASSIFIERS = {
    "shrubs": partial(ShrubClassifier, max_shrubs=4, step_size=0.5, **SMALL),
    "shrubs, best splits": partial(ShrubClassifier, max_shrubs=4, splitter="best", **SMALL),
    "shrubs, cross-entropy": partial(ShrubClassifier, max_shrubs=4, loss="cross_entropy", **SMALL),
    "shrubs, many steps": partial(ShrubClassifier, max_shrubs=4, steps_per_example=6, **SMALL),
    "shrubs without tuning": partial(ShrubClassifier, memory_limit="64KB"),
    "windowed tree": partial(WindowedTree, regrow="always", **SMALL),
    "windowed tree, on error": partial(WindowedTree, regrow="on_error", **SMALL),
}
REGRESSORS = {
    "shrubs": partial(ShrubRegressor, max_shrubs=4, step_size=0.5, **SMALL),
    "shrubs, best splits": partial(ShrubRegressor, max_shrubs=4, splitter="best", **SMALL),
    "shrubs without tuning": partial(ShrubRegressor, memory_limit="64KB"),
    "shrubs, unscaled": partial(ShrubRegressor, max_shrubs=4, target_scaling=False, **SMALL),
}
BASELINES = {"no change": NoChange, "majority class": MajorityClass}


class TestClassifiers(ClassifierContract, CoreContract):
    @pytest.fixture(params=CLASSIFIERS.values(), ids=CLASSIFIERS)
    def make(self, request):
        return request.param


class TestRegressors(CoreContract):
    labels = (1.5, -20.0)

    @pytest.fixture(params=REGRESSORS.values(), ids=REGRESSORS)
    def make(self, request):
        return request.param

    def test_a_prediction_is_a_float(self, make):
        learner = self.learn(make(), self.examples(20))
        assert all(isinstance(target, float) for target in self.predictions(learner))

    def test_a_prediction_lies_among_the_targets(self, make):
        learner = self.learn(make(), self.examples(50))
        rounding = 1e-12
        assert all(-20.0 - rounding <= p <= 1.5 + rounding for p in self.predictions(learner))


class TestBaselines(ClassifierContract):
    @pytest.fixture(params=BASELINES.values(), ids=BASELINES)
    def make(self, request):
        return request.param


class TestNoChangeForTargets(LearnerContract):
    labels = (1.5, -20.0)

    @pytest.fixture
    def make(self):
        return NoChange
