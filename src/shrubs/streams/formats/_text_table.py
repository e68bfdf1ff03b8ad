"""Rows of text turned into columns: by pyarrow where it can, in Python where it cannot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeAlias

import numpy as np

from shrubs.protocols import Kind
from shrubs.streams.formats._arrow import arrow_data
from shrubs.streams.formats.limits import rows_per_batch
from shrubs.streams.formats.source import LineChunk, Source, line_chunks, skip_lines
from shrubs.streams.formats.table import Batch, Column, Numbers, Texts, broken
from shrubs.streams.formats.values import KindVotes, parse_number, texts_of

__all__ = ["TextFormat", "TextRow", "TextTable", "whole_rows"]

TextRow: TypeAlias = tuple[int, list[str]]
"""The line a row starts on, and its values."""

SplitRows: TypeAlias = Callable[[LineChunk], Iterator[TextRow]]


@dataclass(frozen=True)
class TextFormat:
    """How a chunk of text becomes rows: ``rows`` always can, pyarrow can without ``special``."""

    rows: SplitRows
    by_arrow: bool = True
    separator: str = ","
    special: bytes = b""
    quotes_span_lines: bool = False


@dataclass(frozen=True)
class TextTable:
    """A file of text below a header of ``header_lines`` lines.

    For a pipe, ``first`` is what has been read of its body and ``rest`` gives the remainder. The
    kinds of the columns ``guessed`` were guessed from the first rows; with ``guesses_dates``, texts
    that look like dates.
    """

    source: Source
    columns: tuple[Column, ...]
    text_format: TextFormat
    header_lines: int
    first: LineChunk | None = None
    rest: Iterator[LineChunk] | None = None
    guessed: frozenset[int] = frozenset()
    guesses_dates: bool = False

    @property
    def label(self) -> str:
        """How messages call the file."""
        return self.source.label

    @property
    def read_once(self) -> bool:
        """Whether this is standard input."""
        return self.source.is_pipe

    def settled(self) -> TextTable:
        """The table with the kinds that the whole file shows, where they were guessed."""
        votes = {i: KindVotes() for i in self.guessed}
        texts = replace(self, columns=tuple(Column(c.name, "nominal") for c in self.columns))
        for batch in texts.batches(self.guessed):
            for i, of_column in votes.items():
                of_column.add_all(batch.data[i])
        columns = list(self.columns)
        for i, of_column in votes.items():
            is_text = self.guesses_dates and of_column.kind != "date"
            columns[i] = replace(columns[i], kind="nominal" if is_text else of_column.kind)
        return replace(self, columns=tuple(columns))

    def with_kinds(self, known: Mapping[str, Kind]) -> TextTable:
        """The table with kinds that are known; numbers and truth values stay as they look."""
        columns = list(self.columns)
        for i, column in enumerate(columns):
            kind = known.get(column.name, column.kind)
            if kind != column.kind and {kind, column.kind} != {"number", "boolean"}:
                columns[i] = Column(column.name, kind)
        guessed = frozenset(i for i in self.guessed if columns[i].name not in known)
        return replace(self, columns=tuple(columns), guessed=guessed)

    def preview(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields the whole file, or the first rows of a pipe."""
        if self.first is None:
            return self.batches(wanted)
        return self._parsed([self.first], wanted)

    def batches(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields all rows in order."""
        if self.first is not None and self.rest is not None:
            return self._parsed(chain([self.first], self.rest), wanted)
        chunks = line_chunks(self.source, quotes=self.text_format.quotes_span_lines)
        return self._parsed(skip_lines(chunks, self.header_lines), wanted)

    def _parsed(self, chunks: Iterable[LineChunk], wanted: Collection[int]) -> Iterator[Batch]:
        for chunk in chunks:
            batch = self._parsed_by_arrow(chunk, wanted)
            if batch is None:
                yield from self._parsed_in_python(chunk, wanted)
            elif batch.n_rows > 0:
                yield batch

    def _parsed_by_arrow(self, chunk: LineChunk, wanted: Collection[int]) -> Batch | None:
        how = self.text_format
        if not how.by_arrow or any(character in chunk.text for character in how.special):
            return None
        data = arrow_data(chunk.text, self.columns, wanted, how.separator)
        if data is None:
            return None
        return Batch(_n_rows(data), data, lambda row: self._place(chunk, row))

    def _parsed_in_python(self, chunk: LineChunk, wanted: Collection[int]) -> Iterator[Batch]:
        n_columns = len(self.columns)
        rows = whole_rows(self.label, self.text_format.rows(chunk), n_columns)
        while some := list(islice(rows, rows_per_batch(n_columns))):
            yield _batch_of_rows(self.label, some, self.columns, wanted)

    def _place(self, chunk: LineChunk, row: int) -> str:
        line, _ = next(islice(self.text_format.rows(chunk), row, None))
        return f"{self.label}, line {line}"


def _n_rows(data: Mapping[int, Numbers | Texts]) -> int:
    column = next(iter(data.values()))
    return len(column.codes if isinstance(column, Texts) else column)


def whole_rows(label: str, rows: Iterable[TextRow], n_columns: int) -> Iterator[TextRow]:
    """Yields the rows; every one must have a value for each column."""
    for line, values in rows:
        if len(values) != n_columns:
            problem = f"expected {n_columns} values, got {len(values)}"
            raise broken(f"{label}, line {line}", None, problem)
        yield line, values


def _batch_of_rows(
    label: str, rows: Sequence[TextRow], columns: Sequence[Column], wanted: Collection[int]
) -> Batch:
    def place(row: int) -> str:
        return f"{label}, line {rows[row][0]}"

    data: dict[int, Numbers | Texts] = {}
    for i in wanted:
        texts = [values[i] for _, values in rows]
        if columns[i].kind == "number":
            data[i] = _parsed_numbers(texts, columns[i], place)
        else:
            data[i] = texts_of(texts)
    return Batch(len(rows), data, place)


def _parsed_numbers(texts: Sequence[str], column: Column, place: Callable[[int], str]) -> Numbers:
    numbers = np.empty(len(texts))
    for row, text in enumerate(texts):
        try:
            numbers[row] = parse_number(text)
        except ValueError as error:
            raise broken(place(row), column.name, str(error)) from None
    return numbers
