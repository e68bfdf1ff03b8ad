"""Sizes in bytes as people write them: 65536 or "64KB"."""

from __future__ import annotations

import numbers
import re
from decimal import Decimal

from shrubs.messages import shown

__all__ = ["in_bytes"]

_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
_TEXT = re.compile(r"\s*(\d{1,1000}(?:\.\d{1,1000})?)\s*([KMG]?B)\s*")


def in_bytes(
    name: str, size: int | str, allowed: str = "an integer or a text such as '1MB'"
) -> int:
    """A size in bytes; one KB is 1024 bytes.

    Args:
        name: of the parameter, for messages.
        size: an integer, or a number with B, KB, MB or GB.
        allowed: the types that the parameter takes, for messages.

    >>> in_bytes("memory_limit", "64KB"), in_bytes("memory_limit", 2048)
    (65536, 2048)
    """
    if isinstance(size, str):
        match = _TEXT.fullmatch(size.upper())
        if match is None:
            raise ValueError(
                f"{name} must be bytes or a text such as '64KB' or '1.5MB', got {shown(size)}"
            )
        n_bytes = int(Decimal(match[1]) * _UNITS[match[2]])
    elif isinstance(size, bool) or not isinstance(size, numbers.Integral):
        raise TypeError(f"{name} must be {allowed}, got {shown(size)}")
    else:
        n_bytes = int(size)
    if n_bytes < 1:
        raise ValueError(f"{name} must be at least 1 byte, got {shown(size)}")
    return n_bytes
