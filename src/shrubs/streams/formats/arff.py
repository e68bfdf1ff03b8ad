"""Reads ARFF, the format of WEKA and MOA, as a stream.

Numeric, nominal, string and date attributes, dense and sparse rows. The readers of SciPy and
liac-arff load whole files, so this one is written here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from shrubs.streams.formats._text_table import TextFormat, TextRow, TextTable
from shrubs.streams.formats.source import (
    SAMPLE_ROWS,
    LineChunk,
    Source,
    gather,
    line_chunks,
    skip_lines,
)
from shrubs.streams.formats.table import Column, broken, mark_nominal, shown

__all__ = ["open_arff"]

DATA = re.compile(rb"^[ \t]*@data\b[^\n]*(\n|\Z)", re.IGNORECASE | re.MULTILINE)
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
UNQUOTED = r"(?!['\"])[^,]*?"
VALUE = re.compile(rf"\s*({QUOTED}|{UNQUOTED})\s*(?:,|$)")
SPARSE_VALUE = re.compile(rf"\s*(\d+)\s+({QUOTED}|{UNQUOTED})\s*(?:,|$)")
SPECIAL = b"'\"\\{%"  # a chunk without these is plain comma-separated text
NUMERIC = frozenset(["numeric", "real", "integer"])
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
    start = gather(chunks, _has_sample)
    data = DATA.search(start.text)
    if data is None:
        raise ValueError(f"{source.label}: there is no @data line")
    header = LineChunk(start.text[: data.end()], 1)
    columns = mark_nominal(source.label, _columns(source.label, header), nominal)
    header_lines = max(1, header.text.count(b"\n"))
    body = next(skip_lines([start], header_lines), LineChunk(b"", header_lines + 1))
    return TextTable(
        source=source,
        columns=columns,
        text_format=TextFormat(rows=partial(_rows, source.label, columns), special=SPECIAL),
        header_lines=header_lines,
        first=body if source.is_pipe else None,
        rest=chunks if source.is_pipe else None,
    )


def _has_sample(text: bytes) -> bool:
    data = DATA.search(text)
    return data is not None and text.count(b"\n", data.end()) >= SAMPLE_ROWS


def _columns(label: str, header: LineChunk) -> list[Column]:
    columns = []
    for line, text in enumerate(header.decode(label).splitlines(), 1):
        statement = text.strip()
        if not statement.lower().startswith("@attribute"):
            continue
        try:
            columns.append(_column(statement))
        except ValueError as error:
            raise broken(f"{label}, line {line}", None, str(error)) from None
    if not columns:
        raise ValueError(f"{label}: there is no @attribute line")
    return columns


def _column(statement: str) -> Column:
    match = ATTRIBUTE.fullmatch(statement)
    if match is None:
        raise ValueError(f"expected '@attribute name type', got {shown(statement)}")
    name = _unquoted(match[1])
    kind = match[2].strip()
    word, _, rest = kind.partition(" ")
    if kind.startswith("{") and kind.endswith("}"):
        return Column(name, "nominal", categories=tuple(_values(kind[1:-1])))
    if word.lower() in NUMERIC:
        return Column(name, "number")
    if word.lower() == "string":
        return Column(name, "nominal")
    if word.lower() == "date":
        return Column(name, "date", date_format=_date_format(_unquoted(rest.strip())))
    raise ValueError(f"attribute {name!r} has the unknown type {shown(kind)}")


def _date_format(java: str) -> str | None:
    """Gives the notation of strptime for Java's; None for ISO 8601, the default of ARFF.

    >>> _date_format("dd/MM/yyyy HH:mm")
    '%d/%m/%Y %H:%M'
    """
    if java in ("", "yyyy-MM-dd'T'HH:mm:ss"):
        return None
    pieces = re.findall(r"'[^']*'|[A-Za-z]+|[^A-Za-z']+", java)
    unknown = [piece for piece in pieces if piece.isalpha() and piece not in DATE_PARTS]
    if unknown:
        raise ValueError(f"the date format {java!r} has the unknown part {unknown[0]!r}")
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
        values.append(_unquoted(match[1]))
        position = match.end()
        if not match[0].endswith(","):
            return values


def _sparse_values(text: str, columns: Sequence[Column]) -> list[str]:
    """Fills in what a sparse row leaves out: zero, or the first category."""
    values = [column.categories[0] if column.categories else "0" for column in columns]
    position = 0
    while position < len(text):
        match = SPARSE_VALUE.match(text, position)
        if match is None or int(match[1]) >= len(columns):
            problem = f"expected 'index value' with an index below {len(columns)}"
            raise ValueError(f"{problem}, got {shown(text[position:].strip())}")
        values[int(match[1])] = _unquoted(match[2])
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
