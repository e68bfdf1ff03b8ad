"""What a file may ask for: memory and time follow from its size and from these limits."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from shrubs.messages import shown
from shrubs.streams.formats.table import Column, broken

__all__ = [
    "MAX_CLASSES",
    "MAX_FEATURES",
    "MAX_HEADER_BYTES",
    "MAX_LINE_BYTES",
    "MAX_UNPACKING_BYTES",
    "CategoryRoom",
    "checked_columns",
    "rows_per_batch",
]

MEGABYTE = 1 << 20

# As many as a learner takes. A file has one column more, the target.
MAX_FEATURES = 16_384
MAX_CLASSES = 65_535

# Also how far to look for the end of a quoted text.
MAX_LINE_BYTES = 4 * MEGABYTE
MAX_HEADER_BYTES = 16 * MEGABYTE

# Of all different categories and classes; each counts with its length and what it takes besides.
MAX_CATEGORY_BYTES = 128 * MEGABYTE
BYTES_BESIDE_LENGTH = 64

# What unpacking may hold at once: the dictionary of an .xz file, a column chunk of Parquet.
MAX_UNPACKING_BYTES = 256 * MEGABYTE

CELLS_PER_BATCH = 1 << 20


def rows_per_batch(n_columns: int) -> int:
    """How many rows to hold at once, lest a few bytes become many wide rows."""
    return max(1, CELLS_PER_BATCH // n_columns)


def checked_columns(found: Iterable[tuple[str, Column]]) -> list[Column]:
    """Gives the columns of a file, each found at a place; refuses too many, and equal names.

    >>> checked_columns([("x.arff, line 1", Column("a", "number"))] * 2)
    Traceback (most recent call last):
    ValueError: x.arff, line 1: the column name 'a' appears twice
    """
    columns: dict[str, Column] = {}
    for place, column in found:
        if len(columns) > MAX_FEATURES:
            most = f"a learner takes at most {MAX_FEATURES} features and a target"
            raise broken(place, None, f"{most}, this file has more columns")
        if column.name in columns:
            raise broken(place, None, f"the column name {shown(column.name)} appears twice")
        columns[column.name] = column
    return list(columns.values())


class CategoryRoom:
    """The memory left for the different categories and classes of one file."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._left = MAX_CATEGORY_BYTES

    def take(self, values: Iterable[Hashable]) -> None:
        """Takes room for new values."""
        self._left -= sum(len(str(value)) + BYTES_BESIDE_LENGTH for value in values)
        if self._left < 0:
            most = f"{MAX_CATEGORY_BYTES // MEGABYTE} MB"
            problem = "does a column hold names or free text?"
            raise ValueError(f"{self._label}: its categories take more than {most}; {problem}")
