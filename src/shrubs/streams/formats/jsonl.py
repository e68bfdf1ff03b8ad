"""Reads JSON Lines: one object per line, its values by name.

What a column holds is declared by its values: numbers, ``true`` and ``false``, texts, and texts
that are ISO 8601 dates. ``null`` and a name that a line leaves out are missing values.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from shrubs.dates import iso_parts
from shrubs.messages import shown
from shrubs.protocols import Kind
from shrubs.streams.formats._text_table import TextFormat, TextRow, TextTable
from shrubs.streams.formats.limits import MAX_FEATURES, MAX_HEADER_BYTES, MEGABYTE
from shrubs.streams.formats.source import SAMPLE_ROWS, LineChunk, Source, gather, line_chunks
from shrubs.streams.formats.table import Column, broken, mark_nominal
from shrubs.streams.formats.values import text_of

__all__ = ["open_jsonl", "parse_object"]

_TOO_MANY = (
    f"a learner takes at most {MAX_FEATURES} features and a target, their names at most "
    f"{MAX_HEADER_BYTES // MEGABYTE} MB; this file has more"
)


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Gives the object of one line; its values are numbers, texts, booleans or None.

    >>> parse_object('{"a": 1.5, "b": null}')
    {'a': 1.5, 'b': None}
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", None) or "what it holds cannot be read"
        raise ValueError(f"the line is no JSON ({reason})") from None
    if not isinstance(found, dict):
        raise ValueError(f"the line must be a JSON object, got {shown(found)}")
    for name, value in found.items():
        if isinstance(value, list | dict):
            raise ValueError(f"{shown(name)} holds {shown(value)}; values must not be nested")
    return found


def open_jsonl(source: Source, nominal: Collection[str] = ()) -> TextTable:
    """Opens a file of JSON Lines; all of its lines tell its columns, of a pipe the first ones."""
    chunks = line_chunks(source, quotes=False)
    start = None
    if source.is_pipe:
        start = gather(chunks, lambda chunk: chunk.next_line > SAMPLE_ROWS)
    columns = _columns(source.label, chunks if start is None else [start])
    positions = {column.name: i for i, column in enumerate(columns)}
    return TextTable(
        source=source,
        columns=mark_nominal(source.label, columns, nominal),
        text_format=TextFormat(rows=partial(_rows, source.label, positions), by_arrow=False),
        header_lines=0,
        first=start,
        rest=None if start is None else chunks,
    )


def _columns(label: str, chunks: Iterable[LineChunk]) -> list[Column]:
    votes: dict[str, Counter[Kind]] = {}
    n_bytes = 0
    for line, row in chain.from_iterable(_objects(label, chunk) for chunk in chunks):
        for name, value in row.items():
            if name not in votes:
                votes[name] = Counter()
                n_bytes += len(name)
            if value is not None:
                votes[name][_kind(value)] += 1
        if len(votes) > MAX_FEATURES + 1 or n_bytes > MAX_HEADER_BYTES:
            raise broken(f"{label}, line {line}", None, _TOO_MANY)
    if not votes:
        raise ValueError(f"{label}: there is nothing to read")
    return [Column(name, _majority(of_column)) for name, of_column in votes.items()]


def _kind(value: Any) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "nominal" if iso_parts(value) is None else "date"
    return "number"


def _majority(votes: Counter[Kind]) -> Kind:
    """What more than half of the values are, else texts; numbers if there are none."""
    most = (kind for kind, n in votes.items() if 2 * n > votes.total())
    return next(most, "nominal") if votes else "number"


def _objects(label: str, chunk: LineChunk) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in enumerate(chunk.decode(label).split("\n"), chunk.first_line):
        if not text.strip():
            continue
        try:
            yield line, parse_object(text)
        except ValueError as error:
            raise broken(f"{label}, line {line}", None, str(error)) from None


def _rows(label: str, positions: Mapping[str, int], chunk: LineChunk) -> Iterator[TextRow]:
    for line, row in _objects(label, chunk):
        values = [""] * len(positions)
        for name, value in row.items():
            if name not in positions:
                problem = f"the first lines do not have the name {shown(name)}"
                raise broken(f"{label}, line {line}", None, problem)
            if value is not None:
                values[positions[name]] = text_of(value)
        yield line, values
