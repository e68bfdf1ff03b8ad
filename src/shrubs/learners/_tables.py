"""What comes with examples, apart from numbers: names, categories, labels; and how tables take it.

The tables themselves (`_core.Tables`) keep it in bytes of their own.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shrubs._core import Tables
from shrubs.messages import shown

__all__ = [
    "Everybody",
    "Newcomer",
    "add_columns",
    "add_positions",
    "add_row",
    "all_or_nothing",
    "as_array",
    "canonical",
    "check_names",
    "feature_names",
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
    tables.settle()


@dataclass(frozen=True)
class Newcomer:
    """A feature that is new."""

    name: Hashable
    nominal: bool
    texts: bool


class Everybody:
    """Decides who gets a place in the tables: every feature and every class."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def places(
        self, newcomers: Sequence[Newcomer], present: Collection[int]
    ) -> Iterator[tuple[Newcomer, int | None]]:
        """Those that get one, each with the column it takes over, or None for a column more.

        Args:
            newcomers: features by name that have none yet.
            present: columns of features that come along.
        """
        for newcomer in newcomers:
            yield newcomer, None

    def positions(self, nominal: Sequence[bool]) -> list[int] | None:
        """Which features without names are kept, of these kinds; None for all."""
        return None

    def called(self, nominal: Collection[Hashable]) -> Iterator[tuple[int, int, bool]]:
        """Positions that get a column, the column that each takes over, and if it has texts."""
        yield from ()

    def refuse_calls(self) -> None:
        """No feature gets a column by its position: its name is not known here."""

    def rows_alike(self, n_new: int) -> int | None:
        """How many rows that bring so many new features are sure to bring the same; None: all."""
        return None

    def rows_sifted(self, names: Sequence[Hashable] | int) -> int | None:
        """How many rows with these features, or so many, leave columns as they are; None: all."""
        return None

    @property
    def has_fitting_sieve(self) -> bool:
        """Whether no more features without a column are looked at than there is room for."""
        return self._tables.n_slots == 0

    def sift(self, rows: Iterable[Any], outcomes: Any) -> None:
        """Look at examples that were learned with all that they brought."""

    def sift_matrix(self, X: Any, outcomes: Any) -> None:
        """The same for rows of numbers."""

    def class_of(self, label: Hashable) -> int:
        """The class of a label, which may be new."""
        return self._tables.add_label(label)

    def idle_classes(self) -> list[int]:
        """The classes that are of no use any more, in ascending order, if it is time to look."""
        return []

    def rows_until_look(self) -> int | None:
        """How many examples come before it is; None: any number."""
        return None

    def announce(self, labels: Sequence[Hashable]) -> None:
        """Add labels before they come."""
        self._tables.add_labels(list(labels))

    def check(self, labels: Sequence[Hashable], has_room: Callable[[], None]) -> None:
        """Raise if there is no room for all these labels, before any of them is learned."""
        before = self._tables.mark()
        self._tables.add_labels(list(labels))
        has_room()
        self._tables.go_back_to(before)

    @property
    def examples_seen(self) -> int:
        """How many examples came before."""
        return 0

    def forget(self, engine: Any) -> None:
        """Make the engine forget what gave way."""

    def warn(self, *, stacklevel: int) -> None:
        """Warn of what is given up, before anything is learned without it."""


def feature_names(tables: Tables) -> Sequence[Hashable]:
    """The names of the features, or their positions."""
    names = tables.names()
    if names is not None:
        return names
    kept = tables.kept
    return range(len(tables)) if kept is None else kept.tolist()


def check_names(tables: Tables, row: Any) -> None:
    """Raise for names where features have none."""
    if tables.named is False and isinstance(row, Mapping):
        raise ValueError(
            f"this learner was built on unnamed features: give x as {tables.width} values in "
            "order, not by name"
        )


def add_row(
    tables: Tables,
    row: dict[Hashable, Any] | list[Any],
    nominal: Sequence[Any],
    admission: Everybody | None = None,
) -> None:
    """Add what is new in a row; missing values bring no new feature."""
    if isinstance(row, dict):
        present: dict[Hashable, Sequence[Any]] = {
            name: [value] for name, value in row.items() if not is_missing(value)
        }
        add_columns(tables, present, nominal, admission or Everybody(tables))
    elif tables.named is not None and len(row) != tables.width:
        raise ValueError(
            f"x has {len(row)} features, but this learner was built for {tables.width}"
        )
    else:
        columns = [[value] for value in row]
        add_positions(tables, columns, nominal, admission or Everybody(tables))


def add_columns(
    tables: Tables,
    columns: Mapping[Hashable, Sequence[Any]],
    nominal: Iterable[Hashable],
    admission: Everybody,
) -> None:
    """Add the new ones among named columns, and all categories that occur in them."""
    check_names(tables, columns)
    tables.named = True
    declared = set(nominal)
    known = {name: tables.column(name) for name in columns}
    newcomers = []
    for name in canonical(name for name, column in known.items() if column is None):
        texts = has_texts(columns[name])
        newcomers.append(Newcomer(name, name in declared or texts, texts))
    present = {column for column in known.values() if column is not None}
    for newcomer, column in admission.places(newcomers, present):
        if column is None:
            tables.add_feature(newcomer.name, newcomer.nominal, newcomer.texts)
        else:
            tables.replace_feature(column, newcomer.name, newcomer.texts)
        known[newcomer.name] = len(tables) - 1 if column is None else column
    _add_categories(
        tables,
        ((column, columns[name]) for name, column in known.items() if column is not None),
        admission.examples_seen,
    )


def add_positions(
    tables: Tables,
    columns: Sequence[Sequence[Any]],
    nominal: Iterable[Hashable],
    admission: Everybody,
) -> None:
    """Add unnamed features, one per column, and all categories that occur in them.

    A column of texts is nominal. Features that are there already only gain categories.
    """
    if tables.named is None:
        declared = _positions(nominal, len(columns))
        tables.named = False
        texts = [has_texts(column) for column in columns]
        kinds = [i in declared or text for i, text in enumerate(texts)]
        kept = admission.positions(kinds)
        if kept is not None:
            tables.keep(len(columns), kept)
        for i in range(len(columns)) if kept is None else kept:
            tables.add_feature(None, kinds[i], texts[i])
    elif tables.named:
        admission.refuse_calls()
    else:
        for position, column, has_text in admission.called(set(nominal)):
            tables.replace_feature(column, None, has_text, position)
    if len(columns) == len(tables):
        _add_categories(tables, enumerate(columns), admission.examples_seen)
    elif tables.kept is not None:
        kept_columns = enumerate(columns[i] for i in tables.kept)
        _add_categories(tables, kept_columns, admission.examples_seen)


def _add_categories(
    tables: Tables, columns: Iterable[tuple[int, Sequence[Any]]], n_seen: int
) -> None:
    texts = sorted(
        ((column, list(values)) for column, values in columns if tables.has_texts(column)),
        key=lambda item: item[0],
    )
    tables.add_categories([column for column, _ in texts], [values for _, values in texts], n_seen)


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
