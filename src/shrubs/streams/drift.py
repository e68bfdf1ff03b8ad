"""Joins streams abruptly or gradually.

The t-th example (the first is 1) comes from the second stream with probability
``1 / (1 + exp(-4 (t - position) / width))``. A join inside a join counts only the examples drawn
from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Turns
from shrubs.protocols import Block, Schema, Stream
from shrubs.streams._core_stream import CoreStream, check_size, read_blocks

__all__ = ["JoinedStream", "join"]

_NO_LIMIT = 2**52


def join(
    first: Stream,
    second: Stream,
    *,
    position: int,
    width: int = 0,
    n_examples: int | None = None,
    seed: int = 1,
    name: str | None = None,
) -> JoinedStream:
    """Joins two streams of the same shape: ``first`` turns into ``second``.

    Args:
        first: any stream; a joined one too.
        second: any stream with the same features and classes.
        position: where both are equally likely, in examples.
        width: how long the change takes, in examples; 0 switches exactly after ``position``.
        n_examples: the most examples to give; None for no limit. The joined stream ends earlier
            if the stream whose turn it is has no more.
        seed: of the choice between the two, from 0 to 2**64 - 1.
        name: for tables and file names; by default made from both names.

    >>> from shrubs.streams import SEA
    >>> before, after = SEA(function=1), SEA(function=2)
    >>> stream = join(before, after, position=5_000, width=100, n_examples=10_000)
    >>> stream.n_examples, stream.schema.drifts
    (10000, (5000,))
    """
    return JoinedStream(
        first=first,
        second=second,
        position=position,
        width=width,
        limit=n_examples,
        seed=seed,
        name=f"{first.name}+{second.name}" if name is None else name,
    )


@dataclass(frozen=True, kw_only=True)
class JoinedStream:
    """A stream that turns into another one; made by :func:`join`."""

    first: Stream
    second: Stream
    position: int
    width: int
    limit: int | None
    seed: int
    name: str

    def __post_init__(self) -> None:
        _check_shapes(self.first.schema, self.second.schema)
        _plan(self)

    @property
    def schema(self) -> Schema:
        """What the examples look like, and about where the concept changes."""
        ours, theirs = self.first.schema, self.second.schema
        drifts = [drift for drift in ours.drifts if drift < self.position]
        drifts += [self.position, *(self.position + drift for drift in theirs.drifts)]
        end = _NO_LIMIT if self.limit is None else self.limit
        return Schema(ours.features, ours.classes, tuple(d for d in drifts if d < end))

    @property
    def n_examples(self) -> int | None:
        """How many examples there are; None if a joined stream does not know."""
        lengths = [self.first.n_examples, self.second.n_examples]
        if any(length is None for length in lengths):
            return None
        if self.limit is not None and all(self.limit <= (length or 0) for length in lengths):
            return self.limit
        turns, _ = _plan(self)
        return turns.count_examples()

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        check_size(size)
        turns, streams = _plan(self)
        in_core = [stream for stream in streams if isinstance(stream, CoreStream)]
        if len(in_core) == len(streams):
            return read_blocks(turns, in_core, size)
        return _mix(turns, streams, self.schema, size)


def _check_shapes(ours: Schema, theirs: Schema) -> None:
    if ours.features != theirs.features:
        raise ValueError(
            "joined streams must have the same features, got "
            f"{[feature.name for feature in ours.features]} and "
            f"{[feature.name for feature in theirs.features]}"
        )
    if ours.classes != theirs.classes:
        raise ValueError(
            f"joined streams must have the same classes, got {ours.classes} and {theirs.classes}"
        )


def _plan(stream: JoinedStream) -> tuple[Turns, list[Stream]]:
    """The tree of joins, and the streams at its leaves in their order."""
    turns = Turns()
    streams: list[Stream] = []
    _add(stream, turns, streams)
    return turns, streams


def _add(stream: Stream, turns: Turns, streams: list[Stream]) -> int:
    if isinstance(stream, JoinedStream):
        return turns.add_join(
            _add(stream.first, turns, streams),
            _add(stream.second, turns, streams),
            position=stream.position,
            width=stream.width,
            seed=stream.seed,
            n_examples=_NO_LIMIT if stream.limit is None else stream.limit,
        )
    streams.append(stream)
    return turns.add_stream(_NO_LIMIT if stream.n_examples is None else stream.n_examples)


def _mix(turns: Turns, streams: Sequence[Stream], schema: Schema, size: int) -> Iterator[Block]:
    """Yields blocks from streams of any kind; some may end without notice."""
    rows = [_Rows(stream.blocks(size)) for stream in streams]
    whose = np.empty(size, dtype=np.int64)
    n_given = size
    while n_given == size:
        n_planned = turns.name_streams(whose)
        block = _gather(whose[:n_planned], rows, schema)
        n_given = len(block)
        if n_given > 0:
            yield block


def _gather(whose: NDArray[np.int64], rows: Sequence[_Rows], schema: Schema) -> Block:
    """The next examples, each from its stream, up to the first that its stream lacks."""
    X = np.empty((len(whose), schema.n_features), dtype=np.float32)
    y: NDArray[Any] = np.empty(len(whose), dtype=np.float64 if schema.classes is None else np.int64)
    end = len(whose)
    for number, source in enumerate(rows):
        places = np.flatnonzero(whose == number)
        n_done = 0
        for part in source.take(len(places)):
            target = places[n_done : n_done + len(part)]
            X[target], y[target] = part.X, part.y
            n_done += len(part)
        if n_done < len(places):
            end = min(end, int(places[n_done]))
    return Block(X[:end], y[:end])


class _Rows:
    """Takes any number of rows at a time from a stream's blocks."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._block: Block | None = None
        self._n_used = 0

    def take(self, n: int) -> Iterator[Block]:
        """Yields parts of blocks, ``n`` rows in all or as many as there are."""
        while n > 0:
            if self._block is None or self._n_used == len(self._block):
                self._block, self._n_used = next(self._blocks, None), 0
            if self._block is None:
                return
            rows = slice(self._n_used, min(self._n_used + n, len(self._block)))
            yield Block(self._block.X[rows], self._block.y[rows])
            n -= rows.stop - rows.start
            self._n_used = rows.stop
