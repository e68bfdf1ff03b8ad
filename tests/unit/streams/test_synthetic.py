"""The generators: bit for bit as their references, and as they are defined."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shrubs.protocols import Stream
from shrubs.streams import LED, SEA, Agrawal, Hyperplane, RandomRBF, Sine
from tests.reference import agrawal, led
from tests.reference.agrawal import Applicant, ReferenceAgrawal
from tests.reference.hyperplane import ReferenceHyperplane
from tests.reference.led import SEGMENTS, ReferenceLED
from tests.reference.random_numbers import Random
from tests.reference.random_rbf import ReferenceRandomRBF
from tests.reference.sea import THRESHOLDS, ReferenceSEA
from tests.reference.sine import ReferenceSine

seeds = st.integers(0, 2**64 - 1)
fractions = st.floats(0.0, 1.0)
EVERY = [Agrawal, LED, RandomRBF, SEA, Hyperplane, Sine]


def read(stream: Stream, size: int = 1000) -> tuple[NDArray[np.float32], NDArray[Any]]:
    blocks = list(stream.blocks(size))
    return np.concatenate([b.X for b in blocks]), np.concatenate([b.y for b in blocks])


def assert_same(
    stream: Stream,
    draw: Callable[[], tuple[list[float], int]],
    encode: Callable[[list[float]], list[float]] = list,
) -> None:
    X, y = read(stream, 7)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        features, expected = draw()
        assert (row, label) == (encode(features), expected)


@given(seeds, st.integers(1, 10), fractions, st.booleans(), st.booleans())
def test_agrawal_agrees_with_reference(
    seed: int, function: int, perturbation: float, balance: bool, one_hot: bool
) -> None:
    stream = Agrawal(
        n_examples=20,
        seed=seed,
        function=function,
        perturbation=perturbation,
        balance=balance,
        one_hot=one_hot,
    )
    reference = ReferenceAgrawal(seed, function, perturbation, balance)
    assert_same(stream, reference.next, agrawal.one_hot if one_hot else list)


@given(seeds, st.integers(0, 7), fractions, st.booleans())
def test_led_agrees_with_reference(seed: int, n_drift: int, noise: float, one_hot: bool) -> None:
    stream = LED(n_examples=30, seed=seed, n_drift_features=n_drift, noise=noise, one_hot=one_hot)
    assert_same(stream, ReferenceLED(seed, n_drift, noise).next, led.one_hot if one_hot else list)


rbf_options = st.integers(1, 9).flatmap(
    lambda n_centroids: st.fixed_dictionaries(
        {
            "seed": seeds,
            "model_seed": seeds,
            "n_features": st.integers(1, 6),
            "n_classes": st.integers(2, 4),
            "n_centroids": st.just(n_centroids),
            "n_drift_centroids": st.integers(0, n_centroids),
            "speed": st.sampled_from([0.0, 0.0001, 0.03, 0.5, 1.0]) | fractions,
        }
    )
)


@given(rbf_options)
def test_rbf_agrees_with_reference(options: dict[str, Any]) -> None:
    assert_same(RandomRBF(n_examples=80, **options), ReferenceRandomRBF(**options).next)


def test_rbf_agrees_with_reference_over_many_turns_of_the_centroids() -> None:
    # 0.02 * 3000 / sqrt(3): each coordinate crosses the cube about 30 times.
    options: dict[str, Any] = {"n_features": 3, "n_centroids": 8, "n_classes": 5, "speed": 0.02}
    stream = RandomRBF(n_examples=3_000, **options)
    reference = ReferenceRandomRBF(1, 1, n_drift_centroids=8, **options)
    assert_same(stream, reference.next)


@given(seeds, st.integers(1, 4), fractions, st.booleans())
def test_sea_agrees_with_reference(seed: int, function: int, noise: float, balance: bool) -> None:
    stream = SEA(n_examples=30, seed=seed, function=function, noise=noise, balance=balance)
    assert_same(stream, ReferenceSEA(seed, function, noise, balance).next)


hyperplane_options = st.integers(1, 12).flatmap(
    lambda n_features: st.fixed_dictionaries(
        {
            "seed": seeds,
            "n_features": st.just(n_features),
            "n_drift_features": st.integers(0, n_features),
            "magnitude": fractions,
            "noise": fractions,
            "reversal": fractions,
        }
    )
)


@given(hyperplane_options)
def test_hyperplane_agrees_with_reference(options: dict[str, Any]) -> None:
    assert_same(Hyperplane(n_examples=30, **options), ReferenceHyperplane(**options).next)


@given(seeds, st.integers(1, 4), st.booleans(), st.booleans())
def test_sine_agrees_with_reference(
    seed: int, function: int, irrelevant_features: bool, balance: bool
) -> None:
    stream = Sine(
        n_examples=30,
        seed=seed,
        function=function,
        irrelevant_features=irrelevant_features,
        balance=balance,
    )
    assert_same(stream, ReferenceSine(seed, function, irrelevant_features, balance).next)


@pytest.mark.parametrize("kind", EVERY)
def test_stream_keeps_the_protocol(kind: type) -> None:
    stream = kind(n_examples=10)
    assert isinstance(stream, Stream)
    X, y = read(stream)
    assert X.shape == (10, stream.schema.n_features)
    assert X.dtype == np.float32
    assert y.dtype == np.int64
    assert set(y) <= set(range(stream.schema.n_classes))


@pytest.mark.parametrize("kind", EVERY)
def test_second_reading_gives_the_same_examples(kind: type) -> None:
    stream = kind(n_examples=2_500)
    for once, again in zip(read(stream), read(stream), strict=True):
        np.testing.assert_array_equal(once, again)


@pytest.mark.parametrize("kind", EVERY)
@settings(max_examples=15)
@given(size=st.integers(1, 600))
def test_block_size_does_not_matter(kind: type, size: int) -> None:
    stream = kind(n_examples=500)
    for whole, parts in zip(read(stream), read(stream, size), strict=True):
        np.testing.assert_array_equal(whole, parts)


@pytest.mark.parametrize("kind", EVERY)
def test_two_readers_do_not_disturb_each_other(kind: type) -> None:
    stream = kind(n_examples=64)
    for a, b in zip(stream.blocks(8), stream.blocks(8), strict=True):
        np.testing.assert_array_equal(a.X, b.X)


@pytest.mark.parametrize("kind", EVERY)
def test_longer_stream_begins_with_the_shorter_one(kind: type) -> None:
    short, _ = read(kind(n_examples=100))
    long, _ = read(kind(n_examples=300))
    np.testing.assert_array_equal(short, long[:100])


@pytest.mark.parametrize("kind", EVERY)
def test_other_seeds_give_other_examples(kind: type) -> None:
    assert not np.array_equal(read(kind(n_examples=50))[0], read(kind(n_examples=50, seed=2))[0])


@pytest.mark.parametrize("kind", EVERY)
def test_empty_stream_has_no_blocks(kind: type) -> None:
    assert list(kind(n_examples=0).blocks()) == []


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Agrawal(function=11), "function must be from 1 to 10, got 11"),
        (lambda: SEA(function=0), "function must be from 1 to 4, got 0"),
        (lambda: LED(n_drift_features=8), "n_drift_features must be from 0 to 7, got 8"),
        (lambda: LED(noise=1.5), r"noise must be from 0 to 1, got 1\.5"),
        (lambda: SEA(noise=float("nan")), "noise must be from 0 to 1, got nan"),
        (lambda: SEA(seed=-1), "seed must be from 0 to 18446744073709551615, got -1"),
        (lambda: SEA(seed=2**64), "seed must be from 0 to 18446744073709551615, got 1844"),
        (lambda: RandomRBF(speed=-0.1), r"speed must be from 0 to 1, got -0\.1"),
        (lambda: RandomRBF(n_classes=1), "n_classes must be from 2 to 65535, got 1"),
        (
            lambda: RandomRBF(n_centroids=5, n_drift_centroids=6),
            "n_drift_centroids must be from 0 to 5, got 6",
        ),
        (
            lambda: Hyperplane(n_features=3, n_drift_features=4),
            "n_drift_features must be from 0 to 3, got 4",
        ),
        (lambda: Sine(n_examples=-1), "n_examples must be from 0 to 4503599627370496, got -1"),
        (lambda: Sine().blocks(0), "size must be at least 1, got 0"),
    ],
)
def test_values_out_of_range_are_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        build()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Agrawal(function=1.5), r"function must be an integer, got 1\.5"),
        (lambda: Agrawal(perturbation="much"), "perturbation must be a number, got 'much'"),
    ],
)
def test_values_of_another_type_are_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        build()


def applicants(X: NDArray[np.float32]) -> list[Applicant]:
    return [
        Applicant(
            salary=row[0],
            commission=row[1],
            age=int(row[2]),
            education=int(row[3]),
            car=int(row[4]),
            zip_code=int(row[5]),
            house_value=row[6],
            years=int(row[7]),
            loan=row[8],
        )
        for row in X.tolist()
    ]


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawal_labels_follow_the_rule(function: int) -> None:
    # Features are rounded to single precision after labelling: allow one such case.
    X, y = read(Agrawal(n_examples=3_000, function=function, perturbation=0))
    labels = [agrawal.label_of(function, applicant) for applicant in applicants(X)]
    assert np.sum(labels != y) <= 1
    assert set(labels) == {0, 1}


def test_agrawal_marginals_are_as_defined() -> None:
    X, _ = read(Agrawal(n_examples=200_000, perturbation=0))
    salary, commission, age, education, car, zip_code, house_value, years, loan = X.T.astype(float)
    assert salary.min() >= 20_000
    assert salary.max() <= 150_000
    assert salary.mean() == pytest.approx(85_000, rel=0.01)
    assert np.all(commission[salary >= 75_000] == 0)
    paid = commission[salary < 75_000]
    assert (paid.min(), paid.max()) == pytest.approx((10_000, 75_000), rel=0.01)
    for values, expected in [
        (age, range(20, 81)),
        (education, range(5)),
        (car, range(20)),
        (zip_code, range(9)),
        (years, range(1, 31)),
    ]:
        found, counts = np.unique(values, return_counts=True)
        np.testing.assert_array_equal(found, list(expected))
        np.testing.assert_allclose(counts / len(values), 1 / len(expected), rtol=0.08)
    part = house_value / ((9 - zip_code) * 100_000)
    assert (part.min(), part.max()) == pytest.approx((0.5, 1.5), abs=0.001)
    assert loan.mean() == pytest.approx(250_000, rel=0.01)


def test_agrawal_perturbation_keeps_numbers_in_their_ranges() -> None:
    X, _ = read(Agrawal(n_examples=50_000, perturbation=1.0))
    ranges = [(20_000, 150_000), (0, 75_000), (20, 80), (0, 135_000), (1, 30), (0, 500_000)]
    for column, (low, high) in zip((0, 1, 2, 6, 7, 8), ranges, strict=True):
        assert (X[:, column].min(), X[:, column].max()) == (low, high)
    assert np.all((X[:, 1] == 0) | (X[:, 1] >= 10_000))


def test_agrawal_perturbation_moves_loans_by_a_part_of_their_range() -> None:
    # Both streams draw the same first applicant; only the loan's own noise differs.
    plain = [read(Agrawal(n_examples=1, seed=s, perturbation=0))[0][0, 8] for s in range(2_000)]
    moved = [read(Agrawal(n_examples=1, seed=s))[0][0, 8] for s in range(2_000)]
    distance = np.abs(np.subtract(moved, plain))
    assert distance.max() <= 25_000 + 1
    assert distance.mean() == pytest.approx(12_500, rel=0.06)


@pytest.mark.parametrize("kind", [Agrawal, SEA, Sine])
def test_balanced_classes_alternate_and_begin_with_the_second(kind: type) -> None:
    options = {"noise": 0.0} if kind is SEA else {}
    _, y = read(kind(n_examples=101, balance=True, **options))
    assert y[0] == 1
    assert all(a != b for a, b in pairwise(y))


def test_led_without_noise_shows_the_digit() -> None:
    X, y = read(LED(n_examples=2_000, noise=0))
    for row, digit in zip(X[:, :7].astype(int), y, strict=True):
        assert "".join(map(str, row)) == SEGMENTS[digit]


def test_led_drift_swaps_segments_with_irrelevant_bits() -> None:
    plain, _ = read(LED(n_examples=1_000))
    drifted, _ = read(LED(n_examples=1_000, n_drift_features=3))
    order = [7, 8, 9, 3, 4, 5, 6, 0, 1, 2, *range(10, 24)]
    np.testing.assert_array_equal(drifted, plain[:, order])


def test_led_noise_flips_each_segment_at_its_rate() -> None:
    X, y = read(LED(n_examples=200_000, noise=0.1))
    shown = np.array([[int(s) for s in segments] for segments in SEGMENTS])[y]
    np.testing.assert_allclose((X[:, :7] != shown).mean(axis=0), 0.1, atol=0.003)


def test_led_irrelevant_bits_are_fair_coins() -> None:
    X, y = read(LED(n_examples=200_000))
    np.testing.assert_allclose(X[:, 7:].mean(axis=0), 0.5, atol=0.005)
    np.testing.assert_allclose(np.bincount(y) / len(y), 0.1, atol=0.003)
    correlation = np.corrcoef(X[:, 7:].T)
    assert np.abs(correlation - np.eye(17)).max() < 0.015


def test_led_optimum_is_about_74_percent() -> None:
    # Bayes: the digit whose segments differ least from those shown; all are equally likely.
    X, y = read(LED(n_examples=100_000))
    segments = np.array([[int(s) for s in digit] for digit in SEGMENTS])
    n_different = (X[:, None, :7] != segments[None]).sum(axis=2)
    assert np.mean(n_different.argmin(axis=1) == y) == pytest.approx(0.74, abs=0.005)


def test_rbf_classes_and_centroids_come_from_the_model_seed() -> None:
    counts = [
        np.bincount(read(RandomRBF(n_examples=20_000, n_classes=5, seed=seed))[1], minlength=5)
        for seed in (1, 2)
    ]
    np.testing.assert_allclose(counts[0] / 20_000, counts[1] / 20_000, atol=0.02)


def test_rbf_distances_are_normal_times_the_deviation() -> None:
    # One centroid at rest: all examples lie around it, and its deviation is below 1.
    X, _ = read(RandomRBF(n_examples=100_000, n_centroids=1))
    distance = np.linalg.norm(X - X.mean(axis=0), axis=1)
    deviation = np.sqrt(np.mean(distance**2))
    assert deviation < 1
    # Half of the normal distribution lies within 0.6745 deviations.
    assert np.median(distance) / deviation == pytest.approx(0.6745, abs=0.01)


def test_rbf_centroids_move_at_their_speed_and_turn_round() -> None:
    # One centroid on a line, 1/64 per example: 65 steps from wall to wall, since the step that
    # would pass the wall ends there.
    X, _ = read(RandomRBF(n_examples=130_000, n_features=1, n_centroids=1, speed=1 / 64))
    path = X[:, 0].reshape(-1, 130).mean(axis=0)  # 1,000 examples at each place
    assert (path.min(), path.max()) == pytest.approx((0.0, 1.0), abs=0.1)
    distance = np.abs(path[:, None] - path[None, :])
    turn = int(path.argmax())
    for k in (10, 20, 30):
        assert distance[turn, (turn + k) % 130] == pytest.approx(k / 64, abs=0.15)
        assert distance[turn, (turn - k) % 130] == pytest.approx(k / 64, abs=0.15)


@pytest.mark.parametrize("function", [1, 2, 3, 4])
def test_sea_labels_follow_the_threshold(function: int) -> None:
    X, y = read(SEA(n_examples=20_000, function=function, noise=0))
    total = X[:, 0].astype(float) + X[:, 1]
    is_clear = np.abs(total - THRESHOLDS[function - 1]) > 1e-5
    np.testing.assert_array_equal((total > THRESHOLDS[function - 1])[is_clear], y[is_clear])


@pytest.mark.parametrize("kind", [SEA, Hyperplane])
def test_label_noise_flips_labels_at_its_rate(kind: type) -> None:
    X, clean = read(kind(n_examples=50_000, noise=0))
    noisy_X, noisy = read(kind(n_examples=50_000, noise=0.2))
    np.testing.assert_array_equal(X, noisy_X)
    assert np.mean(clean != noisy) == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize("magnitude", [0.0, 0.001])
def test_hyperplane_rotates_by_its_magnitude(magnitude: float) -> None:
    # The weights are the first draws; without reversals the first two grow with every example.
    n = 5_000
    X, y = read(Hyperplane(n_examples=n, magnitude=magnitude, reversal=0, noise=0))
    random = Random(1, 0)
    weights = np.tile([random.uniform() for _ in range(10)], (n, 1))
    weights[:, :2] += magnitude * np.arange(n)[:, None]
    margin = np.sum(weights * (X - 0.5), axis=1)
    is_clear = np.abs(margin) > 1e-5
    np.testing.assert_array_equal((margin > 0)[is_clear], (y == 1)[is_clear])


@pytest.mark.parametrize("function", [1, 2, 3, 4])
def test_sine_labels_follow_the_curve(function: int) -> None:
    X, y = read(Sine(n_examples=20_000, function=function))
    a, b = X[:, 0].astype(float), X[:, 1].astype(float)
    curve = np.sin(a) if function <= 2 else 0.5 + 0.3 * np.sin(3 * np.pi * a)
    is_clear = np.abs(b - curve) > 1e-5
    is_positive = (b < curve) == (function % 2 == 1)
    np.testing.assert_array_equal(is_positive[is_clear], (y == 0)[is_clear])
