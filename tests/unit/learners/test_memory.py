"""Memory: what is reported, what is planned, and what a limit promises."""

import sys

import numpy as np
import pytest

from shrubs import MemoryReport, PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier
from shrubs.learners._engine.parameters import Shape
from shrubs.learners._memory import parse_memory_limit, size_of

LIMITS = [
    (None, None),
    (2048, 2048),
    (np.int64(2048), 2048),
    ("512B", 512),
    ("64KB", 65_536),
    ("64kb", 65_536),
    (" 64 KB ", 65_536),
    ("1.5MB", 1_572_864),
    ("2GB", 2_147_483_648),
    ("0.5KB", 512),
]


@pytest.mark.parametrize(("limit", "expected"), LIMITS)
def test_a_limit_is_read_in_bytes(limit, expected):
    assert parse_memory_limit(limit) == expected


@pytest.mark.parametrize("limit", ["64", "KB", "64 K B", "-1KB", "1e3KB", "64TB", ""])
def test_a_limit_that_is_no_size_is_refused(limit):
    with pytest.raises(ValueError, match=r"^memory_limit must be bytes or a text such as '64KB'"):
        parse_memory_limit(limit)


def test_a_limit_beyond_all_memory_is_no_limit():
    learner = ShrubClassifier(memory_limit="9" * 400 + "GB").learn_one([1.0], 0)
    assert learner.examples_seen == 1


def test_nothing_is_counted_twice():
    text = "a long text that is shared"
    assert size_of([text, text], (text,)) == size_of([None, None], (None,)) + sys.getsizeof(text)


def test_the_total_of_a_report_is_the_sum_of_its_parts():
    assert MemoryReport(1, 2, 3, 4, 5, 6).total == 21


def test_a_report_is_printed_line_by_line():
    lines = str(MemoryReport(1, 20, 300, 4000, 5, 6)).splitlines()
    assert lines[3] == "caches         4,000 bytes"


@pytest.fixture(params=["classifier", "regressor"])
def learned(request):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 3))
    if request.param == "classifier":
        learner = PaperShrubClassifier(max_shrubs=8, window_size=32)
        return learner.partial_fit(X, (X[:, 0] > 0.5).astype(int))
    return PaperShrubRegressor(max_shrubs=8, window_size=32).partial_fit(X, X[:, 0])


def test_memory_is_the_total_of_the_report(learned):
    assert learned.memory_bytes == learned.memory_report().total


def test_memory_includes_the_core(learned):
    report = learned.memory_report()
    core = report.window + report.shrubs + report.weights + report.caches + report.scratch
    assert core < learned._engine.memory_bytes <= learned.memory_bytes


def test_memory_of_the_core_is_what_it_planned(learned):
    plan = learned._owner.parameters.plan(Shape(bytes(3), 0 if learned._regression else 2))
    assert sum(plan.values()) == learned._engine.memory_bytes


def test_the_window_takes_four_bytes_per_value(learned):
    # 32 examples of 3 values in single precision, plus labels and the kinds of the features.
    labels = 32 * (8 if learned._regression else 2)
    assert learned.memory_report().window == pytest.approx(32 * 3 * 4 + labels, abs=16)


def test_a_new_learner_takes_only_its_parameters():
    report = ShrubClassifier().memory_report()
    assert (report.window, report.shrubs, report.weights, report.caches) == (0, 0, 0, 0)


STEP = 32  # tables grow by so many bytes at least


def test_names_count():
    def learner(name):
        return PaperShrubClassifier(max_shrubs=2, window_size=4).learn_one({name: 1.0}, 0)

    assert learner("a" * 1000).memory_bytes - learner("a").memory_bytes >= 999 - STEP


def test_labels_count():
    def learner(label):
        return PaperShrubClassifier(max_shrubs=2, window_size=4).learn_one({"a": 1.0}, label)

    assert learner("b" * 1000).memory_bytes - learner("b").memory_bytes >= 999 - STEP


def test_categories_count():
    def learner(category):
        return PaperShrubClassifier(max_shrubs=2, window_size=4).learn_one({"a": category}, 0)

    assert learner("c" * 1000).memory_bytes - learner("c").memory_bytes >= 999 - STEP


