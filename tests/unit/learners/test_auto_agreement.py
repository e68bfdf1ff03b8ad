"""The learner that needs no tuning agrees with the plain reference to the last bit."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.learners.auto_agreement import (
    AutoCase,
    assert_agree,
    assert_agree_after_forgetting,
    learn,
    predict,
    state_of,
    state_of_reference,
)
from tests.unit.learners.streams import TARGETS, WILD_TARGETS, rows, tries

# From the fewest bytes that will do to enough for all companions and hundreds of examples.
SPARE_BYTES = st.sampled_from([0, 0, 1, 100, 400, 1000, 3000, 10_000, 100_000])
SEEDS = st.sampled_from([0, 1, 2**64 - 1])
KINDS = st.lists(st.booleans(), min_size=0, max_size=4).map(tuple)


@st.composite
def auto_cases(draw, labels: st.SearchStrategy, n_classes: int | None) -> AutoCase:
    """Short streams full of edges."""
    nominal = draw(KINDS)
    length = draw(st.sampled_from([1, 2, 8, 20, 40]))
    examples = draw(st.lists(st.tuples(rows(nominal), labels), min_size=length, max_size=length))
    recalls = draw(st.sampled_from([True, True, False]))
    return AutoCase(draw(SPARE_BYTES), nominal, n_classes, examples, draw(SEEDS), recalls)


@st.composite
def class_cases(draw) -> AutoCase:
    """Streams of one to five classes, or of more than a leaf counts."""
    n_classes = draw(st.sampled_from([1, 2, 3, 4, 5, 9, 12]))
    return draw(auto_cases(st.integers(0, n_classes - 1), n_classes))


@tries(100)
@given(class_cases())
def test_classifier_agrees_with_the_reference(case):
    assert_agree(case)


@tries(60)
@given(auto_cases(TARGETS, None))
def test_regressor_agrees_with_the_reference(case):
    assert_agree(case)


@tries(60)
@given(auto_cases(WILD_TARGETS, None))
def test_regressor_agrees_on_targets_of_wild_magnitude(case):
    assert_agree(case)


@tries(20)
@given(class_cases())
def test_classifier_agrees_on_constant_features(case):
    first = case.examples[0][0]
    assert_agree(replace(case, examples=[(first, y) for _, y in case.examples]))


MOMENTS = st.sets(st.integers(1, 40), max_size=6)


@tries(60)
@given(class_cases(), MOMENTS)
def test_classifier_agrees_after_forgetting(case, moments):
    assert_agree_after_forgetting(case, moments)


@tries(20)
@given(auto_cases(TARGETS, None), MOMENTS)
def test_regressor_agrees_after_forgetting(case, moments):
    assert_agree_after_forgetting(case, moments)


@pytest.mark.parametrize("n_classes", [3, None])
def test_a_long_stream_agrees_after_forgetting(n_classes):
    case = long_case(n_classes, 4000, 160)
    for x, _ in case.examples[60:]:
        x[0] = x[1] = math.nan  # no longer present
    assert_agree_after_forgetting(case, range(20, 160, 7))


def test_a_long_stream_agrees_after_forgetting_a_class_that_is_not_in_the_window():
    case = long_case(3, 4000, 160)
    examples = [(x, y % 2) for x, y in case.examples]
    assert_agree_after_forgetting(replace(case, examples=examples), range(20, 160, 7))


NOMINAL = (False, True, False, False)


def long_case(n_classes: int | None, spare_bytes: int, n_examples: int) -> AutoCase:
    """A drifting stream with noise: a number, a category, a bit, a number with gaps."""
    draw = random.Random(n_examples)
    examples = []
    for t in range(n_examples):
        x = [draw.random(), float(draw.randrange(6)), float(draw.random() < 0.3), draw.gauss(0, 3)]
        z = x[0] * 3 + (x[1] == 2.0) - x[2] + (draw.random() < 0.1)
        z = -z if t > n_examples // 2 else z
        if draw.random() < 0.3:
            x[3] = math.nan
        examples.append((x, z if n_classes is None else math.floor(z) % n_classes))
    return AutoCase(spare_bytes, NOMINAL, n_classes, examples, seed=7)


@pytest.mark.parametrize(
    ("n_classes", "spare_bytes"),
    [(2, 0), (2, 700), (4, 4000), (4, 60_000), (None, 0), (None, 60_000)],
)
def test_learner_agrees_on_a_longer_stream_with_drift(n_classes, spare_bytes):
    # The window is full, leaf caps bind, naive Bayes has scaled its counts back.
    assert_agree(long_case(n_classes, spare_bytes, 260), every=40)


@pytest.mark.parametrize("n_classes", [2, None])
def test_learner_agrees_where_leaves_and_scales_are_full(n_classes):
    # Beyond a thousand examples leaves halve their counts and scales begin to forget. No feature,
    # so that all examples share one leaf.
    draw = random.Random(3)
    examples = [([], draw.gauss(0, 1) if n_classes is None else draw.randrange(2))
                for _ in range(1100)]  # fmt: skip
    assert_agree(AutoCase(0, (), n_classes, examples), every=100)


def test_learner_agrees_where_categories_share_buckets():
    draw = random.Random(4)
    examples = [([float(draw.randrange(500)), float(draw.randrange(500))], draw.randrange(3))
                for _ in range(80)]  # fmt: skip
    assert_agree(AutoCase(0, (True, True), 3, examples), every=10)


def wide_case(n_classes: int | None, n_features: int, n_examples: int) -> AutoCase:
    """A few features of many tell something: a number, a category and one with gaps."""
    draw = random.Random(n_features)
    nominal = tuple(i % 5 == 0 for i in range(n_features))
    examples = []
    for _ in range(n_examples):
        x = [float(draw.randrange(4)) if is_nominal else draw.random() for is_nominal in nominal]
        z = 2 * x[3] + (x[20] == 1.0) + x[7]
        x[7] = math.nan if draw.random() < 0.3 else x[7]
        examples.append((x, z if n_classes is None else math.floor(z) % n_classes))
    return AutoCase(60_000, nominal, n_classes, examples)


@pytest.mark.parametrize("n_classes", [3, None])
@pytest.mark.parametrize("n_features", [32, 33, 70])
def test_learner_agrees_on_wide_rows(n_features, n_classes):
    # Nodes try all features, half of them or the root of their number. Beyond 32 there are
    # favourites, and from 64 examples on the best splits are judged again.
    assert_agree(wide_case(n_classes, n_features, 150), every=30)


def test_learner_agrees_where_many_examples_judge_again():
    # From 288 examples on a jury is as large as it gets, and neighbours have found what tells.
    assert_agree(replace(wide_case(3, 33, 480), spare_bytes=250_000), every=160)


def test_learner_agrees_where_growing_has_to_wait():
    # Labels that nothing tells: shrubs have as many nodes as they may, and the reactive ones of an
    # example are too much for it.
    case = wide_case(2, 70, 200)
    draw = random.Random(9)
    examples = [(x, draw.randrange(2)) for x, _ in case.examples]
    assert_agree(replace(case, examples=examples, spare_bytes=8_000), every=20)


@pytest.mark.parametrize("n_classes", [3, None])
def test_wide_rows_agree_after_forgetting(n_classes):
    case = wide_case(n_classes, 33, 130)
    for x, _ in case.examples[60:]:
        x[0] = x[1] = math.nan
    assert_agree_after_forgetting(case, range(20, 130, 11))


def test_learner_agrees_where_a_class_takes_two_bytes():
    draw = random.Random(6)
    examples = [([draw.random()], draw.choice([0, 255, 256, 299])) for _ in range(24)]
    assert_agree(AutoCase(3000, (False,), 300, examples), every=6)


def test_learner_agrees_where_labels_follow_each_other():
    draw = random.Random(7)
    examples = [([draw.random()], (t + (draw.random() < 0.1)) % 3) for t in range(200)]
    assert_agree(AutoCase(6000, (False,), 3, examples), every=20)


def test_learner_agrees_on_a_random_walk():
    draw, y, examples = random.Random(8), 0.0, []
    for _ in range(200):
        y += draw.gauss(0, 1)
        examples.append(([draw.random()], y))
    assert_agree(AutoCase(6000, (False,), None, examples), every=20)


@pytest.mark.parametrize("n_classes", [3, None])
@pytest.mark.parametrize("delay", [1, 7, 60])
def test_learner_agrees_where_labels_come_late(n_classes, delay):
    case = replace(long_case(n_classes, 12_000, 200), label_delay=delay)
    learner, reference = case.make()
    for t, (x, _) in enumerate(case.examples):
        assert predict(learner, x) == reference.predict(x), t
        if t >= delay:
            then, y = case.examples[t - delay]
            learn(learner, then, y)
            reference.learn(then, y)
    assert state_of(learner) == state_of_reference(reference)
    assert learner.label_delay == delay


@pytest.mark.parametrize("n_classes", [2, None])
def test_learner_agrees_on_a_drift(n_classes):
    draw = random.Random(5)
    examples = []
    for t in range(1200):
        x = [draw.random(), draw.random()]
        z = x[0 if t < 750 else 1]
        examples.append((x, z if n_classes is None else float(z > 0.5)))
    case = AutoCase(20_000, (False, False), n_classes, examples)
    learner, _ = case.make()
    for x, y in examples:
        learn(learner, x, y)
    ((noticed, began, _, before, after),) = learner.drifts()
    assert 745 <= began <= noticed <= 950
    assert before[0][0][0] == 0
    assert after is None or after[0][0][0] == 1
    assert_agree(case, every=300)
