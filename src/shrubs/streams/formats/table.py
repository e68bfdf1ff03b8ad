"""What every file format is turned into: named columns, read batch by batch."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shrubs.messages import shown
from shrubs.protocols import Kind

__all__ = [
    "Batch",
    "Column",
    "Dates",
    "Numbers",
    "Table",
    "Texts",
    "broken",
    "column_not_found",
    "mark_nominal",
    "reason",
]

Numbers: TypeAlias = NDArray[np.float64]

SHOWN_NAMES = 20
SHOWN_CHARACTERS = 80


@dataclass(frozen=True)
class Column:
    """One column of a file: its name, what its values are, and what the file declares of it.

    ``categories`` are declared in an ARFF header; ``None`` means that they have to be found.
    ``date_format`` is in the notation of ``strptime``; ``None`` means ISO 8601.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] | None = None
    date_format: str | None = None


@dataclass(frozen=True)
class Texts:
    """The texts of a column in one batch: distinct values, and which one each row has.

    ``codes`` is ``(n_rows,)``: positions in ``values``, -1 for missing.
    """

    values: Sequence[str]
    codes: NDArray[np.int64]


@dataclass(frozen=True)
class Dates:
    """The dates of a column in one batch, where a file holds them as such.

    ``seconds`` are those since 1970 in UTC, ``parts``, ``(3, n)``, what `shrubs.dates` makes of it.
    """

    seconds: Numbers
    parts: Numbers


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a file, column by column.

    ``place(row)`` says where a row stands: ``elec.csv, line 17``.
    """

    n_rows: int
    data: Mapping[int, Numbers | Texts | Dates]
    place: Callable[[int], str]


class Table(Protocol):
    """A file seen as columns. Only the ``wanted`` columns (positions) are read."""

    @property
    def label(self) -> str:
        """How messages call the file."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in the order of the file."""

    @property
    def read_once(self) -> bool:
        """Whether this is a pipe, which cannot be read a second time."""

    @property
    def guessed(self) -> frozenset[int]:
        """The columns whose kinds were guessed from the first rows."""

    def settled(self) -> Table:
        """The table with the kinds that the whole file shows, where they were guessed."""

    def preview(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields what may be seen before reading: the whole file, or the first rows of a pipe."""

    def batches(self, wanted: Collection[int]) -> Iterator[Batch]:
        """Yields all rows in order."""


def reason(error: Exception) -> str:
    r"""Gives in a few words why a library could not read a file.

    >>> reason(OSError("bad page.\nin file.cc:17")), reason(EOFError())
    ('bad page', 'EOFError')
    """
    lines = str(error).splitlines()
    return lines[0][:SHOWN_CHARACTERS].rstrip(".") if lines else type(error).__name__


def broken(place: str, column: str | None, problem: str) -> ValueError:
    """Gives the error for a broken value: file, line, column and what is wrong.

    >>> print(broken("elec.csv, line 17", "nswprice", "'abc' is not a number"))
    elec.csv, line 17, column 'nswprice': 'abc' is not a number
    """
    where = place if column is None else f"{place}, column {shown(column)}"
    return ValueError(f"{where}: {problem}")


def column_not_found(label: str, name: str, names: Iterable[str]) -> ValueError:
    """Gives the error for a column that is not there: the nearest name, and all of them.

    >>> print(column_not_found("elec.csv", "clas", ["day", "period", "class"]))
    elec.csv: no column 'clas'; did you mean 'class'? the columns are day, period, class
    """
    known = list(names)
    near = difflib.get_close_matches(name, known, n=1)
    question = f"; did you mean {shown(near[0])}?" if near else ";"
    names = ", ".join(each[:SHOWN_CHARACTERS] for each in known[:SHOWN_NAMES])
    more = f" and {len(known) - SHOWN_NAMES} more" if len(known) > SHOWN_NAMES else ""
    return ValueError(f"{label}: no column {shown(name)}{question} the columns are {names}{more}")


def mark_nominal(
    label: str, columns: Sequence[Column], nominal: Collection[str]
) -> tuple[Column, ...]:
    """Makes the named columns nominal, whatever their values look like."""
    names = [column.name for column in columns]
    for name in nominal:
        if name not in names:
            raise column_not_found(label, name, names)
    return tuple(
        replace(column, kind="nominal") if column.name in nominal else column for column in columns
    )
