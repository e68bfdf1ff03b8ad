"""Columns turned into what learners take: numbers, codes of categories and indices of classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.dates import names_of_parts
from shrubs.messages import shown
from shrubs.streams.formats.limits import CategoryRoom
from shrubs.streams.formats.table import Batch, Column, Dates, Numbers, Texts, broken
from shrubs.streams.formats.values import numbers_as_texts, parse_date_parts, parser_of

__all__ = [
    "Codes",
    "Distinct",
    "by_name",
    "coded",
    "date_parts",
    "decode",
    "distinct_labels",
    "features_of",
    "first_row",
    "is_missing",
]

UNKNOWN = -2


class Codes:
    """The codes 0, 1, 2, ... of categories or classes.

    Those of a pipe grow as they appear, as long as there is ``room``.
    """

    def __init__(self, known: Iterable[Hashable], room: CategoryRoom | None) -> None:
        self._codes = {value: code for code, value in enumerate(known)}
        self._room = room

    @property
    def known(self) -> tuple[Hashable, ...]:
        """All values, by their codes."""
        return tuple(self._codes)

    def of(self, values: Sequence[Hashable]) -> NDArray[np.int64]:
        """Gives the codes of values, ``UNKNOWN`` for those that are not known."""
        if self._room is not None:
            new = [value for value in dict.fromkeys(values) if value not in self._codes]
            self._room.take(new)
            self._codes.update(zip(new, count(len(self._codes))))
        return np.array([self._codes.get(value, UNKNOWN) for value in values], dtype=np.int64)


@dataclass(frozen=True)
class Distinct:
    """The distinct values of a column in one batch, and which one each row has (-1: missing)."""

    values: Sequence[Hashable]
    rows: NDArray[np.int64]

    def used(self) -> list[Hashable]:
        """Gives the values that some row has."""
        return [self.values[row] for row in np.unique(self.rows) if row >= 0]


def decode(batch: Batch, i: int, column: Column) -> Numbers | Texts:
    """Gives column ``i`` of a batch: texts for categories, numbers (NaN: missing) for all else.

    Dates are seconds since 1970: as targets and labels.
    """
    raw = batch.data[i]
    if isinstance(raw, Dates):
        return raw.seconds
    if column.kind == "nominal":
        return raw if isinstance(raw, Texts) else numbers_as_texts(raw)
    return _parsed(batch, column, raw) if isinstance(raw, Texts) else raw


def _parsed(batch: Batch, column: Column, texts: Texts) -> Numbers:
    return _by_text(batch, column, texts, parser_of(column), np.full(len(texts.values) + 1, np.nan))


def date_parts(batch: Batch, i: int, column: Column) -> Numbers:
    """Gives the parts of the dates in column ``i`` of a batch, ``(3, n_rows)``, NaN for missing."""
    raw = batch.data[i]
    if isinstance(raw, Dates):
        return raw.parts
    assert isinstance(raw, Texts)
    parse = partial(parse_date_parts, date_format=column.date_format)
    parts: Numbers = _by_text(
        batch, column, raw, parse, np.full((len(raw.values) + 1, 3), np.nan)
    ).T
    return parts


def _by_text(
    batch: Batch, column: Column, texts: Texts, parse: Callable[[str], Any], numbers: Numbers
) -> Numbers:
    """Fills in the numbers of the distinct texts, the last for code -1; gives those of all rows."""
    for code, text in enumerate(texts.values):
        try:
            numbers[code] = parse(text)
        except ValueError as error:
            place = batch.place(first_row(texts.codes == code))
            raise broken(place, column.name, str(error)) from None
    return numbers[texts.codes]


def features_of(batch: Batch, i: int, column: Column) -> dict[str, Numbers | Texts]:
    """Gives what column ``i`` of a batch is to a learner, by name: a date is several features."""
    if column.kind != "date":
        return {column.name: decode(batch, i, column)}
    return dict(zip(names_of_parts(column.name), date_parts(batch, i, column), strict=True))


def is_missing(values: Numbers | Texts) -> NDArray[np.bool_]:
    """Gives for each row of a column whether it has no value."""
    return values.codes < 0 if isinstance(values, Texts) else np.isnan(values)


def by_name(columns: Mapping[str, Numbers | Texts]) -> Iterator[dict[str, Any]]:
    """Yields the rows of a batch, each by name; missing values are left out.

    >>> columns = {"a": np.array([1.5, np.nan]), "b": Texts(["x"], np.array([-1, 0]))}
    >>> list(by_name(columns))
    [{'a': 1.5}, {'b': 'x'}]
    """
    for row in zip(*map(_as_list, columns.values()), strict=True):
        yield {name: value for name, value in zip(columns, row, strict=True) if value is not None}


def _as_list(values: Numbers | Texts) -> list[Any]:
    if isinstance(values, Texts):
        return [None if code < 0 else values.values[code] for code in values.codes.tolist()]
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124


def first_row(condition: NDArray[np.bool_]) -> int:
    """Gives the first row for which ``condition`` holds."""
    return int(np.argmax(condition))


def distinct_labels(batch: Batch, i: int, column: Column) -> Distinct:
    """Gives the labels in a column: texts, booleans, or numbers (whole ones as ``int``)."""
    values = decode(batch, i, column)
    if isinstance(values, Texts):
        return Distinct(values.values, values.codes)
    numbers, rows = np.unique(values, return_inverse=True)
    labels = [_label(number, column) for number in numbers[~np.isnan(numbers)].tolist()]
    rows = rows.reshape(-1).astype(np.int64)  # NaN sorts last
    return Distinct(labels, np.where(rows < len(labels), rows, -1))


def _label(number: float, column: Column) -> Hashable:
    if column.kind == "boolean":
        return bool(number)
    return int(number) if number.is_integer() else number


def coded(batch: Batch, column: Column, distinct: Distinct, codes: Codes) -> NDArray[np.int64]:
    """Gives the code of each row, -1 for missing; a value without a code is an error."""
    of_rows = np.append(codes.of(distinct.values), -1)[distinct.rows]
    unknown = of_rows == UNKNOWN
    if unknown.any():
        row = first_row(unknown)
        value = shown(distinct.values[distinct.rows[row]])
        problem = f"{value} is not one of the {len(codes.known)} known values"
        raise broken(batch.place(row), column.name, problem)
    return of_rows
