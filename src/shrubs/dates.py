"""Dates as the numbers that a person would make of them: hour, weekday and day.

A date is no number to learn from: in single precision the seconds since 1970 go in steps of two
minutes. It becomes three of them that need no memory of other dates. The hour (8.5 is half past
eight) is exact to a hundredth of a second, the day to the day, so both together are the whole time.
All are as on the clock on the wall where the date was written down, whatever its time zone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from datetime import date, datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DATE_PARTS",
    "Parts",
    "has_time_of_day",
    "iso_parts",
    "names_of_parts",
    "parts_of",
    "parts_of_array",
    "parts_of_datetime",
]

DATE_PARTS = ("hour", "weekday", "days since 1970")
"""What a date is made of. Monday is 0; a date without a time of day has no hour."""

Parts = tuple[float, float, float]
"""One number for each of ``DATE_PARTS``, NaN for what a date does not have."""

_1970 = date(1970, 1, 1).toordinal()
_MICROSECONDS_PER_HOUR = 3_600_000_000
_WHOLE_DAYS = ("Y", "M", "W", "D")
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)? ?(?:Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


def names_of_parts(name: Hashable) -> tuple[str, ...]:
    """The names of the features that a column of dates becomes.

    >>> names_of_parts("when")
    ('when: hour', 'when: weekday', 'when: days since 1970')
    """
    return tuple(f"{name}: {part}" for part in DATE_PARTS)


def parts_of(value: Any) -> Parts | None:
    """The parts of a date or a time, also as ISO 8601 text; None for anything else.

    >>> parts_of(datetime(2024, 1, 5, 8, 30)), parts_of("2024-01-05T08:30+09:00")
    ((8.5, 4, 19727), (8.5, 4, 19727))
    >>> parts_of(date(2024, 1, 5)), parts_of(time(8, 30)), parts_of("late")
    ((nan, 4, 19727), (8.5, nan, nan), None)
    """
    if isinstance(value, str):
        return iso_parts(value)
    if isinstance(value, datetime):
        return parts_of_datetime(value)
    if isinstance(value, date):
        return _parts(math.nan, value)
    if isinstance(value, time):
        return _hour(value), math.nan, math.nan
    if isinstance(value, np.datetime64):
        hour, weekday, days = parts_of_array(np.array([value]))[:, 0].tolist()
        return hour, weekday, days
    return None


def parts_of_datetime(value: datetime, *, with_time: bool = True) -> Parts | None:
    """The parts of a date with or without its time of day; None for pandas' missing one."""
    if value != value:  # noqa: PLR0124
        return None
    return _parts(_hour(value) if with_time else math.nan, value)


def iso_parts(text: str) -> Parts | None:
    """The parts of a text like ``2024-01-05`` or ``2024-01-05T08:30:00.5Z``; else None."""
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction = found.groups()
    try:
        on = date(int(year), int(month), int(day))
        if hour is None:
            return _parts(math.nan, on)
        microsecond = int((fraction or "0")[:6].ljust(6, "0"))
        return _parts(_hour(time(int(hour), int(minute), int(second or 0), microsecond)), on)
    except ValueError:
        return None


def has_time_of_day(date_format: str) -> bool:
    """Whether dates in the notation of ``strptime`` come with a time of day.

    >>> has_time_of_day("%d.%m.%Y"), has_time_of_day("%Y-%m-%dT%H:%M")
    (False, True)
    """
    return any(part in date_format for part in ("%H", "%I", "%M", "%S", "%f", "%p"))


def parts_of_array(dates: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """The parts of NumPy's dates, ``(3, n)``."""
    parts = np.full((3, len(dates)), np.nan)
    known = ~np.isnat(dates)
    present = dates[known]
    days = present.astype("datetime64[D]")
    if np.datetime_data(dates.dtype)[0] not in _WHOLE_DAYS:
        microseconds = (present - days).astype("timedelta64[us]").astype(np.int64)
        parts[0, known] = microseconds / _MICROSECONDS_PER_HOUR
    numbers = days.astype(np.int64)
    parts[1, known] = (numbers + 3) % 7  # 1970 began on a Thursday
    parts[2, known] = numbers
    return parts


def _parts(hour: float, on: date) -> Parts:
    return hour, on.weekday(), on.toordinal() - _1970


def _hour(value: datetime | time) -> float:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return (seconds * 1_000_000 + value.microsecond) / _MICROSECONDS_PER_HOUR
