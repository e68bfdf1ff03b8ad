"""The CapyMOA learners in its prequential evaluation."""

import numpy as np
import pytest

from shrubs.adapters import moa_jvm

# Before CapyMOA starts a machine in which the tests of MOA's learners cannot measure sizes.
try:
    moa_jvm.start()
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

from capymoa.evaluation import prequential_evaluation
from capymoa.stream import ARFFStream, NumpyStream
from capymoa.stream.generator import SEA

from shrubs import learners
from shrubs.adapters.moa import ShrubClassifier, ShrubRegressor

SMALL = learners.PaperShrubClassifier(max_shrubs=8, window_size=64)

ARFF = """@relation toy
@attribute size numeric
@attribute colour {red,green,blue}
@attribute class {no,yes,maybe}
@data
"""


@pytest.fixture
def nominal_stream(tmp_path):
    """Sizes and colours; blue ones are "yes", whatever their size. Some are missing."""
    rng = np.random.default_rng(0)
    colours = rng.choice(["red", "green", "blue"], 300)
    sizes = [f"{size:.3f}" if size > 0.1 else "?" for size in rng.uniform(size=300)]
    rows = [
        f"{size},{colour},{'yes' if colour == 'blue' else 'no'}"
        for size, colour in zip(sizes, colours, strict=True)
    ]
    (tmp_path / "toy.arff").write_text(ARFF + "\n".join(rows) + "\n")
    return ARFFStream(str(tmp_path / "toy.arff"))


def numeric_stream(n=300):
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(n, 4))
    return X, (X[:, 0] > 0.5).astype(int)


def test_a_synthetic_stream_is_evaluated():
    stream = SEA(instance_random_seed=1)
    result = prequential_evaluation(
        stream, ShrubClassifier(stream.schema, SMALL), max_instances=300
    )
    assert 0.0 <= result.cumulative.accuracy() <= 100.0


def test_nominal_attributes_are_known_as_such(nominal_stream):
    learner = ShrubClassifier(nominal_stream.schema, SMALL)
    prequential_evaluation(nominal_stream, learner, max_instances=300)
    # Features: the size, which is numeric, and the colour, which is not.
    assert learner._learner._owner.tables.nominal == bytes([0, 1])


def test_smoke_nominal_attributes_are_learned(nominal_stream):
    learner = ShrubClassifier(nominal_stream.schema, SMALL)
    result = prequential_evaluation(nominal_stream, learner, max_instances=300)
    assert result.cumulative.accuracy() > 90.0


def test_a_class_of_the_schema_that_never_occurs_is_known(nominal_stream):
    learner = ShrubClassifier(nominal_stream.schema, SMALL)
    assert learner.predict_proba(nominal_stream.next_instance()).tolist() == [1 / 3] * 3


def test_the_learner_learns_what_ours_learns():
    X, y = numeric_stream()
    stream = NumpyStream(X, y, target_type="categorical")
    learner = ShrubClassifier(stream.schema, SMALL)
    while stream.has_more_instances():
        learner.train(stream.next_instance())
    ours = learners.PaperShrubClassifier(max_shrubs=8, window_size=64)
    ours.partial_fit(X, y, classes=[0, 1])
    assert learner._learner.members() == ours.members()


def test_predictions_are_those_of_ours():
    X, y = numeric_stream()
    stream = NumpyStream(X, y, target_type="categorical")
    learner = ShrubClassifier(stream.schema, SMALL)
    predicted = []
    while stream.has_more_instances():
        instance = stream.next_instance()
        predicted.append(learner.predict(instance))
        learner.train(instance)
    ours = learners.PaperShrubClassifier(max_shrubs=8, window_size=64)
    assert predicted == ours.prequential(X, y, classes=[0, 1]).tolist()


def test_the_learner_given_is_left_alone():
    X, y = numeric_stream(20)
    stream = NumpyStream(X, y, target_type="categorical")
    learner = ShrubClassifier(stream.schema, SMALL)
    prequential_evaluation(stream, learner)
    assert SMALL.examples_seen == 0


def test_the_seed_is_that_of_the_default_learner():
    X, y = numeric_stream(20)
    stream = NumpyStream(X, y, target_type="categorical")
    assert ShrubClassifier(stream.schema, random_seed=7)._learner.seed == 7


def test_a_regression_is_evaluated():
    X, _ = numeric_stream()
    stream = NumpyStream(X, X[:, 0] * 3.0, target_type="numeric")
    learner = ShrubRegressor(
        stream.schema, learners.PaperShrubRegressor(max_shrubs=8, window_size=64)
    )
    result = prequential_evaluation(stream, learner)
    assert result.cumulative.rmse() >= 0.0


def test_a_regression_predicts_zero_before_the_first_instance():
    X, _ = numeric_stream()
    stream = NumpyStream(X, X[:, 0] * 3.0, target_type="numeric")
    assert ShrubRegressor(stream.schema).predict(stream.next_instance()) == 0.0
