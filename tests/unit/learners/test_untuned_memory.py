"""The memory of the learner that needs no tuning: never more than it may take."""

import numpy as np
import pandas as pd
import pytest

from shrubs import ShrubClassifier, ShrubRegressor
from shrubs.learners._engine.untuned_parameters import UntunedParameters

KB = 1024
LIMITS = {"a megabyte": ("1MB", 1024 * KB), "64KB": ("64KB", 64 * KB), "32KB": (32 * KB, 32 * KB)}
RNG = np.random.default_rng(0)


def examples(kind, n):
    """Rows to which classes, features, categories and names keep coming."""
    for i in range(n):
        row = {"number": float(RNG.uniform()), "text": f"category {i}", f"feature {i // 30}": 1.0}
        row["müll"] = f"größe {i % 40}"
        yield row, f"class {i // 25}" if kind is ShrubClassifier else float(i)


def refuses(learner, row, y):
    """Learn an example, or say that there is no room for it; then nothing may have changed."""
    before = learner.to_bytes()
    try:
        learner.learn_one(row, y)
    except ValueError as error:
        if "is too small for" not in str(error):
            raise
    else:
        return False
    assert learner.to_bytes() == before
    return True


@pytest.mark.parametrize(("limit", "n_bytes"), LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_memory_stays_within_its_limit_whatever_comes(kind, limit, n_bytes):
    learner = kind(memory_limit=limit)
    refused = 0
    for row, y in examples(kind, 600):
        refused += 1 if refuses(learner, row, y) else 0
        assert learner.memory_bytes <= n_bytes
    assert learner.examples_seen + refused == 600
    assert learner.learn_one({"number": 0.5}, learner.predict_one({})) is learner


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_a_table_of_texts_stays_within_its_limit(kind):
    frame = pd.DataFrame({"a": [f"text {i % 100}" for i in range(300)], "b": np.arange(300.0)})
    learner = kind(memory_limit="64KB").partial_fit(frame, np.arange(300) % 3 * 1)
    assert learner.memory_bytes <= 64 * KB


def needed(error):
    """The bytes that an error asks for."""
    return int(str(error.value).split("at least ")[1].split(" ")[0])


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
@pytest.mark.parametrize("asked", [1, 3000, "2KB"])
def test_the_smallest_memory_of_all_is_named_and_exact(kind, asked):
    with pytest.raises(ValueError, match="is too small for these parameters: they need") as caught:
        kind(memory_limit=asked).predict_one([])
    smallest = needed(caught)
    assert kind(memory_limit=smallest).predict_one([]) in (None, 0.0)
    with pytest.raises(ValueError, match=f"^memory_limit={smallest - 1} is too small for these"):
        kind(memory_limit=smallest - 1).predict_one([])


SHAPES = {
    "unnamed": ([1.0] * 50, "50 features"),
    "named": ({f"name {i}": 1.0 for i in range(30)}, "30 features"),
    "texts": ({f"name {i}": f"text {i}" for i in range(10)}, "10 features"),
}


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
@pytest.mark.parametrize(("x", "shape"), SHAPES.values(), ids=SHAPES)
def test_the_smallest_memory_for_an_example_is_named_and_exact(kind, x, shape):
    with pytest.raises(ValueError, match=f"^memory_limit=14000 is too small for {shape}") as caught:
        kind(memory_limit=14_000).learn_one(x, 1)
    smallest = needed(caught)
    learner = kind(memory_limit=smallest).learn_one(x, 1)
    assert learner.memory_bytes <= smallest
    with pytest.raises(ValueError, match=f"^memory_limit={smallest - 1} is too small for {shape}"):
        kind(memory_limit=smallest - 1).learn_one(x, 1)


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_more_memory_than_the_smallest_will_do(kind):
    with pytest.raises(ValueError, match="is too small") as caught:
        kind(memory_limit=14_000).learn_one([1.0] * 50, 1)
    smallest = needed(caught)
    for spare in (*range(0, 300, 7), 1000, 3333, 12_345):
        learner = kind(memory_limit=smallest + spare).learn_one([1.0] * 50, 1)
        assert learner.memory_bytes <= smallest + spare


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_the_smallest_memory_learns(kind):
    with pytest.raises(ValueError, match="is too small") as caught:
        kind(memory_limit=14_000).partial_fit(np.zeros((1, 20)), [1])
    learner = kind(memory_limit=needed(caught) + 2000)
    X = RNG.uniform(size=(300, 20))
    y = (X[:, 0] > 0.5).astype(int)
    predicted = learner.prequential(X, y)
    assert learner.memory_bytes <= needed(caught) + 2000
    assert np.mean(np.abs(predicted[100:].astype(float) - y[100:])) < 0.3


@pytest.mark.parametrize("limit", ["1MB", "64KB", 20_000])
@pytest.mark.parametrize(("n_features", "n_classes"), [(1, 1), (4, 2), (10, 7)])
def test_a_plan_is_what_is_used_later(limit, n_features, n_classes):
    learner = ShrubClassifier(memory_limit=limit)
    plan = learner.plan(n_features=n_features, n_classes=n_classes)
    X, y = RNG.uniform(size=(60, n_features)), np.arange(60) % n_classes
    used = learner.partial_fit(X, y).memory_report()
    for part in ("window", "shrubs", "weights", "caches", "scratch"):
        assert getattr(used, part) == getattr(plan, part)


@pytest.mark.parametrize("limit", ["1MB", "64KB"])
def test_a_plan_of_a_regression_is_what_is_used_later(limit):
    learner = ShrubRegressor(memory_limit=limit)
    plan = learner.plan(n_features=6)
    used = learner.partial_fit(RNG.uniform(size=(60, 6)), np.arange(60.0)).memory_report()
    assert used.total - used.tables == plan.total - plan.tables


def test_a_name_more_or_less_makes_no_other_model():
    def state(name):
        learner = ShrubClassifier(memory_limit="64KB")
        for i in range(50):
            learner.learn_one({name: i % 7, "b": i % 3}, i % 2)
        return learner._engine.to_state(b"")

    assert state("a") == state("a longer name than that")


def test_the_objects_themselves_are_within_their_room():
    learner = ShrubClassifier(memory_limit="64KB").learn_one([], 0)
    room = UntunedParameters(False, "64KB", None, 0)._beside(learner._owner.tables.memory_bytes)
    assert learner.memory_report().tables <= room
