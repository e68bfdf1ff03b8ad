"""What the core does not know: names and categories of features, labels of classes.

Tables are never changed, only replaced by longer ones. A step that fails half-way leaves the
learner with the tables it had.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Classes", "Features", "canonical", "is_missing", "plain_label"]


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or a library's own missing value."""
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def plain_label(label: Any) -> Hashable:
    """A label without NumPy's wrapping, so that it can be compared, printed and saved."""
    plain = label.item() if isinstance(label, np.generic) else label
    if is_missing(plain):
        raise ValueError(f"y must not be missing, got {label!r}")
    try:
        hash(plain)
    except TypeError:
        raise TypeError(f"y must be hashable, got {label!r}") from None
    return plain  # type: ignore[no-any-return]


def _is_text(value: Any) -> bool:
    return isinstance(value, str | bytes)


def canonical(names: Iterable[Hashable]) -> list[Hashable]:
    """Names in an order that does not depend on how they came."""
    return sorted(names, key=lambda name: (type(name).__name__, str(name)))


@dataclass(frozen=True)
class Features:
    """The features: columns by name (if they have names), 1 for nominal ones, named categories.

    A nominal feature whose categories are texts has a table from category to code; one that
    comes as integers has none.
    """

    columns: dict[Hashable, int] | None = None
    nominal: bytes = b""
    categories: tuple[dict[Hashable, int] | None, ...] = ()

    def __len__(self) -> int:
        return len(self.nominal)

    @property
    def names(self) -> tuple[Hashable, ...] | None:
        """The names by column."""
        return None if self.columns is None else tuple(self.columns)

    def name_of(self, column: int) -> Hashable:
        """The name of a column, or its position."""
        return column if self.columns is None else tuple(self.columns)[column]

    def with_positions(self, columns: Sequence[Any], nominal: Iterable[Hashable]) -> Features:
        """Unnamed features, one per column; a column of texts is nominal."""
        declared = _positions(nominal, len(columns))
        texts = [any(_is_text(value) for value in _sample(column)) for column in columns]
        return Features(
            None,
            bytes(i in declared or texts[i] for i in range(len(columns))),
            tuple({} if text else None for text in texts),
        )._with_categories(dict(enumerate(columns)))

    def with_row(self, row: Mapping[Hashable, Any], nominal: Iterable[Hashable]) -> Features:
        """These features and the new ones of a row; missing values bring no new feature."""
        return self.with_columns(
            {name: [value] for name, value in row.items() if not is_missing(value)}, nominal
        )

    def with_columns(
        self, columns: Mapping[Hashable, Sequence[Any]], nominal: Iterable[Hashable]
    ) -> Features:
        """These features and the new ones of a data frame, with all of its categories."""
        known = self.columns or {}
        new = canonical(name for name in columns if name not in known)
        declared = set(nominal)
        texts = [any(_is_text(value) for value in _sample(columns[name])) for name in new]
        longer = Features(
            {name: column for column, name in enumerate([*known, *new])},
            self.nominal
            + bytes(name in declared or text for name, text in zip(new, texts, strict=True)),
            self.categories + tuple({} if text else None for text in texts),
        )
        by_column = longer.columns or {}
        return longer._with_categories({by_column[name]: columns[name] for name in columns})

    def with_values(self, row: Sequence[Any]) -> Features:
        """The same features, with the categories of a row given by position."""
        return self._with_categories({column: [value] for column, value in enumerate(row)})

    def _with_categories(self, columns: Mapping[int, Sequence[Any]]) -> Features:
        """The same features, with every category that occurs in the columns."""
        tables = list(self.categories)
        for column, values in columns.items():
            table = tables[column]
            if table is None:
                continue
            longer = dict(table)
            for value in values:
                if not is_missing(value) and not self._knows(longer, value, column):
                    longer[value] = len(longer)
            if len(longer) > len(table):
                tables[column] = longer
        return Features(self.columns, self.nominal, tuple(tables))

    def _knows(self, table: dict[Hashable, int], value: Any, column: int) -> bool:
        try:
            return value in table
        except TypeError:
            raise TypeError(
                f"feature {self.name_of(column)!r} takes categories, got {value!r}"
            ) from None


def _sample(values: Sequence[Any]) -> Sequence[Any]:
    """The values, or nothing where their type says already that they are numbers."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return ()
    return values


def _positions(nominal: Iterable[Hashable], n_features: int) -> set[Hashable]:
    declared = set(nominal)
    for position in declared:
        if not isinstance(position, int) or not 0 <= position < n_features:
            raise ValueError(
                f"nominal_features must be positions from 0 to {n_features - 1} for unnamed "
                f"features, got {position!r}"
            )
    return declared


@dataclass(frozen=True)
class Classes:
    """The labels by class index, in the order in which they were announced or first seen."""

    labels: tuple[Hashable, ...] = ()
    indices: dict[Hashable, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "indices", {label: i for i, label in enumerate(self.labels)})

    def __len__(self) -> int:
        return len(self.labels)

    def with_labels(self, labels: Iterable[Hashable]) -> Classes:
        """These classes and the new ones among ``labels``."""
        new = [label for label in dict.fromkeys(labels) if label not in self.indices]
        return Classes(self.labels + tuple(new)) if new else self

    def as_array(self) -> np.ndarray[Any, Any]:
        """The labels as an array, of a plain type where they have one."""
        kinds = {type(label) for label in self.labels}
        if len(kinds) == 1 and kinds <= {int, float, str, bool, bytes}:
            return np.array(self.labels)
        array = np.empty(len(self.labels), dtype=object)
        for i, label in enumerate(self.labels):
            array[i] = label
        return array
