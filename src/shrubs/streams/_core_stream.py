"""Reads streams whose generators live in the compiled core, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from shrubs._core import Generator, Reader, Turns
from shrubs.protocols import Block, Schema

__all__ = ["CoreStream", "check_size", "read_alone", "read_blocks"]


@runtime_checkable
class CoreStream(Protocol):
    """A stream that the core can draw by itself."""

    @property
    def name(self) -> str:
        """A short name for tables and file names."""

    @property
    def schema(self) -> Schema:
        """What the examples look like."""

    @property
    def n_examples(self) -> int:
        """How many examples there are."""

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time."""

    def _generator(self) -> Generator:
        """A generator at the beginning of the stream."""


def check_size(size: int) -> None:
    """Raises ValueError unless a block of ``size`` examples makes sense."""
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")


def read_alone(stream: CoreStream, size: int) -> Iterator[Block]:
    """Yields the examples of one stream, ``size`` at a time."""
    turns = Turns()
    turns.add_stream(stream.n_examples)
    return read_blocks(turns, [stream], size)


def read_blocks(turns: Turns, streams: Sequence[CoreStream], size: int) -> Iterator[Block]:
    """Yields the examples of the streams whose turn it is, ``size`` at a time."""
    check_size(size)
    reader = Reader(turns, [stream._generator() for stream in streams])
    return _read(reader, streams[0].schema.n_features, size)


def _read(reader: Reader, n_features: int, size: int) -> Iterator[Block]:
    n_read = size
    while n_read == size:
        X = np.empty((size, n_features), dtype=np.float32)
        y = np.empty(size, dtype=np.int64)
        n_read = reader.fill(X, y)
        if n_read > 0:
            yield Block(X[:n_read], y[:n_read])
