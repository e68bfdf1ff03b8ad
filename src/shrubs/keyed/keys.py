"""Which values may name a learner."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from shrubs.messages import shown

__all__ = ["Key", "plain_key", "plain_keys"]

Key: TypeAlias = str | int | bytes
"""A text, an integer of 64 bits, or bytes."""


def plain_key(key: Any) -> Key:
    """A key without NumPy's wrapping; raises for what not every store could keep apart.

    >>> plain_key(np.int64(7)), plain_key("pump 7")
    (7, 'pump 7')
    """
    plain: Key = key.item() if isinstance(key, np.generic) else key
    if type(plain) not in (str, int, bytes):
        raise TypeError(f"a key must be a text, an integer or bytes, got {shown(key)}")
    if isinstance(plain, int) and not -(2**63) <= plain < 2**63:
        raise ValueError(f"a key must be an integer of at most 64 bits, got {shown(key)}")
    if isinstance(plain, str) and not _is_unicode(plain):
        raise ValueError(f"a key must be a text without lone surrogates, got {shown(key)}")
    return plain


def plain_keys(keys: Any) -> list[Key]:
    """A sequence, array or column of keys."""
    if isinstance(keys, str | bytes) or not hasattr(keys, "__len__"):
        raise TypeError(f"keys must be a sequence with a key for each row, got {shown(keys)}")
    return [plain_key(key) for key in (keys.to_pylist() if hasattr(keys, "to_pylist") else keys)]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
