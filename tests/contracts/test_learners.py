"""Every learner keeps the contract. A new one joins with one line."""

from functools import partial

import pytest

from shrubs import (
    MajorityClass,
    NoChange,
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)
from tests.contracts.learner_contract import (
    ClassifierContract,
    LearnerContract,
    RegressorContract,
    UntunedContract,
    WindowContract,
)

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.FrozenEnsembleWarning")

SMALL = {"window_size": 16, "max_depth": 4}

CLASSIFIERS = {
    "the paper's": partial(PaperShrubClassifier, max_shrubs=4, **SMALL),
    "best splits": partial(PaperShrubClassifier, max_shrubs=4, splitter="best", **SMALL),
    "cross-entropy": partial(PaperShrubClassifier, max_shrubs=4, loss="cross_entropy", **SMALL),
    "many steps": partial(PaperShrubClassifier, max_shrubs=4, steps_per_example=6, **SMALL),
    "windowed tree": partial(WindowedTree, regrow="always", **SMALL),
    "windowed tree, on error": partial(WindowedTree, regrow="on_error", **SMALL),
}
REGRESSORS = {
    "the paper's": partial(PaperShrubRegressor, max_shrubs=4, **SMALL),
    "best splits": partial(PaperShrubRegressor, max_shrubs=4, splitter="best", **SMALL),
    "unscaled": partial(PaperShrubRegressor, max_shrubs=4, target_scaling=False, **SMALL),
}
BASELINES = {"no change": NoChange, "majority class": MajorityClass}


class TestUntunedClassifier(ClassifierContract, UntunedContract):
    @pytest.fixture
    def make(self):
        return partial(ShrubClassifier, memory_limit="64KB")


class TestClassifiers(ClassifierContract, WindowContract):
    @pytest.fixture(params=CLASSIFIERS.values(), ids=CLASSIFIERS)
    def make(self, request):
        return request.param


class TestUntunedRegressor(RegressorContract, UntunedContract):
    @pytest.fixture
    def make(self):
        return partial(ShrubRegressor, memory_limit="64KB")


class TestRegressors(RegressorContract, WindowContract):
    @pytest.fixture(params=REGRESSORS.values(), ids=REGRESSORS)
    def make(self, request):
        return request.param


class TestBaselines(ClassifierContract):
    @pytest.fixture(params=BASELINES.values(), ids=BASELINES)
    def make(self, request):
        return request.param


class TestNoChangeForTargets(LearnerContract):
    labels = (1.5, -20.0)

    @pytest.fixture
    def make(self):
        return NoChange
