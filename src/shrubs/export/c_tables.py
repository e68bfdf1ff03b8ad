"""Tables of constants in C, each in as few bits as hold it, and the bytes they take."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

__all__ = ["Tables", "number", "shared", "width"]

_COLUMNS = 96
_WHOLE = (("uint8_t", 1, 2**8), ("uint16_t", 2, 2**16), ("uint32_t", 4, 2**32))

# Where the last bits of a table are read, so are these bytes.
_BEHIND = 3

Row = TypeVar("Row", bound=Hashable)


class Tables:
    """The tables of a file, in the order in which they were added."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.n_bytes = 0

    def __str__(self) -> str:
        return "\n".join(self._texts)

    def add_whole(self, name: str, values: Sequence[int], comment: str) -> None:
        """Whole numbers from 0 on."""
        kind, size, _ = next(each for each in _WHOLE if max(values, default=0) < each[2])
        self._add(kind, size, name, list(map(str, values)), comment)

    def add_reals(self, name: str, values: Sequence[float], comment: str) -> None:
        """Real numbers, in single precision if that holds each of them exactly."""
        with np.errstate(over="ignore"):
            is_single = bool(np.all(np.array(values, np.float32) == np.array(values)))
        self._add(
            "float" if is_single else "double",
            4 if is_single else 8,
            name,
            [number(value, is_single=is_single) for value in values],
            comment,
        )

    def add_bits(
        self, name: str, rows: Iterable[Sequence[int]], widths: Sequence[int], comment: str
    ) -> None:
        """Rows of whole numbers, each in its own number of bits, to be read by `bits`."""
        values = bytearray()
        waiting, n_waiting = 0, 0
        for row in rows:
            for value, n in zip(row, widths, strict=True):
                waiting |= value << n_waiting
                n_waiting += n
            n_bytes = n_waiting // 8
            values += (waiting & 256**n_bytes - 1).to_bytes(n_bytes, "little")
            waiting >>= 8 * n_bytes
            n_waiting -= 8 * n_bytes
        values += waiting.to_bytes((n_waiting + 7) // 8 + _BEHIND, "little")
        self._add("uint8_t", 1, name, list(map(str, values)), comment)

    def _add(self, kind: str, size: int, name: str, values: list[str], comment: str) -> None:
        lines, line = [], "   "
        for value in values:
            if len(line) + len(value) + 2 > _COLUMNS:
                lines.append(line)
                line = "   "
            line += f" {value},"
        self._texts.append(f"/* {comment} */\nstatic const {kind} {name}[{len(values)}] = {{")
        self._texts.append("\n".join([*lines, line, "};"]))
        self.n_bytes += size * len(values)


def width(values: Iterable[int]) -> int:
    """How many bits hold each of these whole numbers."""
    return max(values, default=0).bit_length()


def number(value: float, *, is_single: bool = False) -> str:
    """A real number as C writes it, exact."""
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return f"{np.float32(value)!s}f" if is_single else repr(float(value))


def shared(rows: Sequence[Row], row_bits: int) -> tuple[list[Row], list[int] | None]:
    """Each different row once, and which of them each row is; None where that takes more bits."""
    places: dict[Row, int] = {}
    which = [places.setdefault(row, len(places)) for row in rows]
    if row_bits * len(places) + width(which) * len(rows) < row_bits * len(rows):
        return list(places), which
    return list(rows), None
