"""The six synthetic streams of the paper."""

from typing import get_args

import numpy as np
import pytest

from shrubs.protocols import Stream
from shrubs.streams import PaperStream, RandomRBF, paper_stream
from tests.reference.led import SEGMENTS

NAMES = get_args(PaperStream)


def swapped(d: int) -> list[int]:
    """The places of the seven segments when `d` of them have drifted."""
    return [7 + i if i < d else i for i in range(7)]


@pytest.mark.parametrize("name", NAMES)
def test_stream_has_its_name_and_length(name: PaperStream) -> None:
    stream = paper_stream(name)
    assert isinstance(stream, Stream)
    assert (stream.name, stream.n_examples) == (name, 1_000_000)


@pytest.mark.parametrize(
    ("kind", "n_features", "n_one_hot", "n_classes"),
    [("agrawal_a", 9, 40, 2), ("led_g", 24, 48, 10), ("rbf_f", 10, 10, 5)],
)
def test_shape_is_that_of_the_paper(
    kind: PaperStream, n_features: int, n_one_hot: int, n_classes: int
) -> None:
    plain, encoded = paper_stream(kind).schema, paper_stream(kind, one_hot=True).schema
    assert (plain.n_features, encoded.n_features) == (n_features, n_one_hot)
    assert plain.n_classes == encoded.n_classes == n_classes
    assert encoded.nominal_features == ()


@pytest.mark.parametrize("name", ["agrawal_a", "agrawal_g", "led_a", "led_g"])
def test_drifts_are_those_of_the_paper(name: PaperStream) -> None:
    assert paper_stream(name).schema.drifts == (250_000, 500_000, 750_000)


@pytest.mark.parametrize(("name", "speed"), [("rbf_m", 0.0001), ("rbf_f", 0.001)])
def test_rbf_moves_at_the_speed_of_the_paper(name: PaperStream, speed: float) -> None:
    stream = paper_stream(name)
    assert isinstance(stream, RandomRBF)
    assert (stream.speed, stream.n_centroids, stream.n_drift_centroids) == (speed, 50, None)


@pytest.mark.parametrize("name", NAMES)
def test_stream_is_read_to_its_end(name: PaperStream) -> None:
    stream = paper_stream(name, n_examples=10_000, scale_drifts=True)
    assert sum(len(block) for block in stream.blocks()) == 10_000


def test_scaled_drifts_keep_their_share_of_the_stream() -> None:
    stream = paper_stream("led_g", n_examples=100_000, scale_drifts=True)
    assert stream.schema.drifts == (25_000, 50_000, 75_000)


def test_short_stream_without_scaling_has_only_its_first_concept() -> None:
    stream = paper_stream("led_a", n_examples=2_000)
    assert stream.schema.drifts == ()


def test_led_a_passes_through_its_four_concepts() -> None:
    # In concept d the segments are found at their drifted places: right for nine bits in ten.
    stream = paper_stream("led_a", n_examples=100_000, scale_drifts=True)
    blocks = list(stream.blocks(25_000))
    segments = np.array([[int(s) for s in digit] for digit in SEGMENTS])
    for block, d in zip(blocks, (1, 3, 5, 7), strict=True):
        middle = slice(1_000, 24_000)
        is_shown = block.X[middle][:, swapped(d)] == segments[block.y[middle]]
        np.testing.assert_allclose(is_shown.mean(axis=0), 0.9, atol=0.01)


def test_agrawal_a_passes_through_functions_1_2_1_and_4() -> None:
    # Function 1 depends on the age alone, up to its noise of at most three years.
    stream = paper_stream("agrawal_a", n_examples=100_000, scale_drifts=True)
    by_age = []
    for block in stream.blocks(25_000):
        age = block.X[1_000:24_000, 2]
        expected = ((age >= 40) & (age < 60)).astype(int)
        by_age.append(np.mean(expected == block.y[1_000:24_000]))
    assert min(by_age[0], by_age[2]) > 0.92
    assert max(by_age[1], by_age[3]) < 0.7


def test_seed_reaches_every_part() -> None:
    for name in NAMES:
        streams = [paper_stream(name, n_examples=1_000, seed=seed) for seed in (1, 2)]
        first, second = (next(stream.blocks()).X for stream in streams)
        assert not np.array_equal(first, second)


def test_unknown_name_is_refused_with_a_hint() -> None:
    with pytest.raises(ValueError, match=r"^unknown stream 'led_x'; did you mean 'led_"):
        paper_stream("led_x")  # type: ignore[arg-type]
