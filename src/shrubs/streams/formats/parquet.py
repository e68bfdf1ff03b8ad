"""Reads Parquet through pyarrow, a few thousand rows at a time and only the wanted columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from shrubs.dates import parts_of_array
from shrubs.messages import shown
from shrubs.protocols import Kind
from shrubs.streams._extra import import_extra
from shrubs.streams.formats._arrow import arrow_numbers, arrow_texts
from shrubs.streams.formats.limits import (
    MAX_UNPACKING_BYTES,
    MEGABYTE,
    checked_columns,
    rows_per_batch,
)
from shrubs.streams.formats.source import Source
from shrubs.streams.formats.table import (
    Batch,
    Column,
    Dates,
    Numbers,
    Texts,
    mark_nominal,
    reason,
)
from shrubs.streams.formats.values import KindVotes

__all__ = ["ParquetTable", "open_parquet"]

MAX_ROWS_PER_BATCH = 8192
MICROSECONDS = 1e6
SECONDS_PER_HOUR = 3600


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file; it declares the type of each column, but not the categories.

    ``dictionaries`` are the columns whose texts may be far longer than the file, each of them there
    once: pyarrow must not write them out row by row. The first texts of the columns ``guessed`` are
    dates.
    """

    source: Source
    columns: tuple[Column, ...]
    dictionaries: tuple[str, ...]
    guessed: frozenset[int] = frozenset()

    @property
    def label(self) -> str:
        """How messages call the file."""
        return self.source.label

    @property
    def read_once(self) -> bool:
        """Whether this is a pipe: never, Parquet is read from its end."""
        return False

    def settled(self) -> ParquetTable:
        """The table with texts for dates where not all of them are dates."""
        votes = {i: KindVotes() for i in self.guessed}
        for batch in self.batches(self.guessed):
            for i, of_column in votes.items():
                of_column.add_all(batch.data[i])
        texts = {i for i, of_column in votes.items() if of_column.kind != "date"}
        columns = (
            replace(c, kind="nominal") if i in texts else c for i, c in enumerate(self.columns)
        )
        return replace(self, columns=tuple(columns))

    def preview(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields the whole file."""
        return self.batches(wanted)

    def batches(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields all rows in order."""
        names = {i: self.columns[i].name for i in sorted(wanted)}
        size = min(MAX_ROWS_PER_BATCH, rows_per_batch(len(names)))
        first_row = 1
        with _open(self.source, self.dictionaries) as file:
            batches = file.iter_batches(size, columns=list(names.values()))
            while True:
                with _decoding(_place(self.label, first_row, 0)):
                    rows = next(batches, None)
                    if rows is None:
                        return
                    data = {i: _values(rows.column(names[i]), self.columns[i]) for i in names}
                yield Batch(rows.num_rows, data, partial(_place, self.label, first_row))
                first_row += rows.num_rows


def _place(label: str, first_row: int, row: int) -> str:
    return f"{label}, row {first_row + row}"


def open_parquet(source: Source, nominal: Collection[str] = ()) -> ParquetTable:
    """Opens a Parquet file."""
    if source.is_pipe:
        raise ValueError("parquet cannot be read from standard input; give the name of a file")
    with _open(source) as file:
        if file.metadata.num_rows == 0:
            raise ValueError(f"{source.label}: there are no rows")
        fields = list(file.schema_arrow)
        columns = checked_columns(
            (source.label, Column(field.name, _kind(source.label, field))) for field in fields
        )
        _check_sizes(source.label, file.metadata)
    texts = tuple(field.name for field in fields if _is_text(field.type))
    types = import_extra("pyarrow.types", "reading Parquet")
    categories = [field.name for field in fields if types.is_dictionary(field.type)]
    declared = mark_nominal(source.label, columns, nominal)
    table = ParquetTable(source, declared, texts)
    undeclared = {*texts} - {*categories, *nominal}
    dates = _dates_among(table, [i for i, c in enumerate(declared) if c.name in undeclared])
    columns = [replace(c, kind="date") if i in dates else c for i, c in enumerate(declared)]
    return replace(table, columns=tuple(columns), guessed=dates)


def _dates_among(table: ParquetTable, texts: Collection[int]) -> frozenset[int]:
    """The columns of texts whose first rows are ISO dates."""
    if not texts:
        return frozenset()
    votes = {i: KindVotes() for i in texts}
    first = next(table.batches(texts))
    for i, of_column in votes.items():
        of_column.add_all(first.data[i])
    return frozenset(i for i, of_column in votes.items() if of_column.kind == "date")


def _check_sizes(label: str, metadata: Any) -> None:
    """Refuses what would unpack to more than memory should hold; a page is unpacked whole."""
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        if group.total_byte_size <= MAX_UNPACKING_BYTES:
            continue
        for j in range(group.num_columns):
            chunk = group.column(j)
            if chunk.total_uncompressed_size > MAX_UNPACKING_BYTES:
                most = f"{MAX_UNPACKING_BYTES // MEGABYTE} MB"
                problem = (
                    f"column {shown(chunk.path_in_schema)} has more than {most} in a row group"
                )
                raise ValueError(f"{label}: {problem}; write the file with smaller row groups")


@contextmanager
def _decoding(place: str) -> Iterator[None]:
    """Makes one clear line of whatever pyarrow raises for damaged data."""
    try:
        yield
    except Exception as error:
        raise ValueError(f"{place}: damaged or not Parquet data ({reason(error)})") from error


def _open(source: Source, dictionaries: Collection[str] = ()) -> Any:
    parquet = import_extra("pyarrow.parquet", "reading Parquet")
    with _decoding(source.label):
        # Without pre_buffer, pages are read as they are needed instead of whole row groups.
        return parquet.ParquetFile(
            source.path,
            read_dictionary=list(dictionaries),
            pre_buffer=False,
            buffer_size=1 << 16,
        )


def _kind(label: str, field: Any) -> Kind:
    types = import_extra("pyarrow.types", "reading Parquet")
    kind = field.type
    if _is_text(kind):
        return "nominal"
    if types.is_boolean(kind):
        return "boolean"
    if types.is_date(kind) or types.is_timestamp(kind) or types.is_time(kind):
        return "date"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    problem = "which is neither number, text, boolean nor date"
    raise ValueError(f"{label}: column {shown(field.name)} has the type {kind}, {problem}")


def _is_text(kind: Any) -> bool:
    types = import_extra("pyarrow.types", "reading Parquet")
    return bool(types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind))


