"""The stream of examples/devices/drifting_stream.h, once more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["draws", "drifting_stream"]


def draws() -> Iterator[int]:
    """Random numbers of 24 bits."""
    state = 1
    while True:
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        yield state >> 8


def drifting_stream(n: int, *, drifts_after: int) -> Iterator[tuple[list[float], int]]:
    """Four features and a class that follows another one of them after the drift."""
    drawn = draws()
    for i in range(n):
        x = [next(drawn) / 2**24 for _ in range(4)]
        first = x[0] if i < drifts_after else x[1]
        above = np.float32(first) + np.float32(x[2]) > 1
        yield x, int(above != (next(drawn) % 16 == 0))
