"""The memory of the learner that needs no tuning: never more than it may take."""

import numpy as np
import pandas as pd
import pytest

from shrubs import ShrubClassifier, ShrubRegressor
from shrubs._core import Task, auto_plan
from shrubs.learners._engine.room import arena_in, room_in
from shrubs.learners._engine.untuned_parameters import UntunedParameters

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")

KB = 1024
LIMITS = {"a megabyte": ("1MB", 1024 * KB), "64KB": ("64KB", 64 * KB), "32KB": (32 * KB, 32 * KB)}
RNG = np.random.default_rng(0)


def examples(kind, n):
    """Rows to which classes, features, categories and names keep coming."""
    for i in range(n):
        row = {"number": float(RNG.uniform()), "text": f"category {i}", f"feature {i // 30}": 1.0}
        row["müll"] = f"größe {i % 40}"
        yield row, f"class {i // 25}" if kind is ShrubClassifier else float(i)


@pytest.mark.parametrize(("limit", "n_bytes"), LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_memory_stays_within_its_limit_whatever_comes(kind, limit, n_bytes):
    learner = kind(memory_limit=limit)
    for row, y in examples(kind, 600):
        assert learner.learn_one(row, y).memory_bytes <= n_bytes
    assert learner.examples_seen == 600
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
    least = needed(caught)
    assert kind(memory_limit=least).predict_one([]) in (None, 0.0)
    with pytest.raises(ValueError, match=f"^memory_limit={least - 1} is too small for these"):
        kind(memory_limit=least - 1).predict_one([])


def smallest(kind):
    """The smallest memory of all."""
    with pytest.raises(ValueError, match="they need") as caught:
        kind(memory_limit=1).predict_one([])
    return needed(caught)


ROWS = {
    "unnamed": [1.0] * 50,
    "named": {f"name {i}": 1.0 for i in range(30)},
    "texts": {f"name {i}": f"text {i}" for i in range(10)},
    "a long name": {"x" * 10**6: 1.0},
    "nothing": [],
}


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
@pytest.mark.parametrize("x", ROWS.values(), ids=ROWS)
def test_the_smallest_memory_takes_any_example(kind, x):
    learner = kind(memory_limit=smallest(kind))
    for i in range(40):
        learner.learn_one(x, i)
        assert learner.memory_bytes <= smallest(kind)
    assert learner.predict_one(x) is not None


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_more_memory_than_the_smallest_will_do(kind):
    for spare in (*range(0, 300, 7), 1000, 3333, 12_345):
        limit = smallest(kind) + spare
        learner = kind(memory_limit=limit)
        for i in range(30):
            learner.learn_one({f"name {j}": f"text {i}" for j in range(i)}, i)
        assert learner.memory_bytes <= limit


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_the_smallest_memory_learns(kind):
    learner = kind(memory_limit=smallest(kind) + 2000)
    X = RNG.uniform(size=(300, 4))
    y = (X[:, 0] > 0.5).astype(int)
    predicted = learner.prequential(X, y)
    assert learner.memory_bytes <= smallest(kind) + 2000
    assert np.mean(np.abs(predicted[100:].astype(float) - y[100:])) < 0.3


@pytest.mark.parametrize("task", [Task.classification, Task.regression])
@pytest.mark.parametrize("n_bytes", [9000, 12_000, 20_000, 60_000, 200_000, 10**6, 10**8])
def test_there_is_a_plan_for_all_that_there_is_room_for(task, n_bytes):
    room = room_in(task, n_bytes)
    if room is None:
        assert n_bytes < 14_000
        return
    arena_bytes = arena_in(n_bytes - room.table_bytes)
    for _ in range(200):
        n_features, n_classes = (RNG.integers(0, n + 1) for n in (room.n_features, room.n_classes))
        nominal = RNG.integers(0, 2, n_features, dtype=np.uint8).tobytes()
        assert auto_plan(task, arena_bytes, int(n_classes), nominal)["window"] > 0


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
    room = UntunedParameters(False, "64KB", None, True, 0)._beside(
        learner._owner.tables.memory_bytes
    )
    assert learner.memory_report().tables <= room
