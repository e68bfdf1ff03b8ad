"""What the texts in a file mean: numbers, booleans, dates, categories, or missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime, timezone

import numpy as np
from numpy.typing import NDArray

from shrubs.dates import Parts, has_time_of_day, iso_parts, parts_of_datetime
from shrubs.messages import shown
from shrubs.protocols import Kind
from shrubs.streams.formats.table import Column, Dates, Numbers, Texts

__all__ = [
    "MISSING_NUMBERS",
    "KindVotes",
    "guess_kind",
    "in_order",
    "is_missing",
    "numbers_as_texts",
    "parse_boolean",
    "parse_date",
    "parse_date_parts",
    "parse_number",
    "parser_of",
    "text_of",
    "texts_of",
    "tidy_texts",
]

MISSING = frozenset(["", "?"])
# In a column of numbers these cannot be anything else; in a column of texts "NA" may be a category.
MISSING_NUMBERS = MISSING | {"NA", "N/A", "NaN", "nan", "null"}
BOOLEANS = {"true": 1.0, "false": 0.0}


def is_missing(text: str) -> bool:
    """Whether a text stands for a missing value in any column."""
    return text.strip() in MISSING


def parse_number(text: str) -> float:
    """Gives the number a text stands for, NaN if it is missing.

    >>> parse_number(" 1.5 "), parse_number("?")
    (1.5, nan)
    """
    if text in MISSING_NUMBERS:
        return float("nan")
    try:
        if "_" in text:  # Python's digit groups; no other reader of these files knows them
            raise ValueError
        return float(text)
    except ValueError:
        if text.strip() in MISSING_NUMBERS:
            return float("nan")
        raise ValueError(f"{shown(text)} is not a number") from None


def parse_boolean(text: str) -> float:
    """Gives 1 for true and 0 for false, in any case.

    >>> parse_boolean("True")
    1.0
    """
    value = BOOLEANS.get(text.lower())
    if value is None:
        raise ValueError(f"{shown(text)} is neither true nor false")
    return value


def parse_date(text: str, date_format: str | None = None) -> float:
    """Gives the seconds since 1970-01-01 in UTC; a date without a zone is taken as UTC.

    >>> parse_date("1970-01-02"), parse_date("1970-01-01T01:00:00+01:00")
    (86400.0, 0.0)
    """
    try:
        if date_format is not None:
            date = datetime.strptime(text, date_format)
        else:
            # Python 3.10 does not know the Z of ISO 8601.
            date = datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    except ValueError:
        raise _no_date(text, date_format) from None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return date.timestamp()


def parse_date_parts(text: str, date_format: str | None = None) -> Parts:
    """Gives the hour, the weekday and the day of a date, see `shrubs.dates`.

    >>> parse_date_parts("1970-01-02T03:30+01:00"), parse_date_parts("2.1.1970", "%d.%m.%Y")
    ((3.5, 4, 1), (nan, 4, 1))
    """
    if date_format is None:
        parts = iso_parts(text)
    else:
        try:
            date = datetime.strptime(text, date_format)
        except ValueError:
            raise _no_date(text, date_format) from None
        parts = parts_of_datetime(date, with_time=has_time_of_day(date_format))
    if parts is None:
        raise _no_date(text, date_format)
    return parts


def _no_date(text: str, date_format: str | None) -> ValueError:
    expected = "an ISO 8601 date" if date_format is None else f"a date like {shown(date_format)}"
    return ValueError(f"{shown(text)} is not {expected}")


def guess_kind(texts: Iterable[str]) -> Kind:
    """Guesses what a column holds: what more than half of these texts are, else categories.

    A majority, because one broken value must be reported rather than turn its column into
    categories.

    >>> guess_kind(["1", "2.5", "abc", "?"]), guess_kind(["a", "b", "1"])
    ('number', 'nominal')
    """
    votes = KindVotes()
    for text in texts:
        votes.add(text)
    return votes.kind


class KindVotes:
    """How many of the values in a column are of each kind."""

    def __init__(self) -> None:
        self._n_present = 0
        self._n_of: Counter[Kind] = Counter()

    def add(self, text: str, times: int = 1) -> None:
        """Counts a value."""
        text = text.strip()
        if text not in MISSING_NUMBERS:
            self._n_present += times
            for kind, parse in _PARSERS.items():
                self._n_of[kind] += times * _parses(parse, text)

    def add_all(self, texts: Numbers | Texts | Dates) -> None:
        """Counts the texts of a column in one batch."""
        assert isinstance(texts, Texts)
        times = np.bincount(texts.codes[texts.codes >= 0], minlength=len(texts.values))
        for text, n in zip(texts.values, times.tolist(), strict=True):
            self.add(text, n)

    @property
    def kind(self) -> Kind:
        """What more than half of the values are, else categories; numbers if there are none."""
        if self._n_present == 0:
            return "number"
        most = (kind for kind in _PARSERS if 2 * self._n_of[kind] > self._n_present)
        return next(most, "nominal")


_PARSERS: dict[Kind, Callable[[str], object]] = {
    "number": parse_number,
    "boolean": parse_boolean,
    "date": parse_date_parts,
}


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def parser_of(column: Column) -> Callable[[str], float]:
    """Gives the function that reads one text of a column of booleans or dates."""
    if column.kind == "boolean":
        return parse_boolean
    return lambda text: parse_date(text, column.date_format)


def texts_of(texts: Sequence[str]) -> Texts:
    """Gives the distinct values of a column of texts, and which one each row has.

    >>> texts_of(["b", "a", "?", " b"])
    Texts(values=['b', 'a'], codes=array([ 0,  1, -1,  0]))
    """
    position = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    codes = np.array([position[text] for text in texts], dtype=np.int64)
    return tidy_texts(list(position), codes)


def tidy_texts(values: Sequence[str], codes: NDArray[np.int64]) -> Texts:
    """Strips the values and makes empty ones and '?' missing; -1 is missing already."""
    position: dict[str, int] = {}
    moved = np.full(len(values) + 1, -1, dtype=np.int64)  # the last one is for code -1
    for code, value in enumerate(map(str.strip, values)):
        if value not in MISSING:
            moved[code] = position.setdefault(value, len(position))
    return Texts(list(position), moved[codes])


def text_of(value: object) -> str:
    """Gives a value that stands for a category as text; whole numbers without a fraction.

    >>> text_of(2.0), text_of("a"), text_of(True)
    ('2', 'a', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def numbers_as_texts(numbers: Numbers) -> Texts:
    """Gives numbers that stand for categories as texts.

    >>> numbers_as_texts(np.array([2.0, 0.5, np.nan]))
    Texts(values=['0.5', '2'], codes=array([ 1,  0, -1]))
    """
    distinct, codes = np.unique(numbers, return_inverse=True)
    present = distinct[~np.isnan(distinct)].tolist()
    values = [text_of(number) for number in present]
    codes = codes.reshape(-1).astype(np.int64)  # NaN sorts last
    return Texts(values, np.where(codes < len(values), codes, -1))


def _number_and_text(value: Hashable) -> tuple[float, str]:
    number = float(str(value))
    if number != number:  # noqa: PLR0124
        raise ValueError("NaN has no place among numbers")
    return number, str(value)


def in_order(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Sorts categories or classes: by number if all are numbers, else as texts.

    >>> in_order({"10", "9"}), in_order({"10", "9", "nan"}), in_order({2, 1})
    (('9', '10'), ('10', '9', 'nan'), (1, 2))
    """
    found = list(values)
    try:
        return tuple(sorted(found, key=_number_and_text))
    except ValueError:
        return tuple(sorted(found, key=str))
