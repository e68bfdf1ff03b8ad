"""The rows of a file by name, for predicting: without a target, without a first pass."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Any

from shrubs.streams._coding import decode
from shrubs.streams.files import open_table
from shrubs.streams.formats.table import Batch, Column, Texts

__all__ = ["read_rows"]


def read_rows(
    path: str | os.PathLike[str],
    *,
    nominal: Collection[str] = (),
    file_format: str = "auto",
) -> Iterator[dict[str, Any]]:
    """Yields every row of a file as a dict; missing values are left out.

    ``nominal`` names columns that hold categories although they look like numbers; names that the
    file does not have are passed over.
    """
    first = open_table(path, (), file_format)
    names = {column.name for column in first.columns}
    known = [name for name in nominal if name in names]
    table = open_table(path, known, file_format) if known and not first.read_once else first
    for batch in table.batches(range(len(table.columns))):
        yield from _rows(batch, table.columns)


def _rows(batch: Batch, columns: tuple[Column, ...]) -> Iterator[dict[str, Any]]:
    values = [_values(batch, i, column) for i, column in enumerate(columns)]
    for row in zip(*values, strict=True):
        yield {
            column.name: value
            for column, value in zip(columns, row, strict=True)
            if value is not None
        }


def _values(batch: Batch, i: int, column: Column) -> list[Any]:
    decoded = decode(batch, i, column)
    if isinstance(decoded, Texts):
        return [None if code < 0 else decoded.values[code] for code in decoded.codes.tolist()]
    return [None if value != value else value for value in decoded.tolist()]  # noqa: PLR0124
