"""Numbers, dates and times that are written otherwise than files are read.

They are categories to a stream: nearly every row has its own, and what tells is lost.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from shrubs.messages import shown

__all__ = ["doubt_about"]

# Fewer may well be categories: prices, or times of a timetable.
_MIN_DISTINCT = 20

_DIGITS = r"(?:\d+(?:[.,]\d+)?|\d{1,3}(?:[,.' \u00a0\u202f]\d{3})+(?:[.,]\d+)?)"
_NUMBER = re.compile(
    rf"[-+]?[$€£¥] ?[-+]?{_DIGITS}|[-+]?{_DIGITS}(?: ?[%$€£¥])?|\([$€£¥]?{_DIGITS}\)"
)
_TIME = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?"
_MONTH = r"[A-Z][a-z]{2,8}\.?"
_DATE = re.compile(
    rf"(?:\d{{1,2}}([/.])\d{{1,2}}\1(?:\d{{4}}|\d\d)|\d{{4}}([/.])\d{{1,2}}\2\d{{1,2}}"
    rf"|\d{{4}}-\d\d-\d\d|(?:[A-Z][a-z]{{2}},? )?{_MONTH} \d{{1,2}},? \d{{4}}"
    rf"|(?:[A-Z][a-z]{{2}},? )?\d{{1,2}}([- ]){_MONTH}\3(?:\d{{4}}|\d\d))"
    rf"(?:[T ,]+{_TIME}(?: ?[A-Z]{{1,5}}| ?[-+]\d\d:?\d\d)?)?|{_TIME}"
)


def doubt_about(categories: Collection[object]) -> str | None:
    """What most categories of a column look like, and how to write that; None if like nothing.

    >>> doubt_about([f"{i},5" for i in range(40)])
    "look like numbers, such as '0,5'; write them like 1234.5"
    >>> doubt_about(["red", "blue"])
    """
    texts = [text for text in categories if isinstance(text, str)]
    if len(texts) < _MIN_DISTINCT:
        return None
    for form, words, right in (
        (_NUMBER, "numbers", "1234.5"),
        (_DATE, "dates or times", "2024-01-31 or 2024-01-31T08:30"),
    ):
        found = [text for text in texts if form.fullmatch(text)]
        if 2 * len(found) > len(texts):
            return f"look like {words}, such as {shown(found[0])}; write them like {right}"
    return None
