"""One order and one type of labels, whatever the file of a data set declares."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from shrubs.messages import shown
from shrubs.protocols import Block, Schema, Stream

__all__ = ["RelabelledStream"]


class RelabelledStream:
    """A stream with ``classes`` in place of its own, which have the same texts in any order."""

    def __init__(self, stream: Stream, classes: tuple[Hashable, ...]) -> None:
        codes = {str(label): code for code, label in enumerate(classes)}
        declared = [str(label) for label in stream.schema.classes or ()]
        if sorted(declared) != sorted(codes):
            raise ValueError(
                f"{stream.name} must have the classes {shown(classes)}, got {shown(declared)}"
            )
        self._stream = stream
        self._codes = np.array([codes[label] for label in declared])
        self._schema = Schema(stream.schema.features, classes, stream.schema.drifts)

    @property
    def name(self) -> str:
        """The name of the stream that is relabelled."""
        return self._stream.name

    @property
    def schema(self) -> Schema:
        """What the examples look like."""
        return self._schema

    @property
    def n_examples(self) -> int | None:
        """How many examples there are."""
        return self._stream.n_examples

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return (Block(block.X, self._codes[block.y]) for block in self._stream.blocks(size))
