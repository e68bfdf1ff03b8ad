import numpy as np
import pytest

from shrubs.experiments.job import Job, do_job
from shrubs.experiments.registry import LEARNERS, STREAMS, make_learner, make_stream
from shrubs.protocols import Feature, Schema

INSTALLED = [
    name for name, entry in LEARNERS.items() if entry.is_installed and entry.classification
]
DRAWN = [name for name, entry in STREAMS.items() if name in ("agrawal_a", "led_g", "rbf_f")
         or entry.n_examples is None]  # fmt: skip


@pytest.mark.parametrize("name", INSTALLED)
def test_every_installed_learner_learns(name):
    record = do_job(Job(name, "sea", {}, {"n_examples": 400}))
    assert record.n_examples == 400
    assert record.metrics["memory_bytes"] > 0
    assert 0 < record.metrics["accuracy"] <= 1


@pytest.mark.parametrize("name", DRAWN)
def test_every_drawn_stream_fits_its_schema(name):
    stream = make_stream(name, n_examples=500, seed=1)
    block = next(stream.blocks(500))
    assert block.X.shape == (500, stream.schema.n_features)
    assert block.X.dtype == np.float32
    assert set(block.y) <= set(range(stream.schema.n_classes))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("elecc", "unknown stream 'elecc'; did you mean 'elec'\\? `shrubs streams` lists all"),
        ("xyzzy", "unknown stream 'xyzzy'; `shrubs streams` lists all of them"),
        ("nowhere.csv", "nowhere.csv"),
    ],
)
def test_a_wrong_stream_gets_a_suggestion(name, message):
    with pytest.raises((ValueError, OSError), match=message):
        make_stream(name)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("shrub", {}, "unknown learner 'shrub'; did you mean 'shrubs'\\? `shrubs learners`"),
        (
            "shrubs-paper",
            {"window_sise": 3},
            "unknown option 'window_sise'; did you mean 'window_size'",
        ),
        ("shrubs-paper", {"window_size": 0}, "window_size must be at least 1, got 0"),
        ("no-change", {"speed": 3}, "learner 'no-change': unknown option 'speed'"),
    ],
)
def test_a_wrong_learner_gets_a_suggestion(name, options, message):
    schema = Schema((Feature("a"),), (0, 1))
    with pytest.raises(ValueError, match=message):
        make_learner(name, schema, options, 0)


def test_only_a_few_race_when_nobody_chooses():
    # Slow or large peers would make the first race of a new user take hours.
    assert [name for name, entry in LEARNERS.items() if entry.in_default_race] == [
        "shrubs",
        "shrubs-paper",
        "windowed-tree",
        "no-change",
        "majority-class",
        "river:hoeffding-tree",
        "river:adaptive-random-forest",
    ]


def test_rho_and_the_classes_of_the_stream_give_the_step_size():
    # M = 8 and C = 3: 1 / (8 + 8 * (2 - 0.5) / (0.5 * 3)) = 1 / 16.
    schema = Schema((Feature("a"),), (0, 1, 2))
    learner = make_learner("shrubs-paper-rho", schema, {"rho": 0.5, "max_shrubs": 8}, 4)
    assert (learner.step_size, learner.max_shrubs, learner.seed) == (0.0625, 8, 4)


@pytest.mark.parametrize("rho", [0, 1, -0.5])
def test_rho_is_a_share(rho):
    schema = Schema((Feature("a"),), (0, 1))
    with pytest.raises(ValueError, match=f"rho must be above 0 and below 1, got {rho}"):
        make_learner("shrubs-paper-rho", schema, {"rho": rho}, 0)


@pytest.mark.parametrize("name", ["agrawal_g", "led_a", "rbf_f"])
def test_without_scaled_drifts_a_short_stream_is_the_beginning_of_the_whole_one(name):
    whole = next(make_stream(name).blocks(500))
    short = make_stream(name, n_examples=500, scale_drifts=False)
    assert short.n_examples == 500
    block = next(short.blocks(500))
    np.testing.assert_array_equal(block.X, whole.X)
    np.testing.assert_array_equal(block.y, whole.y)


def test_with_scaled_drifts_a_short_stream_keeps_them():
    assert make_stream("led_a", n_examples=1000).schema.drifts == (250, 500, 750)
