"""Rows and matrices as the core takes them, in the order of the features that a learner knows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.learners._inputs import as_matrix, dense_blocks, encode, is_sparse, read_frame
from shrubs.learners._tables import Features, is_missing
from shrubs.protocols import Row

__all__ = ["align", "features_with_row", "matrices", "no_examples", "plain_row", "row_blocks"]


def plain_row(x: Row, features: Features) -> Any:
    """A row as a dict or a list, for the core; names only where the features have names.

    Missing values are left out of a dict and None in a list.
    """
    if hasattr(x, "items"):
        row = {name: value for name, value in x.items() if not is_missing(value)}
        if features.columns is None and len(features):
            raise ValueError(
                f"this learner was built on unnamed features: give x as {len(features)} values in "
                "order, not by name"
            )
        return row
    if isinstance(x, list | tuple):
        values = list(x)
    else:
        array = np.asarray(x)
        if array.ndim == 0:
            raise TypeError(f"x must be a dict, a sequence or an array, got {x!r}")
        if array.ndim != 1:
            raise ValueError(f"x must be one example, got {array.ndim} dimensions")
        values = array.tolist()
    return [None if is_missing(value) else value for value in values]


def features_with_row(row: Any, known: Features | None, nominal: Sequence[Hashable]) -> Features:
    """The features known after a plain row; ``known`` is None before the first one."""
    if isinstance(row, dict) and (known is None or known.columns is not None):
        return (Features() if known is None else known).with_row(row, nominal)
    if known is None:
        return Features().with_positions([[value] for value in row], nominal)
    if len(row) != len(known):
        raise ValueError(f"x has {len(row)} features, but this learner was built for {len(known)}")
    return known.with_values(row)


def align(
    X: Any, known: Features | None, nominal: Sequence[Hashable]
) -> tuple[Features, list[NDArray[Any]]]:
    """The features known after ``X``, and ``X`` as matrices in their order."""
    frame = None if is_sparse(X) else read_frame(X)
    if frame is not None and (known is None or known.columns is not None):
        present = {name: column for name, column in frame.items() if column is not None}
        features = (Features() if known is None else known).with_columns(present, nominal)
        columns = [frame.get(name) for name in features.columns or ()]
        return features, [encode(features, columns, X.shape[0])]
    blocks = list(matrices(X, Features() if known is None else known))
    if known is not None:
        return known, blocks
    width = X.shape[1] if is_sparse(X) else blocks[0].shape[1]
    return Features().with_positions([()] * width, nominal), blocks


def matrices(X: Any, features: Features) -> Iterable[NDArray[Any]]:
    """``X`` as matrices in the order of the features, for prediction."""
    if is_sparse(X):
        return dense_blocks(X)
    frame = read_frame(X)
    if frame is None:
        return [as_matrix(X)]
    if features.columns is None:
        nothing = np.full(X.shape[0], np.nan)
        columns = [nothing if column is None else column for column in frame.values()]
        return [as_matrix(np.column_stack(columns))]
    if not any(name in features.columns for name in frame):
        raise ValueError(
            f"X has none of this learner's features; it knows {list(features.columns)[:5]}"
        )
    columns = [frame.get(name) for name in features.columns]
    return [encode(features, columns, X.shape[0])]


def row_blocks(blocks: Sequence[NDArray[Any]]) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Blocks with the rows that they are of the whole."""
    start = 0
    for block in blocks:
        yield slice(start, start + len(block)), block
        start += len(block)


def no_examples(features: Features) -> ValueError:
    """The error for a first batch without examples, in scikit-learn's words."""
    return ValueError(
        f"Found array with 0 sample(s) (shape=(0, {len(features)})) while a minimum of 1 is "
        "required."
    )
