"""Joined streams: the same choices in the core, in Python and in the reference."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import _core
from shrubs.protocols import Block, Feature, Schema, Stream
from shrubs.streams import LED, SEA, Hyperplane, JoinedStream, join
from tests.reference.join import is_second, joined
from tests.reference.led import ReferenceLED
from tests.reference.sea import ReferenceSEA

seeds = st.integers(0, 2**64 - 1)


@dataclass(frozen=True)
class Counter:
    """A stream of our own: example i has the feature i and the label of the stream."""

    label: int
    length: int
    knows_length: bool = True
    name: str = "counter"

    @property
    def schema(self) -> Schema:
        return Schema((Feature("i"),), ("a", "b", "c"))

    @property
    def n_examples(self) -> int | None:
        return self.length if self.knows_length else None

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        for start in range(0, self.length, size):
            i = np.arange(start, min(start + size, self.length), dtype=np.float32)
            yield Block(i[:, None], np.full(len(i), self.label, dtype=np.int64))


@dataclass(frozen=True)
class Hidden:
    """A core stream that the join cannot recognise as one."""

    stream: Stream
    name: str = "hidden"

    @property
    def schema(self) -> Schema:
        return self.stream.schema

    @property
    def n_examples(self) -> int | None:
        return self.stream.n_examples

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        return self.stream.blocks(size)


def examples(stream: Stream, size: int = 64) -> list[tuple[list[float], int]]:
    return [
        (x, int(y))
        for block in stream.blocks(size)
        for x, y in zip(block.X.tolist(), block.y.tolist(), strict=True)
    ]


def labels(stream: Stream, size: int = 64) -> list[int]:
    return [y for _, y in examples(stream, size)]


@given(seeds, st.integers(0, 80), st.integers(0, 30))
def test_join_agrees_with_reference(seed: int, position: int, width: int) -> None:
    stream = join(
        LED(seed=1), LED(seed=2), position=position, width=width, seed=seed, n_examples=60
    )
    draw = joined(ReferenceLED(1).next, ReferenceLED(2).next, position, width, seed)
    assert examples(stream, 7) == [draw() for _ in range(60)]


@given(seeds, st.integers(0, 1_500), st.integers(0, 20_000))
def test_choices_agree_with_reference_in_wide_drifts(seed: int, position: int, width: int) -> None:
    # From a width of 256 on, the core decides most draws by bounds of the probability.
    turns = _core.Turns()
    first, second = turns.add_stream(10_000), turns.add_stream(10_000)
    turns.add_join(first, second, position=position, width=width, seed=seed, n_examples=1_500)
    chosen = np.empty(1_500, dtype=np.int64)
    assert turns.name_streams(chosen) == 1_500
    expected = [is_second(t, position, width, seed) for t in range(1, 1_501)]
    assert chosen.tolist() == expected


@given(seeds, st.integers(0, 40), st.integers(0, 20))
def test_nested_joins_agree_with_reference(seed: int, position: int, width: int) -> None:
    inner = join(SEA(function=2), SEA(function=3), position=position, width=width, seed=seed)
    middle = join(SEA(function=1), inner, position=position, width=width, seed=seed)
    stream = join(middle, SEA(function=4), position=70, width=5, n_examples=100)
    draw_inner = joined(ReferenceSEA(1, 2).next, ReferenceSEA(1, 3).next, position, width, seed)
    draw_middle = joined(ReferenceSEA(1, 1).next, draw_inner, position, width, seed)
    draw = joined(draw_middle, ReferenceSEA(1, 4).next, 70, 5)
    assert examples(stream, 9) == [draw() for _ in range(100)]


@given(seeds, st.integers(0, 60), st.integers(0, 30), st.integers(1, 50))
def test_python_and_core_join_alike(seed: int, position: int, width: int, size: int) -> None:
    first, second = SEA(n_examples=40, seed=3), SEA(n_examples=30, seed=4)
    options = {"position": position, "width": width, "seed": seed}
    in_core = join(first, second, **options)  # type: ignore[arg-type]
    in_python = join(Hidden(first), second, **options)  # type: ignore[arg-type]
    assert examples(in_core, size) == examples(in_python, size)
    assert in_core.n_examples == in_python.n_examples == len(examples(in_core))


@given(st.integers(0, 40), st.integers(0, 20), st.integers(0, 40), st.integers(0, 40))
def test_join_ends_when_the_drawn_stream_has_no_more(
    position: int, width: int, n_first: int, n_second: int
) -> None:
    # By hand: follow the choices until one of the two is asked once too often.
    remaining, expected, t = {0: n_first, 1: n_second}, [], 1
    while remaining[choice := int(is_second(t, position, width, 1))] > 0:
        remaining[choice] -= 1
        expected.append(choice)
        t += 1
    for knows_length in (True, False):
        first, second = (
            Counter(0, n_first, knows_length=knows_length),
            Counter(1, n_second, knows_length=knows_length),
        )
        stream = join(first, second, position=position, width=width)
        assert labels(stream, 16) == expected
        assert stream.n_examples == (len(expected) if knows_length else None)


def test_width_zero_switches_exactly_after_the_position() -> None:
    stream = join(Counter(0, 100), Counter(1, 100), position=5, n_examples=9)
    assert labels(stream) == [0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_each_stream_goes_on_where_it_was_left() -> None:
    stream = join(Counter(0, 500), Counter(1, 500), position=100, width=80, n_examples=400)
    for label in (0, 1):
        own = [x[0] for x, y in examples(stream, 33) if y == label]
        assert own == list(range(len(own)))


def test_inner_counter_rests_while_the_outer_first_stream_is_drawn() -> None:
    inner = join(Counter(1, 500), Counter(2, 500), position=50)
    stream = join(Counter(0, 500), inner, position=100, n_examples=300)
    assert labels(stream) == [0] * 100 + [1] * 50 + [2] * 150


def test_share_of_the_second_stream_is_logistic() -> None:
    n, position, width = 40_000, 20_000, 8_000
    stream = join(Counter(0, n), Counter(1, n), position=position, width=width, n_examples=n)
    share = np.array(labels(stream, 4096)).reshape(-1, 2_000).mean(axis=1)
    t = np.arange(1, n + 1)
    expected = (1 / (1 + np.exp(-4 * (t - position) / width))).reshape(-1, 2_000).mean(axis=1)
    np.testing.assert_allclose(share, expected, atol=0.045)  # four deviations


@given(st.integers(1, 130))
def test_block_size_does_not_matter(size: int) -> None:
    streams = [
        join(SEA(seed=1), SEA(seed=2), position=60, width=30, n_examples=120),
        join(Hidden(SEA(seed=1)), SEA(seed=2), position=60, width=30, n_examples=120),
    ]
    assert examples(streams[0], size) == examples(streams[1], size) == examples(streams[0], 120)


def test_second_reading_gives_the_same_examples() -> None:
    stream = join(LED(seed=1), LED(seed=2), position=60, width=30, n_examples=120)
    assert examples(stream) == examples(stream)


def test_drifts_add_up_over_nested_joins() -> None:
    inner = join(SEA(function=2), SEA(function=3), position=200)
    stream = join(SEA(), inner, position=100, n_examples=1_000)
    assert stream.schema.drifts == (100, 300)


def test_drifts_beyond_the_end_are_left_out() -> None:
    stream = join(SEA(), SEA(function=2), position=100, n_examples=50)
    assert stream.schema.drifts == ()
    assert stream.n_examples == 50


def test_joined_stream_keeps_the_protocol() -> None:
    stream = join(SEA(), SEA(function=2), position=100)
    assert isinstance(stream, Stream)
    assert isinstance(stream, JoinedStream)
    assert stream.name == "sea+sea"


def test_streams_of_other_features_are_refused() -> None:
    message = r"^joined streams must have the same features, got \['attrib1'"
    with pytest.raises(ValueError, match=message):
        join(SEA(), Hyperplane(), position=5)


def test_streams_of_other_classes_are_refused() -> None:
    @dataclass(frozen=True)
    class Other(Counter):
        @property
        def schema(self) -> Schema:
            return Schema((Feature("i"),), ("x", "y", "z"))

    with pytest.raises(ValueError, match=r"^joined streams must have the same classes"):
        join(Counter(0, 5), Other(0, 5), position=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"position": -1}, "position must be from 0 to 4503599627370496, got -1"),
        ({"position": 1, "width": -2}, "width must be from 0 to 281474976710656, got -2"),
        ({"position": 1, "n_examples": -3}, "n_examples must be from 0 to .*, got -3"),
        ({"position": 1, "seed": -4}, "seed must be from 0 to .*, got -4"),
    ],
)
def test_values_out_of_range_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        join(SEA(), SEA(), **options)  # type: ignore[arg-type]


def test_wide_drifts_at_far_positions_are_safe() -> None:
    # The exponent stays within forty, whatever the position and the width.
    for position, width in [(0, 2**48), (2**52, 2**48), (2**52, 1), (0, 1)]:
        stream = join(SEA(), SEA(), position=position, width=width, n_examples=10)
        assert len(examples(stream)) == 10
