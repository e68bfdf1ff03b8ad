"""Reads libsvm (svmlight) files: a label, then ``index:value`` pairs; what is left out is zero.

The one of scikit-learn loads whole files and the format is small, so this reader is written here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from shrubs.messages import shown
from shrubs.streams.formats.limits import MAX_FEATURES, rows_per_batch
from shrubs.streams.formats.source import LineChunk, Source, line_chunks
from shrubs.streams.formats.table import Batch, Column, Numbers, Texts, broken, mark_nominal
from shrubs.streams.formats.values import parse_number

__all__ = ["LibsvmTable", "open_libsvm"]

MAX_ROWS_PER_BATCH = 1024
MAX_DIGITS = 9  # of an index
LABEL = "target"


@dataclass(frozen=True)
class LibsvmTable:
    """A libsvm file: the column ``target``, then one column for each index."""

    source: Source
    columns: tuple[Column, ...]
    first_index: int

    @property
    def label(self) -> str:
        """How messages call the file."""
        return self.source.label

    @property
    def read_once(self) -> bool:
        """Whether this is a pipe: never, the number of features is found beforehand."""
        return False

    @property
    def guessed(self) -> frozenset[int]:
        """The columns whose kinds were guessed: none, all are numbers."""
        return frozenset()

    def settled(self) -> LibsvmTable:
        """The table as it is."""
        return self

    def preview(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields the whole file."""
        return self.batches(wanted)

    def batches(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields all rows in order."""
        rows: list[LibsvmRow] = []
        size = min(MAX_ROWS_PER_BATCH, rows_per_batch(len(self.columns)))
        # Opening the file has checked all pairs, so a look at the labels alone can pass them over.
        for row in _rows(self.source, pairs=set(wanted) != {0}):
            rows.append(row)
            if len(rows) == size:
                yield self._batch(rows, wanted)
                rows = []
        if rows:
            yield self._batch(rows, wanted)

    def _batch(self, rows: list[LibsvmRow], wanted: Collection[int]) -> Batch:
        data: dict[int, Numbers | Texts] = {i: np.zeros(len(rows)) for i in wanted if i > 0}
        for position, row in enumerate(rows):
            for index, value in row.values.items():
                column = data.get(index - self.first_index + 1)
                if column is not None:
                    assert isinstance(column, np.ndarray)
                    column[position] = value
        if 0 in wanted:
            data[0] = np.array([row.label for row in rows])
        return Batch(len(rows), data, partial(_place, self.label, rows))


@dataclass(frozen=True)
class LibsvmRow:
    """One line: its number, its label and its values by index."""

    line: int
    label: float
    values: dict[int, float]


def open_libsvm(source: Source, nominal: Collection[str] = ()) -> LibsvmTable:
    """Opens a libsvm file and reads it once to find the number of features.

    Indices count from 1, or from 0 if the file has the index 0.
    """
    if source.is_pipe:
        problem = "its number of features is not known before its end; give the name of a file"
        raise ValueError(f"libsvm cannot be read from standard input: {problem}")
    first, last = 1, 0
    for row in _rows(source, pairs=True):
        first = min(first, min(row.values, default=1))
        last = max(last, max(row.values, default=0))
        if last - first >= MAX_FEATURES:
            most = f"a learner takes at most {MAX_FEATURES} features"
            problem = f"{most}, the indices are {first} to {last}"
            raise broken(f"{source.label}, line {row.line}", None, problem)
    names = [LABEL, *(str(index) for index in range(first, last + 1))]
    columns = mark_nominal(source.label, [Column(name, "number") for name in names], nominal)
    return LibsvmTable(source, columns, first)


def _rows(source: Source, *, pairs: bool) -> Iterator[LibsvmRow]:
    for chunk in line_chunks(source, quotes=False):
        yield from _chunk_rows(source.label, chunk, pairs=pairs)


def _chunk_rows(label: str, chunk: LineChunk, *, pairs: bool) -> Iterator[LibsvmRow]:
    for line, text in enumerate(chunk.decode(label).split("\n"), chunk.first_line):
        words = text.partition("#")[0].split(maxsplit=-1 if pairs else 1)
        if not words:
            continue
        try:
            values = dict(_pair(word) for word in words[1:]) if pairs else {}
            yield LibsvmRow(line, parse_number(words[0]), values)
        except ValueError as error:
            raise broken(f"{label}, line {line}", None, str(error)) from None


def _pair(word: str) -> tuple[int, float]:
    index, _, value = word.partition(":")
    if not (index.isdecimal() and len(index) <= MAX_DIGITS and value):
        raise ValueError(f"{shown(word)} is not a pair 'index:value'")
    return int(index), parse_number(value)


def _place(label: str, rows: list[LibsvmRow], row: int) -> str:
    return f"{label}, line {rows[row].line}"
