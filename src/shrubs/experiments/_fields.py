"""Checks the fields of a table that a person wrote; errors name the place and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shrubs.messages import shown

__all__ = ["Fields", "suggest"]

_MAX_NAME = 100  # looking for one that is alike takes long for longer ones
_MISSING = object()
_KINDS = {
    "text": str,
    "whole number": int,
    "number": (int, float),
    "truth value": bool,
    "list": list,
    "table": dict,
}


class Fields:
    """The fields of a table, taken one by one; `where` is shown in front of its errors."""

    def __init__(self, table: Any, where: str, allowed: Iterable[str]) -> None:
        if not isinstance(table, Mapping):
            raise ValueError(f"{where} must be a table, got {shown(table)}")
        self.table = table
        self.where = where
        allowed = tuple(allowed)
        for key in table:
            if key not in allowed:
                raise ValueError(
                    f"{where}: unknown key {shown(key)}{suggest(key, allowed)} "
                    f"known are {', '.join(allowed)}"
                )

    def take(self, key: str, kind: str, default: Any = _MISSING) -> Any:
        """The value of a key, of this kind."""
        if key not in self.table:
            if default is _MISSING:
                raise ValueError(f"{self.where}: the key {shown(key)} is missing")
            return default
        value = self.table[key]
        if not _is(value, kind):
            raise ValueError(f"{self.where}: {key} must be a {kind}, got {shown(value)}")
        return value

    def at_least(self, least: int, key: str, kind: str, default: Any = _MISSING) -> Any:
        """A number that is not too small."""
        value = self.take(key, kind, default)
        if value is not default and value < least:
            raise ValueError(f"{self.where}: {key} must be at least {least}, got {shown(value)}")
        return value

    def one_of(self, allowed: Sequence[str], key: str) -> str:
        """A text of these."""
        value: str = self.take(key, "text")
        if value not in allowed:
            raise ValueError(
                f"{self.where}: {key} must be one of {', '.join(allowed)}, got {shown(value)}"
            )
        return value

    def items(self, key: str, kind: str, default: Any = _MISSING) -> list[Any]:
        """A list that is not empty, all of one kind."""
        values: list[Any] = self.take(key, "list", default)
        if not values:
            raise ValueError(f"{self.where}: {key} must hold at least one {kind}, got []")
        for value in values:
            if not _is(value, kind):
                raise ValueError(f"{self.where}: {key} must hold a {kind} each, got {shown(value)}")
        return values


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name."""
    nearest = difflib.get_close_matches(name[:_MAX_NAME], list(known), n=1)
    return f"; did you mean {shown(nearest[0])}?" if nearest else ";"


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):  # which is an integer in Python
        return kind == "truth value"
    return isinstance(value, _KINDS[kind])  # type: ignore[arg-type]
