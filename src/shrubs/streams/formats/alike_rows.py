"""Reads JSON Lines of requests that are alike, as columns, without an object for each value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import read_alike_rows as _read

__all__ = ["AlikeRows", "read_alike_rows"]


@dataclass(frozen=True)
class AlikeRows:
    """Rows with the same columns, of which each holds numbers or texts.

    Args:
        names: of the columns of numbers.
        numbers: these columns, finite, ``(n_rows, len(names))``.
        texts: the columns of texts, by name.
        labels: texts, numbers or truth values, one per row; None without.
    """

    names: list[str]
    numbers: NDArray[np.float64]
    texts: dict[str, list[str]]
    labels: list[Any] | None

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return len(self.numbers)


def read_alike_rows(body: bytes, max_rows: int, decode: Callable[[str], str]) -> AlikeRows | None:
    r"""The rows of lines like ``{"x": {"a": 1.5, "b": "red"}, "y": 2}``; ``y`` may be absent.

    None if they are not alike: other names or another order of them, a number beside a text, more
    than ``max_rows``. None also for all that is no valid line, and for some that are: with null,
    with numbers that are infinite, with further members or line breaks inside.

    Args:
        body: the lines.
        max_rows: at most.
        decode: reads a text of JSON in its quotes that has escaped characters; raises ValueError.

    >>> import json
    >>> read_alike_rows(b'{"x": {"a": 1}}\n{"x": {"a": 2.5}}\n', 10, json.loads).numbers.tolist()
    [[1.0], [2.5]]
    """
    found = _read(body, max_rows, decode)
    return None if found is None else AlikeRows(*found)
