"""Reads ARFF, the format of WEKA and MOA, as a stream.

Numeric, nominal, string and date attributes, dense and sparse rows. The readers of SciPy and
liac-arff load whole files, so this one is written here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from shrubs.messages import shown
from shrubs.streams.formats._text_table import TextFormat, TextRow, TextTable
from shrubs.streams.formats.limits import MAX_HEADER_BYTES, MEGABYTE, checked_columns
from shrubs.streams.formats.source import (
    SAMPLE_ROWS,
    LineChunk,
    Source,
    gather,
    line_chunks,
    skip_lines,
)
from shrubs.streams.formats.table import Column, broken, mark_nominal
from shrubs.streams.formats.values import guess_kind

__all__ = ["open_arff"]

DATA = re.compile(rb"^[ \t]*@data\b[^\n]*(\n|\Z)", re.IGNORECASE | re.MULTILINE)
# No two parts in a row match the same character: a pattern takes time in proportion to the text.
QUOTED = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+(?=[\s{{]))\s*(\S.*)", re.IGNORECASE)
UNQUOTED = r"[^\s,'\"][^,]*"
END = rf"(?:({QUOTED})\s*|({UNQUOTED})?)(?:,|\Z)"
VALUE = re.compile(rf"\s*{END}")
SPARSE_VALUE = re.compile(rf"\s*(\d{{1,9}})\s+{END}")
SPECIAL = b"'\"\\{%"  # a chunk without these is plain comma-separated text
NUMERIC = frozenset(["numeric", "real", "integer"])
MAX_DATE_FORMAT = 100  # it becomes a pattern, which takes long to compile
# Java's SimpleDateFormat to Python's strptime.
DATE_PARTS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "Z": "%z",
}


def open_arff(source: Source, nominal: Collection[str] = ()) -> TextTable:
    """Opens an ARFF file; its header tells what each column holds."""
    chunks = line_chunks(source, quotes=False)
    start = gather(chunks, lambda chunk: DATA.search(chunk.text) is not None)
    data = DATA.search(start.text)
    if data is None:
        most = f"{MAX_HEADER_BYTES // MEGABYTE} MB"
        raise ValueError(f"{source.label}: there is no @data line in its first {most}")
    header = LineChunk(start.text[: data.end()], 1)
    declared = mark_nominal(source.label, _columns(source.label, header), nominal)
    header_lines = max(1, header.text.count(b"\n"))
    body = next(skip_lines([start], header_lines), LineChunk(b"", header_lines + 1))
    texts = [i for i, c in enumerate(declared) if _is_text(c) and c.name not in nominal]
    if source.is_pipe or texts:
        enough = header_lines + SAMPLE_ROWS
        body = gather(chain([body], chunks), lambda chunk: chunk.next_line > enough)
    dates = _dates_among(texts, _rows(source.label, declared, body))
    columns = tuple(replace(c, kind="date") if i in dates else c for i, c in enumerate(declared))
    return TextTable(
        source=source,
        columns=columns,
        text_format=TextFormat(rows=partial(_rows, source.label, columns), special=SPECIAL),
        header_lines=header_lines,
        first=body if source.is_pipe else None,
        rest=chunks if source.is_pipe else None,
        guessed=dates,
        guesses_dates=True,
    )


def _is_text(column: Column) -> bool:
    return column.kind == "nominal" and column.categories is None


def _dates_among(texts: Collection[int], rows: Iterator[TextRow]) -> frozenset[int]:
    """The columns of texts whose first rows are ISO dates."""
    sample = [values for _, values in islice(rows, SAMPLE_ROWS)] if texts else []
    guesses = {i: guess_kind(values[i] for values in sample if i < len(values)) for i in texts}
    return frozenset(i for i, kind in guesses.items() if kind == "date")


def _columns(label: str, header: LineChunk) -> list[Column]:
    columns = checked_columns(_declared(label, header))
    if not columns:
        raise ValueError(f"{label}: there is no @attribute line")
    return columns


def _declared(label: str, header: LineChunk) -> Iterator[tuple[str, Column]]:
    for line, text in enumerate(header.decode(label).split("\n"), 1):
        statement = text.strip()
        if statement[: len("@attribute")].lower() != "@attribute":
            continue
        place = f"{label}, line {line}"
        try:
            yield place, _column(statement)
        except ValueError as error:
            raise broken(place, None, str(error)) from None


def _column(statement: str) -> Column:
    match = ATTRIBUTE.fullmatch(statement)
    if match is None:
        raise ValueError(f"expected '@attribute name type', got {shown(statement)}")
    name = _unquoted(match[1])
    kind = match[2]
    word, *rest = kind.split(maxsplit=1)
    if kind.startswith("{") and kind.endswith("}"):
        return Column(name, "nominal", categories=_categories(kind[1:-1]))
    if word.lower() in NUMERIC:
        return Column(name, "number")
    if word.lower() == "string":
        return Column(name, "nominal")
    if word.lower() == "date":
        return Column(name, "date", date_format=_date_format(_unquoted("".join(rest))))
    raise ValueError(f"attribute {shown(name)} has the unknown type {shown(kind)}")


def _categories(text: str) -> tuple[str, ...]:
    categories = _values(text)
    if len(set(categories)) < len(categories):
        doubled = Counter(categories).most_common(1)[0][0]
        raise ValueError(f"the category {shown(doubled)} appears twice")
    return tuple(categories)


def _date_format(java: str) -> str | None:
    """Gives the notation of strptime for Java's; None for ISO 8601, the default of ARFF.

    >>> _date_format("dd/MM/yyyy HH:mm")
    '%d/%m/%Y %H:%M'
    """
    if java in ("", "yyyy-MM-dd'T'HH:mm:ss"):
        return None
    if len(java) > MAX_DATE_FORMAT:
        raise ValueError(
            f"a date format has at most {MAX_DATE_FORMAT} characters, got {shown(java)}"
        )
    pieces = re.findall(r"'[^']*'|[A-Za-z]+|[^A-Za-z']+", java)
    parts = [piece for piece in pieces if piece.isalpha()]
    for position, part in enumerate(parts):
        if part not in DATE_PARTS:
            raise ValueError(f"the date format {shown(java)} has the unknown part {shown(part)}")
        if part in parts[:position]:
            raise ValueError(f"the date format {shown(java)} has the part {shown(part)} twice")
    return "".join(DATE_PARTS.get(piece, piece.strip("'").replace("%", "%%")) for piece in pieces)


def _unquoted(text: str) -> str:
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _values(text: str) -> list[str]:
    """Splits at commas outside quotes.

    >>> _values("1, 'a, b', ?")
    ['1', 'a, b', '?']
    """
    if "'" not in text and '"' not in text:
        return [value.strip() for value in text.split(",")]
    values = []
    position = 0
    while True:
        match = VALUE.match(text, position)
        if match is None:
            raise ValueError(f"{shown(text[position:])} has a quote without its other half")
        values.append(_value(match[1], match[2]))
        position = match.end()
        if not match[0].endswith(","):
            return values


def _value(quoted: str | None, unquoted: str | None) -> str:
    return _unquoted(quoted) if quoted else (unquoted or "").rstrip()


def _sparse_values(text: str, columns: Sequence[Column]) -> list[str]:
    """Fills in what a sparse row leaves out: zero, or the first category."""
    values = [column.categories[0] if column.categories else "0" for column in columns]
    position = 0
    while position < len(text):
        match = SPARSE_VALUE.match(text, position)
        if match is None or int(match[1]) >= len(columns):
            problem = f"expected 'index value' with an index below {len(columns)}"
            raise ValueError(f"{problem}, got {shown(text[position:].strip())}")
        values[int(match[1])] = _value(match[2], match[3])
        position = match.end()
    return values


def _rows(label: str, columns: Sequence[Column], chunk: LineChunk) -> Iterator[TextRow]:
    for line, text in enumerate(chunk.decode(label).split("\n"), chunk.first_line):
        row = text.strip()
        if not row or row.startswith("%"):
            continue
        try:
            if row.startswith("{") and row.endswith("}"):
                yield line, _sparse_values(row[1:-1].strip(), columns)
            else:
                yield line, _values(row)
        except ValueError as error:
            raise broken(f"{label}, line {line}", None, str(error)) from None