def test_memory_is_constant_from_the_first_example_on():
    learner = PaperShrubClassifier(max_shrubs=4, window_size=16)
    rng = np.random.default_rng(1)
    learner.partial_fit(rng.uniform(size=(1, 2)), [0], classes=[0, 1])
    sizes = set()
    for x in rng.uniform(size=(200, 2)):
        sizes.add(learner.learn_one(x, int(x[0] > 0.5)).memory_bytes)
    assert len(sizes) == 1


def test_thirty_two_shrubs_of_depth_six_on_64_examples_fit_into_32_kilobytes():
    # The configuration that the project promises for small devices: everything counted.
    learner = PaperShrubClassifier(max_shrubs=32, window_size=64, max_depth=6, memory_limit="32KB")
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(500, 8))
    learner.partial_fit(X, (X[:, 0] > 0.5).astype(int))
    assert learner.memory_bytes <= 32 * 1024


SMALL = {"max_shrubs": 32, "window_size": 64, "splitter": "best", "memory_limit": "32KB"}


def test_caches_are_left_out_where_the_limit_has_no_room_for_them():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(500, 8))
    y = (X[:, 0] > 0.5).astype(int)
    learner = PaperShrubClassifier(**SMALL, seed=1).partial_fit(X, y)
    assert learner.memory_bytes <= 32 * 1024
    assert learner.plan(n_features=8).total <= 32 * 1024
    same = PaperShrubClassifier(**SMALL | {"memory_limit": None}, cache="all", seed=1).partial_fit(
        X, y
    )
    assert same.memory_bytes > 32 * 1024
    np.testing.assert_array_equal(learner.predict_proba(X), same.predict_proba(X))
    loaded = PaperShrubClassifier.from_bytes(learner.to_bytes())
    assert loaded.cache == "auto"
    assert loaded.partial_fit(X, y).memory_report().caches == learner.memory_report().caches
    assert loaded.memory_bytes <= 32 * 1024


def test_who_insists_on_caches_without_room_is_told_how_to_do_without():
    with pytest.raises(ValueError, match=r'or say cache="auto"$'):
        PaperShrubClassifier(**SMALL, cache="all").partial_fit(np.zeros((2, 8)), [0, 1])


def test_caches_go_when_new_classes_need_their_room():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(900, 8))
    y = np.minimum((X[:, 0] * 30).astype(int), np.arange(900) // 30)
    parameters = {"max_shrubs": 8, "window_size": 200, "splitter": "best", "seed": 1}
    plans = [PaperShrubClassifier(**parameters, cache=cache) for cache in ("auto", "none")]
    least = plans[1].plan(n_features=8, n_classes=30).total
    limit = max(plans[0].plan(n_features=8, n_classes=2).total, least) + 4000
    assert plans[0].plan(n_features=8, n_classes=30).total > limit
    learner = PaperShrubClassifier(**parameters, memory_limit=limit)
    roomy = PaperShrubClassifier(**parameters, cache="none")
    caches = []
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        learner.learn_one(x, label)
        roomy.learn_one(x, label)
        assert learner.memory_bytes <= limit
        caches.append(learner.memory_report().caches)
    assert max(caches) > caches[-1] == roomy.memory_report().caches
    np.testing.assert_array_equal(learner.predict_proba(X), roomy.predict_proba(X))


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("loss", ["mse", "cross_entropy"])
@pytest.mark.parametrize("n_classes", [2, 40])
def test_a_plan_is_kept_whatever_the_parameters(splitter, loss, n_classes):
    learner = PaperShrubClassifier(
        max_shrubs=5, window_size=20, splitter=splitter, loss=loss, step_size=9
    )
    plan = learner.plan(n_features=4, n_classes=n_classes)
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(100, 4)), np.arange(100) % n_classes
    report = learner.partial_fit(X, y).memory_report()
    assert report.total - report.tables == plan.total - plan.tables


def test_a_plan_for_more_features_is_larger():
    learner = PaperShrubClassifier(max_shrubs=5, window_size=20)
    sizes = [learner.plan(n_features=d, n_classes=2).total for d in (1, 8, 64, 65, 90)]
    assert sizes == sorted(sizes)


def test_a_plan_for_more_classes_is_not_smaller():
    learner = PaperShrubClassifier(max_shrubs=5, window_size=20)
    sizes = [learner.plan(n_features=3, n_classes=c).total for c in (1, 2, 3, 5, 9, 99)]
    assert sizes == sorted(sizes)


def test_a_snapshot_is_smaller_than_its_learner(learned):
    assert learned.snapshot().memory_bytes < learned.memory_bytes
