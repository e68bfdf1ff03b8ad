"""What comes with examples, apart from numbers: names, categories, labels; and how tables take it.

The tables themselves (`_core.Tables`) keep it in bytes of their own.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timezone
from typing import Any

import numpy as np

from shrubs._core import Tables
from shrubs.messages import shown

__all__ = [
    "add_columns",
    "add_positions",
    "add_row",
    "all_or_nothing",
    "as_array",
    "as_number",
    "canonical",
    "check_names",
    "has_texts",
    "is_missing",
    "plain_label",
]


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or a library's own missing value."""
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def as_number(value: Any) -> Any:
    """A date as in files, as seconds since 1970 in UTC; anything else as it is.

    >>> as_number(datetime(1970, 1, 2)), as_number(np.datetime64("1970-01-02")), as_number("a")
    (86400.0, 86400.0, 'a')
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if is_missing(value) or not isinstance(value, date):
        return value
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return (value if value.tzinfo else value.replace(tzinfo=timezone.utc)).timestamp()


def plain_label(label: Any) -> Any:
    """A label without NumPy's wrapping; raises for a missing one."""
    plain = label.item() if isinstance(label, np.generic) else label
    if is_missing(plain):
        raise ValueError(f"y must not be missing, got {shown(label)}")
    return plain


def canonical(names: Iterable[Hashable]) -> list[Hashable]:
    """Names in an order that does not depend on how they came."""
    return sorted(names, key=lambda name: (type(name).__name__, str(name)))


def as_array(labels: Sequence[Hashable]) -> np.ndarray[Any, Any]:
    """Labels as an array, of a plain type where they have one."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {int, float, str, bool, bytes}:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    for i, label in enumerate(labels):
        array[i] = label
    return array


@contextlib.contextmanager
def all_or_nothing(tables: Tables) -> Iterator[None]:
    """What the body adds to the tables goes again if it fails."""
    mark = tables.mark()
    try:
        yield
    except BaseException:
        tables.go_back_to(mark)
        raise


def check_names(tables: Tables, row: Any) -> None:
    """Raise for names where features have none."""
    if tables.named is False and isinstance(row, Mapping):
        raise ValueError(
            f"this learner was built on unnamed features: give x as {len(tables)} values in "
            "order, not by name"
        )


def add_row(tables: Tables, row: dict[Hashable, Any] | list[Any], nominal: Sequence[Any]) -> None:
    """Add what is new in a row; missing values bring no new feature."""
    if isinstance(row, dict):
        present = {name: [value] for name, value in row.items() if not is_missing(value)}
        add_columns(tables, present, nominal)
    elif tables.named is not None and len(row) != len(tables):
        raise ValueError(f"x has {len(row)} features, but this learner was built for {len(tables)}")
    else:
        add_positions(tables, [[value] for value in row], nominal)


def add_columns(
    tables: Tables, columns: Mapping[Hashable, Sequence[Any]], nominal: Iterable[Hashable]
) -> None:
    """Add the new ones among named columns, and all categories that occur in them."""
    check_names(tables, columns)
    tables.named = True
    declared = set(nominal)
    for name in canonical(name for name in columns if tables.column(name) is None):
        texts = has_texts(columns[name])
        tables.add_feature(name, name in declared or texts, texts)
    _add_categories(tables, ((_known(tables, name), columns[name]) for name in columns))


def add_positions(
    tables: Tables, columns: Sequence[Sequence[Any]], nominal: Iterable[Hashable]
) -> None:
    """Add unnamed features, one per column, and all categories that occur in them.

    A column of texts is nominal. Features that are there already only gain categories.
    """
    if tables.named is not None:
        _add_categories(tables, enumerate(columns))
        return
    declared = _positions(nominal, len(columns))
    tables.named = False
    for i, column in enumerate(columns):
        texts = has_texts(column)
        tables.add_feature(None, i in declared or texts, texts)
    _add_categories(tables, enumerate(columns))


def _known(tables: Tables, name: Hashable) -> int:
    column = tables.column(name)
    assert column is not None, "it has just been added"
    return column


def _add_categories(tables: Tables, columns: Iterable[tuple[int, Sequence[Any]]]) -> None:
    for column, values in columns:
        if tables.has_texts(column):
            for value in values:
                if not is_missing(value):
                    tables.add_category(column, value)


def has_texts(values: Sequence[Any]) -> bool:
    """Whether there are texts among them; numbers say so by their type."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return False
    return any(isinstance(value, str | bytes) for value in values)


def _positions(nominal: Iterable[Hashable], n_features: int) -> set[Hashable]:
    declared = set(nominal)
    for position in declared:
        if not isinstance(position, int) or not 0 <= position < n_features:
            raise ValueError(
                f"nominal_features must be positions from 0 to {n_features - 1} for unnamed "
                f"features, got {shown(position)}"
            )
    return declared
