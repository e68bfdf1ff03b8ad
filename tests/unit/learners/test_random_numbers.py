"""The one random generator: the core, its reference, and published numbers of splitmix64."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs._core import Random
from tests import reference
from tests.reference.random_numbers import mix

SEEDS = st.one_of(st.sampled_from([0, 1, 2**63, 2**64 - 1]), st.integers(0, 2**64 - 1))
GOLDEN = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def splitmix64(seed, count):
    """The first numbers after a seed, as Vigna published it."""
    numbers = []
    for _ in range(count):
        seed = (seed + GOLDEN) & MASK
        numbers.append(mix(seed))
    return numbers


def test_the_mixing_gives_the_published_numbers_of_seed_0():
    # The first outputs of Vigna's splitmix64.c (and of Java's SplittableRandom) for seed 0.
    assert splitmix64(0, 3) == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_the_mixing_gives_the_published_numbers_of_seed_1234567():
    assert splitmix64(1234567, 5) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(SEEDS, SEEDS)
def test_the_core_draws_splitmix64_from_a_state_mixed_of_seed_and_index(seed, index):
    random = Random(seed, index)
    state = mix((mix(seed) + index) & MASK)
    assert [random.next() for _ in range(5)] == splitmix64(state, 5)


@given(SEEDS, SEEDS)
def test_integers_agree_with_the_reference(seed, index):
    core, plain = Random(seed, index), reference.Random(seed, index)
    assert [core.next() for _ in range(5)] == [plain.next() for _ in range(5)]


@given(SEEDS, SEEDS)
def test_uniform_numbers_agree_with_the_reference(seed, index):
    core, plain = Random(seed, index), reference.Random(seed, index)
    assert [core.uniform() for _ in range(5)] == [plain.uniform() for _ in range(5)]


@given(SEEDS, SEEDS, st.integers(1, 2**32 - 1))
def test_bounded_integers_agree_with_the_reference(seed, index, n):
    core, plain = Random(seed, index), reference.Random(seed, index)
    assert [core.below(n) for _ in range(5)] == [plain.below(n) for _ in range(5)]


@given(SEEDS, SEEDS)
def test_uniform_numbers_are_at_least_zero_and_below_one(seed, index):
    random = Random(seed, index)
    assert all(0.0 <= random.uniform() < 1.0 for _ in range(20))


@given(SEEDS, SEEDS, st.integers(1, 2**32 - 1))
def test_bounded_integers_are_below_their_bound(seed, index, n):
    random = Random(seed, index)
    assert all(0 <= random.below(n) < n for _ in range(20))


@pytest.mark.parametrize("n", [2, 3, 10])
def test_bounded_integers_are_spread_evenly(n):
    random = Random(7, 0)
    counts = [0] * n
    for _ in range(10_000):
        counts[random.below(n)] += 1
    # The standard deviation of a count is at most sqrt(10,000 / 4) = 50; five of them are 250.
    assert max(abs(count - 10_000 / n) for count in counts) < 250


def test_examples_next_to_each_other_have_different_numbers():
    assert len({Random(0, index).next() for index in range(1000)}) == 1000


def test_seeds_next_to_each_other_have_different_numbers():
    assert len({Random(seed, 0).next() for seed in range(1000)}) == 1000
