"""How a single value is read: by what its column holds, or what it looks like itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from shrubs.dates import parts_of
from shrubs.messages import shown
from shrubs.protocols import Kind
from shrubs.streams.formats.values import (
    MISSING_NUMBERS,
    guess_kind,
    is_missing,
    parse_boolean,
    parse_date,
    parse_number,
    text_of,
)

__all__ = ["KINDS_IN_WORDS", "kind_of", "label_of", "no_value", "of_kind", "target_of", "typed"]

KINDS_IN_WORDS: dict[Kind, str] = {
    "number": "numbers",
    "boolean": "true or false",
    "date": "dates",
    "nominal": "texts",
}


def no_value(value: Any) -> bool:
    """Whether a value is missing."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def kind_of(value: Any) -> Kind:
    """What the column of a value holds, if this is the first one."""
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, int | float | np.number):
        return "number"
    if parts_of(value) is not None:
        return "date"
    if isinstance(value, str):
        return "nominal"
    raise ValueError(f"{shown(value)} is neither a number nor a text, a boolean or a date")


def typed(text: str, kind: Kind | None) -> Any:
    """The value that a text in a file stands for; None for a missing one.

    >>> typed("1.5", None), typed("true", None), typed("1.5", "nominal"), typed("NA", "number")
    (1.5, True, '1.5', None)
    """
    text = text.strip()
    kind = kind or guess_kind([text])
    if is_missing(text) or (kind != "nominal" and text in MISSING_NUMBERS):
        return None
    if kind in ("number", "boolean"):
        for parse in _PARSERS if kind == "number" else _PARSERS[::-1]:
            try:
                return parse(text)
            except ValueError:
                pass
    return text


def _truth(text: str) -> bool:
    return bool(parse_boolean(text))


_PARSERS: tuple[Callable[[str], Any], ...] = (parse_number, _truth)


def of_kind(value: Any, kind: Kind) -> Any:
    """A value as its column takes it; raises ValueError for one of another kind.

    Numbers are texts in a column of texts, so that ``2`` of JSON is the ``2`` of a CSV file.
    """
    found = kind_of(value)
    if kind == "nominal":
        return text_of(value)
    if found == kind or {found, kind} == {"number", "boolean"}:
        return value
    raise ValueError(f"the column holds {KINDS_IN_WORDS[kind]}, got {shown(value)}")


def label_of(value: Any, kind: Kind) -> Hashable:
    """A class as learners know it: whole numbers without a fraction."""
    value = of_kind(value, kind)
    if kind == "boolean" and value in (0, 1):
        return bool(value)
    is_whole = isinstance(value, float) and value.is_integer()
    label: Hashable = int(value) if is_whole else value
    return label


def target_of(value: Any) -> float:
    """A target of a regression: a finite number; a date by its seconds since 1970."""
    number = parse_date(value) if isinstance(value, str) and parts_of(value) else value
    if not isinstance(number, int | float | np.number):
        raise ValueError(f"the target must be a number, got {shown(value)}")
    try:
        found = float(number)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise ValueError(f"the target must be finite, got {shown(value)}")
    return found
