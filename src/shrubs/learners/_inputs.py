"""Reads what users give: arrays, data frames (pandas, polars, Arrow) and sparse matrices."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._sklearn import warn_about_column_vector
from shrubs.learners._tables import Features, is_missing

__all__ = ["Frame", "as_matrix", "as_vector", "dense_blocks", "encode", "is_sparse", "read_frame"]

Frame = dict[Hashable, Any]
"""Columns by name: float64 arrays, lists where a column holds no numbers, None where it holds
nothing at all and its kind is not known."""

_ROWS_AT_ONCE = 1024

# What NumPy would turn into something else: texts beside numbers, tuples of equal lengths.
_NO_NUMBERS = (str, bytes, tuple, frozenset, type(None))


def is_sparse(X: Any) -> bool:
    """Whether ``X`` is a scipy sparse matrix or array."""
    return type(X).__module__.startswith("scipy.sparse")


def dense_blocks(X: Any) -> Iterator[NDArray[Any]]:
    """The rows of a sparse matrix as dense blocks, a few at a time."""
    rows = X.tocsr()
    for start in range(0, rows.shape[0], _ROWS_AT_ONCE):
        yield as_matrix(rows[start : start + _ROWS_AT_ONCE].toarray())


def as_matrix(X: Any) -> NDArray[Any]:
    """``X`` as a C-contiguous ``(n, n_features)`` array of float32 or float64."""
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError("X must be two-dimensional, but its rows differ in length") from None
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers")
    if array.dtype not in (np.float32, np.float64):
        array = _as_numbers(array)
    if array.ndim != 2:
        raise ValueError(
            f"X must be two-dimensional, (n_examples, n_features), got {array.ndim} dimensions. "
            "Reshape your data: X.reshape(1, -1) is one example"
        )
    if array.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return np.ascontiguousarray(array)


def _as_numbers(array: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return array.astype(np.float64)
    except ValueError:
        text = next(str(value) for value in array.flat if not _is_number(value))
        raise ValueError(
            f"X must hold numbers, got {text!r}; texts go into data frames or rows by name"
        ) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


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


def read_frame(X: Any) -> Frame | None:
    """The columns of a data frame by name; None if ``X`` is none."""
    library = type(X).__module__.partition(".")[0]
    if library == "pandas" and hasattr(X, "columns"):
        return {name: _pandas_column(X.iloc[:, i]) for i, name in enumerate(X.columns)}
    if library == "polars" and hasattr(X, "get_columns"):
        return {series.name: _polars_column(series) for series in X.get_columns()}
    if library == "pyarrow" and hasattr(X, "column_names"):
        return {name: _arrow_column(name, X.column(i)) for i, name in enumerate(X.column_names)}
    return None


def _pandas_column(series: Any) -> Any:
    if series.dtype.kind in "biuf":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
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


def _objects(name: Hashable, dtype: Any, values: list[Any]) -> Any:
    """A column of texts or categories, of numbers in disguise, or of nothing."""
    present = [value for value in values if not is_missing(value)]
    if not present:
        return None
    if any(isinstance(value, str | bytes) for value in present):
        return values
    try:
        return np.array(
            [np.nan if is_missing(value) else float(value) for value in values], dtype=np.float64
        )
    except (TypeError, ValueError):
        raise TypeError(
            f"column {name!r} has type {dtype}; give numbers, booleans, texts or categories"
        ) from None


def encode(features: Features, columns: Sequence[Any], n_rows: int) -> NDArray[np.float64]:
    """Columns in the order of the features, None for an absent one, as a float64 matrix.

    A category that is not in the tables becomes -1, which equals no category.
    """
    matrix = np.full((n_rows, len(features)), np.nan)
    for i, values in enumerate(columns):
        table = features.categories[i]
        if values is None:
            continue
        if table is not None:
            matrix[:, i] = [
                np.nan if is_missing(value) else table.get(value, -1) for value in values
            ]
        elif isinstance(values, np.ndarray):
            matrix[:, i] = values
        else:
            raise TypeError(
                f"feature {features.name_of(i)!r} takes numbers, got {_first_text(values)!r}"
            )
    return matrix


def _first_text(values: Sequence[Any]) -> Any:
    return next((value for value in values if isinstance(value, str | bytes)), values[0])
