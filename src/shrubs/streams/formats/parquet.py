"""Reads Parquet through pyarrow, a few thousand rows at a time and only the wanted columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from shrubs.streams._extra import import_extra
from shrubs.streams.formats._arrow import arrow_numbers, arrow_texts
from shrubs.streams.formats.source import Source
from shrubs.streams.formats.table import Batch, Column, Kind, Numbers, Texts, mark_nominal

__all__ = ["ParquetTable", "open_parquet"]

ROWS_PER_BATCH = 8192
MICROSECONDS = 1e6


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file; it declares the type of each column, but not the categories."""

    source: Source
    columns: tuple[Column, ...]

    @property
    def label(self) -> str:
        """How messages call the file."""
        return self.source.label

    @property
    def read_once(self) -> bool:
        """Whether this is a pipe: never, Parquet is read from its end."""
        return False

    def preview(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields the whole file."""
        return self.batches(wanted)

    def batches(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields all rows in order."""
        names = {i: self.columns[i].name for i in sorted(wanted)}
        first_row = 1
        with _open(self.source) as file:
            for rows in file.iter_batches(ROWS_PER_BATCH, columns=list(names.values())):
                data = {i: _values(rows.column(name), self.columns[i]) for i, name in names.items()}
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
        columns = [Column(field.name, _kind(source.label, field)) for field in file.schema_arrow]
    return ParquetTable(source, mark_nominal(source.label, columns, nominal))


def _open(source: Source) -> Any:
    pyarrow = import_extra("pyarrow", "reading Parquet")
    parquet = import_extra("pyarrow.parquet", "reading Parquet")
    try:
        # Without pre_buffer, pages are read as they are needed instead of whole row groups.
        return parquet.ParquetFile(source.path, pre_buffer=False, buffer_size=1 << 16)
    except (pyarrow.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{source.label}: damaged or not Parquet data ({reason})") from error


def _kind(label: str, field: Any) -> Kind:
    types = import_extra("pyarrow.types", "reading Parquet")
    kind = field.type
    if _is_text(kind):
        return "nominal"
    if types.is_boolean(kind):
        return "boolean"
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    problem = "which is neither number, text, boolean nor date"
    raise ValueError(f"{label}: column {field.name!r} has the type {kind}, {problem}")


def _is_text(kind: Any) -> bool:
    types = import_extra("pyarrow.types", "reading Parquet")
    return bool(types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind))


def _values(values: Any, column: Column) -> Numbers | Texts:
    pyarrow = import_extra("pyarrow", "reading Parquet")
    types = import_extra("pyarrow.types", "reading Parquet")
    if column.kind == "nominal":
        return arrow_texts(values)
    if types.is_date(values.type) or types.is_timestamp(values.type):
        microseconds = values.cast(pyarrow.timestamp("us"), safe=False).cast(pyarrow.int64())
        return arrow_numbers(microseconds) / MICROSECONDS
    if types.is_boolean(values.type):
        values = values.cast(pyarrow.int8())
    return arrow_numbers(values)