def _values(values: Any, column: Column) -> Numbers | Texts | Dates:
    pyarrow = import_extra("pyarrow", "reading Parquet")
    types = import_extra("pyarrow.types", "reading Parquet")
    if _is_text(values.type) or column.kind == "nominal":
        return arrow_texts(values)
    if column.kind == "date":
        return _dates(values)
    if types.is_boolean(values.type):
        values = values.cast(pyarrow.int8())
    return arrow_numbers(values)


def _dates(values: Any) -> Dates:
    pyarrow = import_extra("pyarrow", "reading Parquet")
    types = import_extra("pyarrow.types", "reading Parquet")
    if types.is_time(values.type):
        microseconds = values.cast(pyarrow.time64("us"), safe=False)
        seconds = arrow_numbers(microseconds.cast(pyarrow.int64())) / MICROSECONDS
        parts = np.full((3, len(values)), np.nan)
        parts[0] = seconds / SECONDS_PER_HOUR
        return Dates(seconds, parts)
    wall = values
    if types.is_timestamp(values.type) and values.type.tz is not None:
        wall = import_extra("pyarrow.compute", "reading Parquet").local_timestamp(values)
    microseconds = values.cast(pyarrow.timestamp("us"), safe=False).cast(pyarrow.int64())
    unit = "D" if types.is_date(values.type) else "us"
    dates = wall.cast(pyarrow.timestamp("us"), safe=False).to_numpy(zero_copy_only=False)
    return Dates(
        arrow_numbers(microseconds) / MICROSECONDS,
        parts_of_array(dates.astype(f"datetime64[{unit}]")),
    )
