"""Our generators against MOA's own: other random numbers, the same distributions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from shrubs.adapters import moa_jvm
from shrubs.protocols import Stream
from shrubs.streams import LED, SEA, Agrawal, Hyperplane, RandomRBF, Sine, join
from tests.reference import agrawal, sine
from tests.reference.agrawal import Applicant
from tests.reference.led import SEGMENTS
from tests.reference.sea import THRESHOLDS

Examples = tuple[NDArray[np.float64], NDArray[np.int64]]
Draw = Callable[[str, int], Examples]

UNLIKELY = 1e-4  # a p-value below this speaks against the same distribution


@pytest.fixture(scope="module")
def moa() -> Draw:
    """Draws examples from a MOA stream given by its class name and options."""
    try:
        moa_jvm.start()
    except ImportError as error:
        pytest.skip(str(error))
    option_class = moa_jvm.java_class("com.github.javacliparser.ClassOption")
    stream_class = moa_jvm.java_class("moa.streams.ExampleStream").class_

    def draw(options: str, n: int) -> Examples:
        stream = option_class.cliStringToObject(options, stream_class, None)
        stream.prepareForUse()
        rows = np.array([stream.nextInstance().getData().toDoubleArray() for _ in range(n)])
        return rows[:, :-1], rows[:, -1].astype(np.int64)

    return draw


def ours(stream: Stream, n: int) -> Examples:
    block = next(stream.blocks(n))
    return block.X.astype(np.float64), np.asarray(block.y, dtype=np.int64)


def assert_same_numbers(ours: NDArray[Any], theirs: NDArray[Any]) -> None:
    assert stats.ks_2samp(ours, theirs).pvalue > UNLIKELY


def assert_same_categories(ours: NDArray[Any], theirs: NDArray[Any]) -> None:
    n = int(max(ours.max(), theirs.max())) + 1
    counts = [np.bincount(values.astype(int), minlength=n) for values in (ours, theirs)]
    table = np.array(counts)[:, np.sum(counts, axis=0) > 0]
    assert stats.chi2_contingency(table).pvalue > UNLIKELY


def applicant(row: NDArray[np.float64]) -> Applicant:
    return Applicant(
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


@pytest.mark.parametrize("function", range(1, 11))
def test_our_agrawal_rule_labels_every_example_of_moa(moa: Draw, function: int) -> None:
    X, y = moa(f"generators.AgrawalGenerator -f {function} -p 0", 2_000)
    assert [agrawal.label_of(function, applicant(row)) for row in X] == y.tolist()


@pytest.mark.parametrize("perturbation", [0.0, 0.05, 0.5])
def test_agrawal_features_are_distributed_as_in_moa(moa: Draw, perturbation: float) -> None:
    X, _ = ours(Agrawal(perturbation=perturbation), 20_000)
    theirs, _ = moa(f"generators.AgrawalGenerator -p {perturbation}", 4_000)
    for column in (0, 1, 2, 6, 7, 8):
        assert_same_numbers(X[:, column], theirs[:, column])
    for column in (3, 4, 5):
        assert_same_categories(X[:, column], theirs[:, column])


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawal_classes_are_as_frequent_as_in_moa(moa: Draw, function: int) -> None:
    _, y = ours(Agrawal(function=function), 50_000)
    _, theirs = moa(f"generators.AgrawalGenerator -f {function}", 2_000)
    assert_same_categories(y, theirs)


@pytest.mark.parametrize("kind", ["Agrawal", "SEA", "Sine"])
def test_balanced_classes_come_in_the_order_of_moa(moa: Draw, kind: str) -> None:
    stream = {"Agrawal": Agrawal, "SEA": SEA, "Sine": Sine}[kind]
    options = {"noise": 0.0} if kind == "SEA" else {}
    _, y = ours(stream(balance=True, **options), 20)  # type: ignore[operator]
    _, theirs = moa(f"generators.{kind}Generator -b" + (" -p 0" if kind == "SEA" else ""), 20)
    assert y.tolist() == theirs.tolist()


@pytest.mark.parametrize("n_drift_features", [0, 1, 3, 5, 7])
def test_led_segments_are_where_moa_has_them(moa: Draw, n_drift_features: int) -> None:
    X, y = moa(f"generators.LEDGeneratorDrift -n 0 -d {n_drift_features}", 500)
    mine, labels = ours(LED(noise=0, n_drift_features=n_drift_features), 5_000)
    places = [7 + i if i < n_drift_features else i for i in range(7)]
    segments = np.array([[int(s) for s in digit] for digit in SEGMENTS])
    np.testing.assert_array_equal(X[:, places], segments[y])
    np.testing.assert_array_equal(mine[:, places], segments[labels])


def test_led_bits_are_distributed_as_in_moa(moa: Draw) -> None:
    X, y = ours(LED(n_drift_features=3), 50_000)
    theirs, labels = moa("generators.LEDGeneratorDrift -d 3", 5_000)
    assert_same_categories(y, labels)
    for column in range(24):
        assert_same_categories(2 * y + X[:, column], 2 * labels + theirs[:, column])


def rbf_pool(draw: Callable[[int], Examples]) -> Examples:
    """Examples of many random models, since one model says little about the others."""
    pool = [draw(seed) for seed in range(1, 101)]
    return np.stack([X for X, _ in pool]), np.stack([y for _, y in pool])


@pytest.mark.parametrize("speed", [0.0, 0.001, 0.02])
def test_rbf_features_are_distributed_as_in_moa(moa: Draw, speed: float) -> None:
    # Means over 100 models have a deviation of about 0.02; with a speed they rise, then fall back.
    X, y = rbf_pool(
        lambda seed: ours(RandomRBF(seed=seed, model_seed=seed, n_classes=5, speed=speed), 200)
    )
    theirs, labels = rbf_pool(
        lambda seed: moa(
            f"generators.RandomRBFGeneratorDrift -r {seed} -i {seed} -c 5 -s {speed}", 200
        )
    )
    for window in (slice(0, 40), slice(80, 120), slice(160, 200)):
        mine, other = X[:, window], theirs[:, window]
        assert mine.mean() == pytest.approx(other.mean(), abs=0.025)
        assert mine.std() == pytest.approx(other.std(), abs=0.03)
    np.testing.assert_allclose(
        np.bincount(y.ravel()) / y.size, np.bincount(labels.ravel()) / y.size, atol=0.05
    )


def test_rbf_distances_are_distributed_as_in_moa(moa: Draw) -> None:
    # One centroid at rest; divided by its deviation, the distances are half normal in both.
    X, _ = ours(RandomRBF(n_centroids=1), 20_000)
    theirs, _ = moa("generators.RandomRBFGenerator -n 1", 4_000)
    distances = [np.linalg.norm(x - np.median(x, axis=0), axis=1) for x in (X, theirs)]
    assert_same_numbers(*(d / np.sqrt(np.mean(d**2)) for d in distances))


@pytest.mark.parametrize("function", [1, 2, 3, 4])
def test_our_sea_rule_labels_every_example_of_moa(moa: Draw, function: int) -> None:
    X, y = moa(f"generators.SEAGenerator -f {function} -p 0", 2_000)
    np.testing.assert_array_equal(X[:, 0] + X[:, 1] > THRESHOLDS[function - 1], y == 1)


def test_sea_is_distributed_as_in_moa(moa: Draw) -> None:
    X, y = ours(SEA(), 20_000)
    theirs, labels = moa("generators.SEAGenerator", 4_000)
    assert_same_categories(y, labels)
    for column in range(3):
        assert_same_numbers(X[:, column], theirs[:, column])
    noise = [np.mean((x[:, 0] + x[:, 1] > 8) != (c == 1)) for x, c in ((X, y), (theirs, labels))]
    assert noise[0] == pytest.approx(noise[1], abs=0.025)


@pytest.mark.parametrize("function", [1, 2, 3, 4])
def test_our_sine_rule_labels_every_example_of_moa(moa: Draw, function: int) -> None:
    X, y = moa(f"generators.SineGenerator -f {function}", 2_000)
    assert X.shape[1] == 4
    assert [sine.label_of(function, row[0], row[1]) for row in X] == y.tolist()


def test_hyperplane_is_distributed_as_in_moa(moa: Draw) -> None:
    X, y = ours(Hyperplane(magnitude=0.001), 20_000)
    theirs, labels = moa("generators.HyperplaneGenerator -t 0.001", 4_000)
    assert np.mean(y) == pytest.approx(np.mean(labels), abs=0.05)
    for column in range(10):
        assert_same_numbers(X[:, column], theirs[:, column])


def test_hyperplane_noise_is_that_of_moa(moa: Draw) -> None:
    # The weights are positive: with both features on one side of 0.5, only noise errs.
    X, y = ours(Hyperplane(n_features=2), 20_000)
    theirs, labels = moa("generators.HyperplaneGenerator -a 2", 4_000)
    for x, c in ((X, y), (theirs, labels)):
        is_corner = (x > 0.5).all(axis=1) | (x < 0.5).all(axis=1)
        wrong = (x[is_corner, 0] > 0.5) != (c[is_corner] == 1)
        assert wrong.mean() == pytest.approx(0.05, abs=0.02)


def concept_shares(examples: Examples) -> NDArray[np.float64]:
    """For each tenth of the stream, the share of examples from each LED concept of 1, 3, 5, 7."""
    X, y = examples
    segments = np.array([[int(s) for s in digit] for digit in SEGMENTS])
    fits = [
        (X[:, [7 + i if i < d else i for i in range(7)]] == segments[y]).all(axis=1)
        for d in (1, 3, 5, 7)
    ]
    return np.array([fit.reshape(10, -1).mean(axis=1) for fit in fits])


@pytest.mark.parametrize("width", [50, 4_000])
def test_nested_joins_change_as_in_moa(moa: Draw, width: int) -> None:
    n, position = 40_000, 10_000
    options = "generators.LEDGeneratorDrift -n 0 -d 7"
    stream: Stream = LED(noise=0, n_drift_features=7)
    for d in (5, 3, 1):
        led = f"generators.LEDGeneratorDrift -n 0 -d {d}"
        options = f"ConceptDriftStream -s ({led}) -d ({options}) -p {position} -w {width}"
        stream = join(
            LED(noise=0, n_drift_features=d), stream, position=position, width=width, n_examples=n
        )
    # Over the seeds of the joins, a share of these 4,000 examples has a deviation of up to 0.02.
    np.testing.assert_allclose(
        concept_shares(ours(stream, n)), concept_shares(moa(options, n)), atol=0.06
    )
