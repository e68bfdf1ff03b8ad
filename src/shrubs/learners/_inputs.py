"""Reads what users give: arrays, sparse matrices, columns by name (pandas, polars, Arrow, dict)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Tables
from shrubs.dates import parts_of, parts_of_array
from shrubs.learners._dates import Dates, dates_of
from shrubs.learners._sklearn import warn_about_column_vector
from shrubs.learners._tables import has_texts, is_missing
from shrubs.messages import shown

__all__ = ["Frame", "Rows", "as_matrix", "as_vector", "check_lengths", "encode", "read_input"]

_ROWS_AT_ONCE = 1024

# What NumPy would turn into something else: texts beside numbers, tuples of equal lengths.
_NO_NUMBERS = (str, bytes, tuple, frozenset, type(None))


@dataclass(frozen=True)
class Frame:
    """Columns by name.

    They are float64 arrays, `Dates`, lists where a column holds texts, None where it holds nothing
    at all and its kind is not known. If they are not ``named``, their names are positions.
    """

    columns: dict[Hashable, Any]
    n_rows: int
    named: bool = True

    def part(self, start: int, stop: int) -> Frame:
        """Some of the rows."""
        columns = {name: _with_values(column, start, stop) for name, column in self.columns.items()}
        return Frame(columns, stop - start, self.named)

    def take(self, rows: NDArray[np.intp]) -> Frame:
        """These rows, in this order."""
        columns = {name: _taken(column, rows) for name, column in self.columns.items()}
        return Frame(columns, len(rows), self.named)

    def first_row_with(self, names: Sequence[Hashable]) -> int:
        """The first row that has a value in one of these columns."""
        rows = (
            next((i for i, value in enumerate(self.columns[name]) if not is_missing(value)), None)
            for name in names
        )
        return min((row for row in rows if row is not None), default=self.n_rows)


def _with_values(column: Any, start: int, stop: int) -> Any:
    """A part of a column, None if it has no value."""
    if column is None or all(is_missing(value) for value in column[start:stop]):
        return None
    return column[start:stop]


def _taken(column: Any, rows: NDArray[np.intp]) -> Any:
    """Some values of a column, None if there are none."""
    if isinstance(column, Dates):
        return Dates(column.parts[:, rows])
    if isinstance(column, np.ndarray):
        return column[rows]
    taken = None if column is None else [column[i] for i in rows]
    return None if taken is None or all(map(is_missing, taken)) else taken


@dataclass(frozen=True)
class Rows:
    """Rows without names: a matrix of floats, or a sparse one."""

    matrix: Any

    @property
    def shape(self) -> tuple[int, int]:
        """(n_examples, n_features)."""
        n_rows, n_features = self.matrix.shape
        return n_rows, n_features

    @property
    def n_rows(self) -> int:
        """The number of examples."""
        return self.shape[0]

    def part(self, start: int, stop: int) -> Rows:
        """Some of the rows."""
        return Rows(self.matrix[start:stop])

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """These rows, in this order."""
        return Rows(self.matrix[rows])

    def __iter__(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Which rows, and they themselves; those of a sparse matrix become dense, a few at a time.

        What is sparse stays so: a second iteration makes them dense once more.
        """
        if isinstance(self.matrix, np.ndarray):
            yield slice(0, len(self.matrix)), self.matrix
            return
        for start in range(0, self.shape[0], _ROWS_AT_ONCE):
            rows = slice(start, min(start + _ROWS_AT_ONCE, self.shape[0]))
            yield rows, as_matrix(self.matrix[rows].toarray())


def read_input(X: Any) -> Frame | Rows:
    """``X`` without looking at what a learner knows; runs whatever code of its own ``X`` has."""
    if isinstance(X, Frame | Rows):
        return X
    if type(X).__module__.startswith("scipy.sparse"):
        return Rows(X.tocsr())
    columns = _columns(X)
    if columns is not None:
        return Frame(
            columns, len(next(iter(X.values()), ())) if isinstance(X, dict) else X.shape[0]
        )
    array = _as_array(X)
    if array.ndim == 2 and (array.dtype.kind == "M" or _holds_objects(array)):
        unnamed: dict[Hashable, Any] = {
            i: _array_column(i, array[:, i]) for i in range(array.shape[1])
        }
        return Frame(unnamed, len(array), named=False)
    return Rows(as_matrix(array))


def _holds_objects(array: NDArray[Any]) -> bool:
    """Whether there are texts or dates in an array."""
    if array.dtype != object:
        return False
    values = array.ravel().tolist()
    return has_texts(values) or any(parts_of(value) is not None for value in values)


def _array_column(i: int, values: NDArray[Any]) -> Any:
    if values.dtype.kind == "M":
        return Dates(parts_of_array(values))
    return _objects(i, "object", values.tolist())


def _as_array(X: Any) -> NDArray[Any]:
    try:
        array = np.asarray(X)
        # NumPy makes texts of numbers beside texts.
        return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    except ValueError:
        raise ValueError("X must be two-dimensional, but its rows differ in length") from None


