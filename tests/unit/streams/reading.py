"""Reads a stream to its end, for the tests of streams."""

from __future__ import annotations

import numpy as np

from shrubs.protocols import Block, Stream


def read_all(stream: Stream, size: int = 1024) -> Block:
    blocks = list(stream.blocks(size))
    return Block(
        np.concatenate([block.X for block in blocks]), np.concatenate([block.y for block in blocks])
    )
