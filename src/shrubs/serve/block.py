"""Rows that are alike, as columns: they are checked, predicted and learned many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from shrubs.protocols import Kind
from shrubs.serve.requests import LARGEST, MAX_FEATURES, MAX_TEXT

__all__ = ["columns_of"]


def columns_of(
    requests: Sequence[Any], kinds: Mapping[str, Kind], members: Set[str] = frozenset("x")
) -> dict[str, Any] | None:
    """The columns of ``x`` of requests that have the same known names and plain values in it.

    None for any others, and for those that may be wrong: they are gone through one by one.

    Args:
        requests: parsed, and not checked.
        kinds: what each feature of the model holds.
        members: that each has, and no others.
    """
    if _names_of(requests) != members:
        return None
    rows = [request["x"] for request in requests]
    found = _names_of(rows)
    if not found or len(found) > MAX_FEATURES or not kinds.keys() >= found:
        return None
    names = list(rows[0])
    values = zip(*(row.values() for row in rows), strict=True)
    columns = {name: _column(kinds[name], each) for name, each in zip(names, values, strict=True)}
    return None if any(column is None for column in columns.values()) else columns


def _names_of(rows: Sequence[Any]) -> Set[str] | None:
    """The names that all of them have, in the same order; None if they are not alike."""
    if {*map(type, rows)} != {dict} or len({*map(tuple, rows)}) != 1:
        return None
    return {*rows[0]}


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
