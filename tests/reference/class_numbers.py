"""Classes that go, and others that take their numbers."""

import math
from collections.abc import Sequence
from typing import TypeAlias

ClassNumbers: TypeAlias = Sequence[int | None]
"""The number that each class has from now on: its own, or a smaller one that is free; or None."""


def renumber_row(row: list[float], now: ClassNumbers, fresh: float) -> None:
    """Move the values of a row, one per class; others become `fresh`."""
    before = list(row)
    row[:] = [fresh] * len(row)
    for c, number in enumerate(now):
        if number is not None:
            row[number] = before[c]


def renumbered(label: float, now: ClassNumbers) -> float:
    """The class that a split asks for; NaN if it goes."""
    number = None if math.isnan(label) else now[int(label)]
    return math.nan if number is None else float(number)
