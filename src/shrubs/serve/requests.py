"""What clients send, read and checked: JSON of a few known members, within limits."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, NoReturn, TypeVar

from shrubs.messages import shown

__all__ = [
    "Lesson",
    "Question",
    "decode_text",
    "parse_lines",
    "read_all",
    "read_body",
    "read_lesson",
    "read_lines",
    "read_question",
]

MAX_FEATURES = 10_000
MAX_NAME = 256  # characters of a name of a feature, of an id and of a label
MAX_TEXT = 4096  # characters of any other text
MAX_ROWS = 50_000
LARGEST = 1e300

_Request = TypeVar("_Request")


class Question(NamedTuple):
    """A row to predict; with an ``id`` it is remembered until its label comes."""

    x: dict[str, Any]
    id: str | None = None


class Lesson(NamedTuple):
    """A label to learn: with its row, or with the id of a row that was predicted."""

    y: Any
    x: dict[str, Any] | None = None
    id: str | None = None


def read_question(data: Any) -> Question:
    """The question of a JSON object; raises ValueError."""
    members = _members(data, {"x", "id"})
    if "x" not in members:
        raise ValueError('"x" is missing: the features, by name')
    return Question(_row(members["x"]), _id(members))


def read_lesson(data: Any) -> Lesson:
    """The lesson of a JSON object; raises ValueError."""
    members = _members(data, {"x", "y", "id"})
    if "y" not in members:
        raise ValueError('"y" is missing: the label or target')
    if "x" not in members and "id" not in members:
        raise ValueError('"x" or "id" is missing: the features by name, or the id of a prediction')
    y = members["y"]
    if y is None or not _is_value(y):
        raise ValueError(f'"y" must be a text, a number or a boolean, got {shown(y)}')
    if isinstance(y, str) and len(y) > MAX_NAME:
        raise ValueError(f'"y" must have at most {MAX_NAME} characters, got {len(y):,}')
    return Lesson(y, _row(members["x"]) if "x" in members else None, _id(members))


def read_body(body: bytes, read: Callable[[Any], _Request]) -> _Request:
    """The request in a body of JSON; raises ValueError."""
    return read(_parsed(body))


def read_lines(body: bytes, read: Callable[[Any], _Request]) -> list[_Request]:
    """The requests in JSON Lines; raises ValueError, which says in which line."""
    return read_all(parse_lines(body), read)


def read_all(values: Iterable[Any], read: Callable[[Any], _Request]) -> list[_Request]:
    """The requests of parsed lines; raises ValueError, which says in which line."""
    requests = []
    for number, data in enumerate(values, 1):
        try:
            requests.append(read(data))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return requests


def parse_lines(body: bytes) -> list[Any]:
    """The values in JSON Lines; raises ValueError, which says in which line."""
    lines = body.split(b"\n", MAX_ROWS + 1)
    if not lines[-1].strip():
        lines.pop()
    if not 0 < len(lines) <= MAX_ROWS:
        raise ValueError(
            f"there must be 1 to {MAX_ROWS:,} lines, got {'more' if lines else 'none'}"
        )
    with contextlib.suppress(ValueError):  # all at once; no line break is inside a value
        values: list[Any] = _parsed(b"[%b]" % b",\n".join(lines))
        if len(values) == len(lines):
            return values
    return [_parsed_line(number, line) for number, line in enumerate(lines, 1)]


def _parsed_line(number: int, line: bytes) -> Any:
    try:
        return _parsed(line)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON; leave out what is missing, or say null")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode


def decode_text(text: str) -> str:
    """A text of JSON, in its quotes; raises ValueError."""
    return str(_decode(text))


def _parsed(text: bytes) -> Any:
    try:
        return _decode(text.decode())
    except UnicodeDecodeError:
        raise ValueError("this is not UTF-8") from None
    except RecursionError:
        raise ValueError("this is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"this is not JSON: {error}") from None


def _members(data: Any, known: set[str]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ValueError(f"an object must come, with {_listed(known)}; got {shown(data)}")
    if not data.keys() <= known:
        unknown = sorted(data.keys() - known)[0]
        raise ValueError(f"there is no member {shown(unknown)}, only {_listed(known)}")
    return data


def _listed(names: set[str]) -> str:
    return ", ".join(f'"{name}"' for name in sorted(names, reverse=True))


def _row(x: Any) -> dict[str, Any]:
    if not isinstance(x, dict):
        raise ValueError(f'"x" must be an object, the features by name, got {shown(x)}')
    if not 0 < len(x) <= MAX_FEATURES:
        raise ValueError(f'"x" must have 1 to {MAX_FEATURES:,} features, got {len(x):,}')
    if are_numbers(x.values()) and "" not in x and max(map(len, x)) <= MAX_NAME:
        return x
    for name, value in x.items():
        if not 0 < len(name) <= MAX_NAME:
            raise ValueError(f"a name must have 1 to {MAX_NAME} characters, got {shown(name)}")
        if not _is_value(value):
            raise ValueError(
                f"{shown(name)} must be a finite number, a text of at most {MAX_TEXT:,} "
                f"characters, a boolean or null, got {shown(value)}"
            )
    return x


def are_numbers(values: Collection[Any]) -> bool:
    """Whether all of them are numbers, and small together; no for some that are not."""
    try:
        return {*map(type, values)} <= {float, int} and bool(sum(map(abs, values)) < LARGEST)
    except OverflowError:
        return False


def _is_value(value: Any) -> bool:
    kind = type(value)
    if kind is float:
        return math.isfinite(value)
    if kind is str:
        return len(value) <= MAX_TEXT
    if kind is int:
        return bool(-LARGEST < value < LARGEST)
    return kind is bool or value is None


def _id(members: dict[str, Any]) -> str | None:
    if "id" not in members:
        return None
    found = members["id"]
    if not isinstance(found, str) or not 0 < len(found) <= MAX_NAME:
        raise ValueError(f'"id" must be a text of 1 to {MAX_NAME} characters, got {shown(found)}')
    return found
