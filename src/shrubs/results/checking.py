"""What the fields of a record may hold, for records that come from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shrubs.messages import shown

__all__ = ["check_fields", "is_count"]

_MAX_LEVELS = 20  # of a configuration; more could end in the depths of whoever walks through it
_MAX_COUNT = 2**53
_MAX_NUMBER = 1e300  # still a number in other units


def is_count(value: Any) -> bool:
    """Whether this is a whole number from 0 on."""
    return type(value) is int and 0 <= value <= _MAX_COUNT


def check_fields(data: Mapping[str, Any]) -> None:
    """Raise ValueError for a field that no record has, or that holds something else."""
    for name, value in data.items():
        allowed, is_right = _ALLOWED.get(name, ("left out", lambda value: False))
        if not is_right(value):
            raise ValueError(f"{shown(name)} must be {allowed}, got {shown(value)}")


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) < 2**64


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(value.encode() or True)
    except UnicodeEncodeError:  # half a character
        return False


def _is_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) <= _MAX_NUMBER)


def _is_plain(value: Any, levels: int = _MAX_LEVELS) -> bool:
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        return levels > 0 and all(_is_plain(item, levels - 1) for item in value)
    return isinstance(value, bool) or _is_number(value) or _is_text(value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and _is_plain(value)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_text(name) and _is_number(number) for name, number in value.items()
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_text(name) and _is_text(text) for name, text in value.items()
    )


def _are_columns(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(_is_text(name) and isinstance(column, list) for name, column in value.items())
        and len(set(map(len, value.values()))) <= 1
        and all(_is_number(number) for column in value.values() for number in column)
        and all(is_count(position) for position in value.get("n_examples", ()))
    )


def _each(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def _are_square(value: Any) -> bool:
    rows = _each(_each(is_count))
    return bool(rows(value)) and all(len(row) == len(value) for row in value)


def _is_shrub(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and is_count(value[0]) and _is_share(value[1])
    )


def _is_shift(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _OF_A_SHIFT.keys()
        and all(is_right(value[name]) for name, is_right in _OF_A_SHIFT.items())
    )


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1


def _are_shares(value: Any) -> bool:
    return _are_numbers(value) and all(map(_is_share, value.values()))


def _or_none(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_right(value)


_OF_A_SHIFT: Mapping[str, Callable[[Any], bool]] = {
    "noticed": is_count,
    "began": is_count,
    "probability": _is_share,
    "before": _are_shares,
    "after": _are_shares,
    "rules_before": _each(_is_text),
    "rules_after": _each(_is_text),
}
_FAILURES = ("time", "memory", "crash", "error")

_ALLOWED: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "learner": ("a text", _is_text),
    "configuration": ("a table of plain values", _is_table),
    "stream": ("a text", _is_text),
    "stream_options": ("a table of plain values", _is_table),
    "seed": ("a whole number", _is_whole),
    "code_version": ("a text", _is_text),
    "n_examples": ("a count", is_count),
    "finished": ("a truth value", _is_truth),
    "metrics": ("numbers by name", _are_numbers),
    "classes": ("texts, or null", _or_none(_each(_is_text))),
    "confusion": ("as many rows as columns of counts, or null", _or_none(_are_square)),
    "known_drifts": ("counts", _each(is_count)),
    "found_drifts": ("counts", _each(is_count)),
    "delay": ("a count", is_count),
    "trace": ("columns of numbers by name, all of one length", _are_columns),
    "shrubs": ("a list of [born, weight] per point", _each(_each(_is_shrub))),
    "failure": (f"null, or one of {', '.join(_FAILURES)}", _or_none(_FAILURES.__contains__)),
    "message": ("a text", _is_text),
    "label": ("a text", _is_text),
    "shifts": ("drifts with shares and rules, or null", _or_none(_each(_is_shift))),
    "columns": ("texts by name", _are_texts),
    "environment": ("texts by name", _are_texts),
    "schema_version": ("a count", is_count),
}
"""By field: what it must be, in words and as a test."""
