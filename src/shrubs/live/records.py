"""Rows of lines, and lines of predictions: CSV and JSON Lines."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shrubs.live.lines import Line, Lines
from shrubs.live.model import Model
from shrubs.live.values import typed
from shrubs.messages import shown
from shrubs.streams.formats.csv import read_header
from shrubs.streams.formats.jsonl import parse_object

__all__ = ["Record", "Records", "csv_line", "json_line"]


@dataclass(frozen=True)
class Record:
    """A line, and its values by name; or what is wrong with it."""

    line: int
    values: Mapping[str, Any]
    problem: str | None = None


class Records:
    """Lines as rows. One line is one row; in CSV, the first line names the columns.

    A line that repeats the names is passed over, as where files with names are put one after
    another.
    """

    def __init__(self, source: Lines, file_format: str) -> None:
        self._source = source
        self._is_csv = file_format == "csv"
        self._names: list[str] | None = None
        self._separator = ","

    def __iter__(self) -> Iterator[Record | None]:
        """Yield rows, and None when a moment passed without any."""
        for line in self._source.lines(header=self._is_csv):
            if line is None:
                yield None
            elif line.text is None or line.text.strip():
                record = self._record(line)
                if record is not None:
                    yield record

    def accept(self) -> None:
        """The last row is done."""
        self._source.accept()

    def typed(self, record: Record, model: Model | None) -> Mapping[str, Any]:
        """The values as their columns hold them; without a model, as they look."""
        if record.problem is not None:
            raise ValueError(record.problem)
        if not self._is_csv:
            return record.values
        if model is None:
            return {name: typed(text, None) for name, text in record.values.items()}
        return model.typed(record.values)

    @contextlib.contextmanager
    def placed(self, record: Record) -> Iterator[None]:
        """Say in errors where the row stands."""
        try:
            yield
        except ValueError as error:
            place = f"{self._source.label}, line {record.line}"
            mark = ", " if str(error).startswith("column ") else ": "
            raise ValueError(f"{place}{mark}{error}") from None

    def _record(self, line: Line) -> Record | None:
        try:
            values = self._values(line)
        except ValueError as error:
            if self._is_csv and self._names is None:
                raise
            return Record(line.number, {}, str(error))
        return None if values is None else Record(line.number, values)

    def _values(self, line: Line) -> dict[str, Any] | None:
        if line.text is None:
            raise ValueError("the line is too long")
        try:
            text = line.text.decode()
        except UnicodeDecodeError:
            raise ValueError("the text is not UTF-8") from None
        return self._cells(text, line.number) if self._is_csv else parse_object(text)

    def _cells(self, text: str, number: int) -> dict[str, Any] | None:
        if self._names is None:
            place = f"{self._source.label}, line {number}"
            self._names, self._separator = read_header(place, text)
            return None
        try:
            values = next(csv.reader([text], delimiter=self._separator, strict=True))
        except csv.Error as error:
            raise ValueError(str(error)) from None
        if len(values) != len(self._names):
            raise ValueError(f"expected {len(self._names)} values, got {len(values)}")
        if [value.strip() for value in values] == self._names:
            return None
        return dict(zip(self._names, values, strict=True))


def csv_line(values: Sequence[Any]) -> str:
    r"""Values as a line of CSV; line breaks in them become spaces.

    >>> csv_line(["a,b", True, None, 1.5])
    '"a,b",true,,1.5\n'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(map(_text, values))
    return line.getvalue()


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else " ".join(str(value).splitlines())


def json_line(values: Mapping[str, Any]) -> str:
    """Values as a line of JSON."""
    return json.dumps(values, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else shown(value)
