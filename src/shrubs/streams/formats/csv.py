"""Reads CSV: a line of column names, then one example per line.

Values are separated by a comma, a semicolon or a tab, whichever the first line has most of. Texts
may be quoted with ``"``. Parsing is done by pyarrow if it is installed, else by the csv module of
Python, with the same results.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice

from shrubs.messages import shown
from shrubs.streams.formats._text_table import TextFormat, TextRow, TextTable, whole_rows
from shrubs.streams.formats.limits import checked_columns, rows_per_batch
from shrubs.streams.formats.source import (
    SAMPLE_ROWS,
    LineChunk,
    Source,
    gather,
    line_chunks,
    skip_lines,
)
from shrubs.streams.formats.table import Column, broken, mark_nominal
from shrubs.streams.formats.values import guess_kind, parse_number

__all__ = ["open_csv", "read_header"]

SEPARATORS = (",", ";", "\t")


def open_csv(source: Source, nominal: Collection[str] = ()) -> TextTable:
    """Opens a CSV file; the first rows tell what each column seems to hold."""
    chunks = line_chunks(source, quotes=True)
    start = gather(chunks, lambda chunk: chunk.next_line > SAMPLE_ROWS + 1)
    header_lines, header = _header(source.label, start)
    names, separator = read_header(f"{source.label}, line {header_lines}", header)
    body = next(skip_lines([start], header_lines), None)
    if body is None:
        raise ValueError(f"{source.label}: there are no rows below the column names")
    columns = mark_nominal(source.label, _guessed(source.label, names, body, separator), nominal)
    return TextTable(
        source=source,
        columns=columns,
        text_format=TextFormat(
            rows=partial(_rows, source.label, separator),
            separator=separator,
            quotes_span_lines=True,
        ),
        header_lines=header_lines,
        first=body if source.is_pipe else None,
        rest=chunks if source.is_pipe else None,
        guessed=frozenset(i for i, name in enumerate(names) if name not in nominal),
    )


def _header(label: str, start: LineChunk) -> tuple[int, str]:
    for number, line in enumerate(start.decode(label).split("\n"), 1):
        if line.strip():
            return number, line
    raise ValueError(f"{label}: there is nothing to read")


def read_header(place: str, header: str) -> tuple[list[str], str]:
    """Gives the names of the columns, and what separates them."""
    separator = max(SEPARATORS, key=header.count)
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=separator))]
    except csv.Error as error:
        raise broken(place, None, str(error)) from None
    for name in names:
        if _is_number(name):
            problem = f"the first line must hold column names, got the number {shown(name)}"
            raise broken(place, None, problem)
    checked_columns((place, Column(name, "nominal")) for name in names)
    return names, separator


def _is_number(name: str) -> bool:
    try:
        parse_number(name)
    except ValueError:
        return False
    return name != ""


def _guessed(label: str, names: Sequence[str], body: LineChunk, separator: str) -> list[Column]:
    rows = whole_rows(label, _rows(label, separator, body), len(names))
    sample = list(islice(rows, min(SAMPLE_ROWS, rows_per_batch(len(names)))))
    return [
        Column(name, guess_kind(values[i] for _, values in sample)) for i, name in enumerate(names)
    ]


def _rows(label: str, separator: str, chunk: LineChunk) -> Iterator[TextRow]:
    """Yields the rows of a chunk with their lines; a quoted text may span several lines."""
    reader = csv.reader(io.StringIO(chunk.decode(label), newline=""), delimiter=separator)
    line = chunk.first_line
    try:
        for values in reader:
            if any(value.strip() for value in values) or len(values) > 1:
                yield line, values
            line = chunk.first_line + reader.line_num
    except csv.Error as error:
        raise broken(f"{label}, line {line}", None, str(error)) from None
