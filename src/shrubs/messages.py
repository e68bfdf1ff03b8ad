"""Values as messages show them: on one line, cut, and whatever their own code does."""

from __future__ import annotations

import reprlib

__all__ = ["shown"]

_MAX_LENGTH = 80

_short = reprlib.Repr()
_short.maxstring = _short.maxlong = _short.maxother = _MAX_LENGTH


def shown(value: object) -> str:
    """The ``repr`` of a value in at most 80 characters; a broken one does not escape.

    >>> shown([1, "two"])
    "[1, 'two']"
    """
    try:
        text = " ".join(_short.repr(value).split("\n"))
        text = text.encode(errors="backslashreplace").decode()  # no lone surrogates
    except Exception:
        return f"<{type(value).__name__}>"
    half = (_MAX_LENGTH - 3) // 2
    return text if len(text) <= _MAX_LENGTH else f"{text[:half]}...{text[-half:]}"
