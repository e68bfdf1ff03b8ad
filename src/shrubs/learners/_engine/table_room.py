"""Bytes to set aside for names, categories and labels.

What Python takes for them differs from version to version and even with what a process did before.
A learner that divides its memory must not depend on that, or the same seed would give different
models: it sets aside what follows from the tables alone, and no less than they take.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from shrubs.learners._tables import Classes, Features

__all__ = ["room_for_names", "room_for_tables"]

_PER_DICT = 240
_PER_ENTRY = 64
_PER_REFERENCE = 8
_PER_NUMBER = 32
_PER_OBJECT = 80
# Those below exist once per process.
_SMALL_INTEGERS = 257
_UNKNOWN_OBJECT = 256


def room_for_tables(features: Features, classes: Classes) -> int:
    """Bytes for the tables of a learner.

    >>> room_for_tables(Features(), Classes()) < room_for_tables(Features(), Classes(("yes", "no")))
    True
    """
    per_feature = _PER_REFERENCE + 1
    tables = [features.columns, *features.categories, classes.indices]
    rooms = [_room_for_dict(table) for table in tables if table is not None]
    return per_feature * len(features) + _PER_REFERENCE * len(classes) + sum(rooms)


def room_for_names(names: Iterable[Hashable]) -> int:
    """Bytes for a list of names."""
    return sum(_PER_REFERENCE + _room_for(name) for name in names)


def _room_for_dict(table: dict[Hashable, int]) -> int:
    large_codes = max(len(table) - _SMALL_INTEGERS, 0)
    keys = sum(_PER_ENTRY + _room_for(key) for key in table)
    return _PER_DICT + keys + _PER_NUMBER * large_codes


def _room_for(value: Any) -> int:
    if isinstance(value, str):
        return _room_for_text(value)
    if isinstance(value, bytes):
        return _PER_OBJECT + len(value)
    if isinstance(value, int):
        return _PER_NUMBER + value.bit_length() // 7
    if isinstance(value, float):
        return _PER_NUMBER
    if isinstance(value, tuple):
        return _PER_OBJECT + room_for_names(value)
    return _UNKNOWN_OBJECT


def _room_for_text(text: str) -> int:
    if text.isascii():
        return 56 + len(text)
    # The same in UTF-8 is kept, too, once it was asked for.
    per_character = 2 + 4 if max(text) < "\U00010000" else 4 + 4
    return _PER_OBJECT + per_character * len(text)
