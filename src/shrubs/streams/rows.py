"""The rows of a file by name, for predicting: without a target."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shrubs.dates import names_of_parts
from shrubs.protocols import Kind
from shrubs.streams._coding import by_name, features_of
from shrubs.streams.files import open_table
from shrubs.streams.formats.table import Table

__all__ = ["FileRows", "read_rows"]


@dataclass(frozen=True)
class FileRows:
    """The rows of a file, each a dict; missing values are left out."""

    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; those of a date's parts in its place."""
        return tuple(
            name
            for column in self.table.columns
            for name in (names_of_parts(column.name) if column.kind == "date" else (column.name,))
        )

    def __iter__(self) -> Iterator[dict[str, Any]]:
        columns = self.table.columns
        for batch in self.table.batches(range(len(columns))):
            parts = (features_of(batch, i, column) for i, column in enumerate(columns))
            yield from by_name({name: values for part in parts for name, values in part.items()})


def read_rows(
    path: str | os.PathLike[str],
    *,
    kinds: Mapping[str, Kind] | None = None,
    file_format: str = "auto",
) -> FileRows:
    """Opens a file to read every row as a dict; missing values are left out.

    What a column of a CSV file holds is decided as by `open_stream`. ``kinds`` says what columns
    hold as far as it is known; names that the file does not have are passed over.
    """
    table = open_table(path, (), file_format, kinds)
    if table.guessed and not table.read_once:
        table = table.settled()
    return FileRows(table)
