"""Dates among the features: a column of dates becomes the parts that `shrubs.dates` makes of it.

A column holds dates if its first value is one, and it stays so: what is no date is then refused
while learning and missing for a prediction, as texts are in a column of numbers. Which columns they
are is known from the names of their parts. Without names, a row that holds a date is one by
position: its parts need names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Tables
from shrubs.dates import Parts, names_of_parts, parts_of
from shrubs.learners._tables import is_missing
from shrubs.messages import shown

__all__ = [
    "Dates",
    "dates_of",
    "has_dates",
    "is_by_position",
    "known_features",
    "spread_columns",
    "spread_row",
]

_NOTHING: Parts = (float("nan"),) * 3


@dataclass(frozen=True)
class Dates:
    """A column of dates: their parts, ``(3, n)``."""

    parts: NDArray[np.float64]


def dates_of(values: Sequence[Any]) -> Dates | None:
    """A column of dates and missing values; None if anything else is among them."""
    if not _begins_with_date(values):
        return None
    parts = [_NOTHING if is_missing(value) else parts_of(value) for value in values]
    if any(found is None for found in parts):
        return None
    return Dates(np.array(parts, dtype=np.float64).reshape(-1, 3).T)


def spread_row(
    tables: Tables, row: dict[Hashable, Any] | list[Any], nominal: Iterable[Any], *, learning: bool
) -> dict[Hashable, Any] | list[Any]:
    """A row with the parts of its dates in their place; missing values are left out of a dict."""
    if isinstance(row, list):
        if not _has_names(tables, row, nominal):
            return row
        row = _by_name(tables, row)
    spread: dict[Hashable, Any] = {}
    declared = set(nominal)
    for name, value in row.items():
        if is_missing(value):
            continue
        parts = _parts(tables, name, value, declared)
        if parts is None and _is_date(tables, name):
            parts = _refuse(name, value) if learning else _NOTHING
        if parts is None:
            spread[name] = value
        else:
            found = zip(_free_names(name, row, spread), parts, strict=True)
            spread.update((part, number) for part, number in found if number == number)  # noqa: PLR0124
    return spread if learning else known_features(tables, spread)


def known_features(tables: Tables, row: Any) -> Any:
    """A row without what is not known: where there are dates, the core stops at it."""
    if not tables.has_dates or not isinstance(row, dict):
        return row
    return {name: value for name, value in row.items() if tables.column(name) is not None}


def spread_columns(
    tables: Tables, columns: Mapping[Hashable, Any], nominal: Iterable[Any], *, learning: bool
) -> dict[Hashable, Any]:
    """The same for the columns of a frame."""
    spread: dict[Hashable, Any] = {}
    declared = set(nominal)
    for name, column in columns.items():
        dates = _dates_in(tables, name, column, declared, learning=learning)
        if dates is None:
            spread[name] = column
        else:
            for part, numbers in zip(_free_names(name, columns, spread), dates.parts, strict=True):
                spread[part] = None if np.isnan(numbers).all() else numbers
    return spread


def has_dates(columns: Mapping[Hashable, Any], nominal: Iterable[Any]) -> bool:
    """Whether there are dates among columns that no learner has seen."""
    declared = set(nominal)
    return any(
        isinstance(column, Dates)
        or (isinstance(column, list) and name not in declared and _begins_with_date(column))
        for name, column in columns.items()
    )


def is_by_position(tables: Tables) -> bool:
    """Whether features are named by the positions of their columns, as there are dates."""
    return tables.has_dates and all(_has_position(name) for name in tables.names() or ())


def _has_position(name: Hashable) -> bool:
    if isinstance(name, int):
        return True
    position, mark, _ = str(name).partition(": ")
    return bool(mark) and position.isdecimal()


def _has_names(tables: Tables, values: list[Any], nominal: Iterable[Any]) -> bool:
    """Whether values without names have to get some; raises for dates where it is too late."""
    if tables.has_dates:
        return True
    dates = [i for i, value in enumerate(values) if parts_of(value) is not None]
    if tables.named is None:
        return not set(dates) <= set(nominal)
    for i in dates:
        if not isinstance(values[i], str):
            raise _takes_no_dates(tables, i, i, values[i])
    return False


def _by_name(tables: Tables, values: list[Any]) -> dict[Hashable, Any]:
    names = tables.names()
    if names is None or is_by_position(tables):
        return dict(enumerate(values))
    if len(names) != len(values):
        raise ValueError(
            f"x has {len(values)} features, but this learner was built for {len(names)}"
        )
    return dict(zip(names, values, strict=True))


def _parts(tables: Tables, name: Hashable, value: Any, nominal: set[Any]) -> Parts | None:
    """The parts of a value, if its column may hold dates."""
    if isinstance(value, float | int):
        return None
    found = parts_of(value)
    if found is None:
        return None
    column = tables.column(name)
    if column is None and name not in nominal:
        return found
    if isinstance(value, str):
        return None
    raise _takes_no_dates(tables, name, column, value)


def _takes_no_dates(tables: Tables, name: Hashable, column: int | None, value: Any) -> TypeError:
    kind = "numbers" if column is not None and not tables.has_texts(column) else "categories"
    return TypeError(f"feature {shown(name)} takes {kind}, got {shown(value)}")


def _dates_in(
    tables: Tables, name: Hashable, column: Any, nominal: set[Any], *, learning: bool
) -> Dates | None:
    """A column of a frame as dates; None if it holds none."""
    if tables.column(name) is not None or name in nominal:
        if isinstance(column, Dates):
            raise _takes_no_dates(tables, name, tables.column(name), "dates")
        return None
    if column is None or isinstance(column, Dates):
        return column
    if not (_is_date(tables, name) or (isinstance(column, list) and _begins_with_date(column))):
        return None
    parts = []
    for value in column:
        found = _NOTHING if is_missing(value) else parts_of(value)
        parts.append(found or (_refuse(name, value) if learning else _NOTHING))
    return Dates(np.array(parts, dtype=np.float64).reshape(-1, 3).T)


def _begins_with_date(column: Sequence[Any]) -> bool:
    first = next((value for value in column if not is_missing(value)), None)
    return parts_of(first) is not None


def _is_date(tables: Tables, name: Hashable) -> bool:
    """Whether a column is known to hold dates."""
    return (
        tables.has_dates
        and tables.column(name) is None
        and any(tables.column(part) is not None for part in names_of_parts(name))
    )


def _refuse(name: Hashable, value: Any) -> Parts:
    raise TypeError(f"feature {shown(name)} takes dates, got {shown(value)}")


def _free_names(name: Hashable, *others: Mapping[Hashable, Any]) -> tuple[str, ...]:
    """The names of a date's parts; raises if another feature has one of them."""
    names = names_of_parts(name)
    for part in names:
        if any(part in taken for taken in others):
            raise ValueError(f"there are two features {shown(part)}, one of the date {shown(name)}")
    return names
