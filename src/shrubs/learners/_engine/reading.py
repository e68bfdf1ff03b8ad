"""Rows and matrices as the core takes them, in the order of the features that a learner knows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Tables
from shrubs.learners._dates import Dates, has_dates, is_by_position, spread_columns
from shrubs.learners._inputs import Frame, Rows, as_matrix, encode
from shrubs.learners._tables import Everybody, add_columns, add_positions, is_missing
from shrubs.messages import shown
from shrubs.protocols import Row

__all__ = ["add_input", "as_rows", "no_examples", "plain_row", "sift_part", "spread_input"]


def plain_row(x: Row) -> Any:
    """A row as a dict or a list, for the core.

    Missing values are left out of a dict and None in a list.
    """
    if hasattr(x, "items"):
        return {name: value for name, value in x.items() if not is_missing(value)}
    if isinstance(x, list | tuple):
        values = list(x)
    else:
        array = np.asarray(x)
        if array.ndim == 0:
            raise TypeError(f"x must be a dict, a sequence or an array, got {shown(x)}")
        if array.ndim != 1:
            raise ValueError(f"x must be one example, got {array.ndim} dimensions")
        values = list(array) if array.dtype.kind == "M" else array.tolist()
    return [None if is_missing(value) else value for value in values]


def spread_input(
    tables: Tables, X: Frame | Rows, nominal: Sequence[Hashable] = (), *, learning: bool
) -> Frame | Rows:
    """``X`` with the parts of its dates in their place."""
    by_position = is_by_position(tables)
    if isinstance(X, Rows):
        if not by_position:
            return X
        dense = X.matrix if isinstance(X.matrix, np.ndarray) else X.matrix.toarray()
        X = Frame(dict(enumerate(dense.T)), X.shape[0], named=False)
    if not X.named:
        by_position = by_position or (tables.named is None and has_dates(X.columns, nominal))
        if not by_position:
            _check_no_dates(X)
            return X
    return Frame(spread_columns(tables, X.columns, nominal, learning=learning), X.n_rows)


def _check_no_dates(X: Frame) -> None:
    for position, column in X.columns.items():
        if isinstance(column, Dates):
            raise TypeError(f"feature {position} takes numbers, got dates")


def add_input(
    tables: Tables, X: Frame | Rows, nominal: Sequence[Hashable], admission: Everybody
) -> None:
    """Add the features and categories of ``X`` that are new."""
    if isinstance(X, Frame) and X.named and tables.named is not False:
        present = {name: column for name, column in X.columns.items() if column is not None}
        add_columns(tables, present, nominal, admission)
    elif isinstance(X, Frame):
        columns = [() if column is None else column for column in _in_order(tables, X)]
        add_positions(tables, columns, nominal, admission)
    elif tables.named is None or tables.calls():
        add_positions(tables, [()] * X.shape[1], nominal, admission)


def _in_order(tables: Tables, X: Frame) -> list[Any]:
    """The columns where names do not count."""
    if tables.named is not None and len(X.columns) != tables.width:
        raise ValueError(
            f"X has {len(X.columns)} features, but this learner was built for {tables.width}"
        )
    return list(X.columns.values())


def as_rows(tables: Tables, X: Frame | Rows, *, learning: bool) -> Rows:
    """``X`` in the order of the features."""
    kept = tables.kept
    if isinstance(X, Rows):
        return X if kept is None else Rows(_gathered(X.matrix, tables))
    names = tables.names() if X.named else None
    if names is None:
        columns = _in_order(tables, X)
        columns = columns if kept is None else [columns[i] for i in kept]
        return Rows(encode(tables, columns, X.n_rows))
    if not learning and not any(name in X.columns for name in names):
        raise ValueError(f"X has none of this learner's features; it knows {shown(names[:5])}")
    return Rows(encode(tables, [X.columns.get(name) for name in names], X.n_rows))


def _gathered(matrix: Any, tables: Tables) -> Any:
    """The columns of a matrix that are features."""
    if matrix.shape[1] != tables.width:
        raise ValueError(
            f"X has {matrix.shape[1]} features, but this learner is expecting {tables.width} "
            "features as input"
        )
    gathered = matrix[:, tables.kept]
    return np.ascontiguousarray(gathered) if isinstance(gathered, np.ndarray) else gathered


def sift_part(admission: Everybody, X: Frame | Rows, outcomes: NDArray[Any]) -> None:
    """Look at rows that were learned, with all of their features."""
    if isinstance(X, Rows):
        matrix = X.matrix
        dense = matrix if isinstance(matrix, np.ndarray) else as_matrix(matrix.toarray())
        admission.sift_matrix(dense, outcomes)
        return
    columns = {
        name: column.tolist() if isinstance(column, np.ndarray) else column
        for name, column in X.columns.items()
        if column is not None or not X.named
    }
    rows: Iterator[Any]
    if X.named:
        rows = (
            {name: column[i] for name, column in columns.items() if not is_missing(column[i])}
            for i in range(X.n_rows)
        )
    else:
        rows = ([column and column[i] for column in columns.values()] for i in range(X.n_rows))
    admission.sift(rows, outcomes.tolist())


def no_examples(n_features: int) -> ValueError:
    """The error for a first batch without examples, in scikit-learn's words."""
    return ValueError(
        f"Found array with 0 sample(s) (shape=(0, {n_features})) while a minimum of 1 is required."
    )