def as_matrix(X: Any) -> NDArray[Any]:
    """``X`` as a C-contiguous ``(n, n_features)`` array of float32 or float64."""
    array = _as_array(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if array.ndim != 2:
        raise ValueError(
            f"X must be two-dimensional, (n_examples, n_features), got {array.ndim} dimensions. "
            "Reshape your data: X.reshape(1, -1) is one example"
        )
    if array.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return np.ascontiguousarray(array)


def as_vector(y: Any, learner: str, name: str = "y") -> NDArray[Any]:
    """``y`` as a one-dimensional array; what is no number stays an object."""
    if y is None:
        raise ValueError(f"{learner} requires {name} to be passed, but the target {name} is None")
    if isinstance(y, list | tuple) and any(isinstance(label, _NO_NUMBERS) for label in y):
        objects = np.empty(len(y), dtype=object)
        for i, label in enumerate(y):
            objects[i] = label
        return objects
    array: NDArray[Any] = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} must hold real numbers")
    if array.ndim == 2 and array.shape[1] == 1:
        warn_about_column_vector()
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, (n_examples,), got shape {array.shape}")
    return array


def check_lengths(n_rows: int, n_labels: int) -> None:
    """Raise unless there is a label or target for every row."""
    if n_rows != n_labels:
        raise ValueError(f"X and y have inconsistent numbers of samples: {n_rows} and {n_labels}")


def _columns(X: Any) -> dict[Hashable, Any] | None:
    """The columns of a data frame by name; None if ``X`` is none."""
    library = type(X).__module__.partition(".")[0]
    if library == "pandas" and hasattr(X, "columns"):
        _check_names(list(X.columns))
        return {name: _pandas_column(X.iloc[:, i]) for i, name in enumerate(X.columns)}
    if library == "polars" and hasattr(X, "get_columns"):
        return {series.name: _polars_column(series) for series in X.get_columns()}
    if library == "pyarrow" and hasattr(X, "column_names"):
        _check_names(X.column_names)
        return {name: _arrow_column(name, X.column(i)) for i, name in enumerate(X.column_names)}
    if isinstance(X, dict):
        if len({len(column) for column in X.values()}) > 1:
            raise ValueError("X must have columns of the same length")
        return {name: _plain_column(name, column) for name, column in X.items()}
    return None


def _check_names(names: Sequence[Hashable]) -> None:
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"X must have columns of different names, got {shown(name)} twice")
        seen.add(name)


def _pandas_column(series: Any) -> Any:
    if series.dtype.kind in "biuf":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if series.dtype.kind == "M":
        return Dates(parts_of_array(series.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")))
    return _objects(series.name, series.dtype, series.to_list())


def _polars_column(series: Any) -> Any:
    dtype = series.dtype
    if dtype.is_numeric() or str(dtype) == "Boolean":
        import polars

        return np.asarray(
            series.cast(polars.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64
        )
    return _objects(series.name, dtype, series.to_list())


def _arrow_column(name: str, column: Any) -> Any:
    text = str(column.type)
    if text.startswith(("int", "uint", "float", "double", "halffloat", "bool", "decimal")):
        return np.array(
            [np.nan if value is None else float(value) for value in column.to_pylist()],
            dtype=np.float64,
        )
    return _objects(name, text, column.to_pylist())


def _plain_column(name: Hashable, column: Any) -> Any:
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(np.float64)
    return _objects(name, type(column).__name__, list(column))


def _objects(name: Hashable, dtype: Any, values: list[Any]) -> Any:
    """A column of texts or categories, of dates, of numbers in disguise, or of nothing."""
    present = [value for value in values if not is_missing(value)]
    if not present:
        return None
    if has_texts(present):
        return values
    dates = dates_of(values)
    if dates is not None:
        return dates
    try:
        return np.array(
            [np.nan if is_missing(value) else float(value) for value in values], dtype=np.float64
        )
    except (TypeError, ValueError):
        raise TypeError(
            f"column {shown(name)} has type {dtype}; give numbers, booleans, dates, texts or "
            "categories"
        ) from None


def encode(tables: Tables, columns: Sequence[Any], n_rows: int) -> NDArray[np.float64]:
    """Columns in the order of the features, None for an absent one, as a float64 matrix.

    A category that is not in the tables becomes -1, which equals no category.
    """
    matrix = np.full((n_rows, len(tables)), np.nan)
    for i, values in enumerate(columns):
        if values is None:
            continue
        if tables.has_texts(i):
            matrix[:, i] = tables.codes(i, list(values))
        elif isinstance(values, np.ndarray):
            matrix[:, i] = values
        else:
            name, text = shown(tables.name_of(i)), shown(_first_text(values))
            raise TypeError(f"feature {name} takes numbers, got {text}")
    return matrix


def _first_text(values: Sequence[Any]) -> Any:
    return next((value for value in values if isinstance(value, str | bytes)), values[0])
