"""Detected drifts against the known ones."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["detection_delays"]


def detection_delays(known: Sequence[int], found: Sequence[int]) -> list[int | None]:
    """For each known drift, the examples until it was detected; None if it was not.

    A detection counts for the last known drift before it, and only the first one does.

    Args:
        known: positions of the known drifts, ascending.
        found: positions of the detections, ascending.

    >>> detection_delays([1000, 2000, 3000], [400, 1050, 1900, 3020])
    [50, None, 20]
    """
    delays: list[int | None] = []
    for i, start in enumerate(known):
        stop = known[i + 1] if i + 1 < len(known) else float("inf")
        first = next((position for position in found if start <= position < stop), None)
        delays.append(None if first is None else first - start)
    return delays
