"""Rows of a batch that are alike: they are read, checked, predicted and learned as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shrubs.protocols import Kind
from shrubs.serve.requests import MAX_FEATURES, MAX_ROWS, MAX_TEXT, decode_text
from shrubs.streams.formats.alike_rows import AlikeRows, read_alike_rows

__all__ = ["are_known", "columns_of", "last_line", "read_rows", "rows_of"]

_LARGEST = float(np.finfo(np.float32).max)  # that a model takes


def read_rows(body: bytes) -> AlikeRows | None:
    """The rows of JSON Lines, if they are alike; None for others, and for those that are wrong."""
    return read_alike_rows(body, MAX_ROWS, decode_text)


def are_known(rows: AlikeRows, kinds: Mapping[str, Kind]) -> bool:
    """Whether rows have names that are known and values as these take them.

    Others may be right or wrong: they are gone through one by one.

    Args:
        rows: read, and not checked.
        kinds: what each feature of the model holds.
    """
    if len(rows.names) + len(rows.texts) > MAX_FEATURES:
        return False
    if any(kinds.get(name) != "number" for name in rows.names):
        return False
    if any(kinds.get(name) != "nominal" for name in rows.texts):
        return False
    if any(len(text) > MAX_TEXT for column in rows.texts.values() for text in {*column}):
        return False
    return bool((np.abs(rows.numbers) <= _LARGEST).all())


def columns_of(rows: AlikeRows, start: int = 0, stop: int | None = None) -> dict[str, Any]:
    """Some rows as columns by name."""
    numbers = rows.numbers[start:stop].T
    texts = {name: column[start:stop] for name, column in rows.texts.items()}
    return {**dict(zip(rows.names, numbers, strict=True)), **texts}


def rows_of(rows: AlikeRows) -> list[dict[str, Any]]:
    """The same one by one."""
    columns = columns_of(rows)
    values = (c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values())
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def last_line(body: bytes) -> bytes:
    """The last of some lines."""
    return body.rstrip(b"\n").rpartition(b"\n")[2]
