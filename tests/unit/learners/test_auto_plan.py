"""How the learner that needs no tuning divides its memory: what any plan must keep."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shrubs import _core
from tests.unit.learners.streams import tries

SHORTEST, LONGEST = 16, 16_384
SHORTEST_SMALL, MOST_SMALL_LEAVES = 8, 8
REACTIVE = [8, 16, 32, 64]
KB = 1024


@st.composite
def shapes(draw):
    """(regression, n_classes, nominal), small and large."""
    regression = draw(st.booleans())
    n_classes = 0 if regression else draw(st.sampled_from([1, 2, 3, 6, 8, 20, 150, 3000]))
    n_features = draw(st.sampled_from([0, 1, 3, 10, 20, 50, 100, 700]))
    n_nominal = draw(st.sampled_from([0, 1, n_features // 2, n_features]))
    n_nominal = min(n_nominal, n_features)
    return regression, n_classes, bytes(n_features - n_nominal) + b"\1" * n_nominal


def task(regression):
    return _core.Task.regression if regression else _core.Task.classification


def layout(shape, arena_bytes):
    regression, n_classes, nominal = shape
    return _core.auto_layout(task(regression), arena_bytes, n_classes, nominal)


def smallest(shape):
    return _core.smallest_auto_arena(task(shape[0]), *shape[1:])


SPARE = st.one_of(st.integers(0, 20 * KB), st.integers(0, 8 * KB * KB))


@tries(300)
@given(shapes(), SPARE)
@example((False, 8, bytes(19) + b"\1"), 15_268)  # shrubs that end between two words
def test_a_plan_takes_no_more_than_the_arena(shape, spare):
    arena_bytes = smallest(shape) + spare
    assert layout(shape, arena_bytes)["total_bytes"] <= arena_bytes


@tries(300)
@given(shapes(), SPARE)
def test_every_shrub_of_a_plan_has_bytes_of_its_own(shape, spare):
    regression, n_classes, nominal = shape
    plan = layout(shape, smallest(shape) + spare)
    end = 0
    counts = n_classes if n_classes <= 6 else 6 if n_classes <= 256 else 9
    for (_, n_places, max_leaves, *_), (offset, stride) in zip(
        plan["groups"], plan["shrubs"], strict=True
    ):
        node_bytes = 6 if max_leaves <= 256 and len(nominal) + 2 <= 64 else 8
        leaf_bytes = 10 if regression else counts
        assert stride == (max_leaves - 1) * node_bytes + max_leaves * leaf_bytes
        assert offset == end
        end = offset + n_places * stride
    assert end == plan["shrub_bytes"]


@tries(300)
@given(shapes(), SPARE)
def test_windows_grow_up_to_all_that_is_kept(shape, spare):
    plan = layout(shape, smallest(shape) + spare)
    kept = plan["window_size"]
    groups = plan["groups"]
    if plan["is_small"]:
        (length, n_places, _, *kinds), (reacting, one, _, *others) = groups
        assert (length, reacting) == (kept, min(kept, 16))
        assert kept >= SHORTEST_SMALL
        assert n_places in range(1, 5)
        assert (one, kinds, others) == (1, [False, False], [True, False])
        return
    assert SHORTEST <= kept <= LONGEST
    lengths = [length for length, *_, reactive, recalls in groups if not reactive and not recalls]
    recalling = [length for length, *_, recalls in groups if recalls]
    possible = []
    for factor in (1, 2):  # by two or, where shrubs would be too small, by four
        possible_lengths = [2**i for i in range(4, 15, factor) if 3 * 2**i <= 2 * kept] + [kept]
        possible.append((possible_lengths, [n for n in possible_lengths if n >= 32]))
    assert (lengths, recalling) in possible
    reactive = [length for length, *_, reactive, _ in groups if reactive]
    assert reactive == [min(length, kept) for length in REACTIVE]


@tries(300)
@given(shapes(), SPARE)
def test_shrubs_of_a_plan_are_at_least_stumps(shape, spare):
    plan = layout(shape, smallest(shape) + spare)
    largest = max(max_leaves for _, _, max_leaves, *_ in plan["groups"])
    for length, _, max_leaves, *_ in plan["groups"]:
        assert max_leaves == min(length, largest)
        assert max_leaves >= 2
        assert max_leaves <= MOST_SMALL_LEAVES or not plan["is_small"]


@tries(300)
@given(shapes(), SPARE)
def test_buckets_are_a_power_of_two_and_only_for_categories(shape, spare):
    n_buckets = layout(shape, smallest(shape) + spare)["n_buckets"]
    if any(shape[2]):
        assert n_buckets == 2 ** int(math.log2(n_buckets)) <= 4096
    else:
        assert n_buckets == 0


@tries(200)
@given(shapes(), st.integers(1, 20 * KB))
def test_less_than_the_smallest_memory_has_no_plan(shape, missing):
    assert layout(shape, max(smallest(shape) - missing, 0))["window_size"] == 0
    assert layout(shape, smallest(shape) - 1)["window_size"] == 0


@tries(400)
@given(shapes(), SPARE)
def test_more_than_the_smallest_memory_has_a_plan(shape, spare):
    assert layout(shape, smallest(shape) + spare)["window_size"] > 0


@tries(200)
@given(shapes(), SPARE, st.integers(1, 100 * KB))
def test_more_memory_keeps_no_less_beside_the_same_companions_drifts_and_small_shrubs(
    shape, spare, more
):
    plan, larger = (layout(shape, smallest(shape) + s) for s in (spare, spare + more))
    alike = ("companions", "n_buckets", "n_drifts", "is_small")
    shrubs = [[group[1] for group in each["groups"]] for each in (plan, larger)]
    is_more = plan["is_small"] and shrubs[0] != shrubs[1]
    if all(plan[name] == larger[name] for name in alike) and not is_more:
        assert larger["window_size"] >= plan["window_size"]


@tries(100)
@given(shapes())
def test_the_smallest_memory_has_no_companions(shape):
    # Without one, fewer bytes would have done. Two take no room worth saying.
    assert set(layout(shape, smallest(shape))["companions"]) <= {"no change", "trend"}


@pytest.mark.parametrize("regression", [False, True])
def test_a_megabyte_for_few_features_has_all_companions(regression):
    plan = layout((regression, 0 if regression else 2, bytes(10)), 1024 * KB)
    bayes = ["naive Bayes, slow to forget", "naive Bayes, quick to forget"]
    follows = [f"what follows {labels}" for labels in ("a label", "two labels", "three labels")]
    before = ["no change", *(["trend"] if regression else follows)]
    near = [] if regression else ["nearest neighbours"]
    assert plan["companions"] == [*([] if regression else bayes), "linear model", *near, *before]
