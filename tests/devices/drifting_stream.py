"""The stream of examples/devices/drifting_stream.h, once more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["drifting_stream"]


def drifting_stream(n: int, *, drifts_after: int) -> Iterator[tuple[list[float], int]]:
    """Four features and a class that follows another one of them after the drift."""
    state = 1

    def draw() -> int:
        nonlocal state
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        return state >> 8

    for i in range(n):
        x = [draw() / 2**24 for _ in range(4)]
        first = x[0] if i < drifts_after else x[1]
        above = np.float32(first) + np.float32(x[2]) > 1
        yield x, int(above != (draw() % 16 == 0))
