"""Rows that are alike, as columns: they are checked and predicted many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shrubs.protocols import Kind
from shrubs.serve.requests import LARGEST, MAX_FEATURES, MAX_TEXT

__all__ = ["columns_of"]


def columns_of(requests: Sequence[Any], kinds: Mapping[str, Kind]) -> dict[str, Any] | None:
    """The columns of requests with nothing but ``x``, of the same known names and plain values.

    None for any others, and for those that may be wrong: they are gone through one by one.

    Args:
        requests: parsed, and not checked.
        kinds: what each feature of the model holds.
    """
    if {*map(type, requests)} != {dict} or {*map(tuple, requests)} != {("x",)}:
        return None
    rows = [request["x"] for request in requests]
    if {*map(type, rows)} != {dict} or len({*map(tuple, rows)}) != 1:
        return None
    names = list(rows[0])
    if not 0 < len(names) <= MAX_FEATURES or not kinds.keys() >= {*names}:
        return None
    values = zip(*(row.values() for row in rows), strict=True)
    columns = {name: _column(kinds[name], each) for name, each in zip(names, values, strict=True)}
    return None if any(column is None for column in columns.values()) else columns


def _column(kind: Kind, values: tuple[Any, ...]) -> Any:
    """A column of numbers or texts, as its feature takes them; None for any other."""
    types = {*map(type, values)}
    if kind == "nominal" and types == {str} and max(map(len, values)) <= MAX_TEXT:
        return values
    if kind != "number" or not types <= {int, float}:
        return None
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    return numbers if bool((np.abs(numbers) < LARGEST).all()) else None
