"""Lines as they come: from a pipe, or from a file that grows, is cut or is replaced."""

from __future__ import annotations

import os
import select
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from shrubs.streams.formats.limits import MAX_LINE_BYTES

__all__ = ["GrowingFile", "Line", "Lines", "Pipe", "Position"]

Position = tuple[int, int, int, int]
"""Up to where a file was read, as a `shrubs.learners.Contract` keeps it."""

_TICK = 0.2  # seconds between two looks
_CHUNK_BYTES = 1 << 16
_BEGINNING_BYTES = 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Line:
    """One line without its end; None for one that is too long to be read."""

    text: bytes | None
    number: int


class Lines(Protocol):
    """Where lines come from."""

    label: str

    def lines(self, *, header: bool) -> Iterator[Line | None]:
        """Yield each line as soon as it is whole, and None when a moment passed without any.

        With ``header``, what goes on in the middle of a file begins with its first line.
        """

    def accept(self) -> None:
        """The last line is done."""

    def position(self) -> Position | None:
        """What to go on with after the last line that is done; None if nobody can go back."""


class _Splitter:
    """Cuts bytes into lines; ``n_bytes`` of them were given out."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.n_bytes = 0
        self._held = bytearray()
        self._dropped = 0  # bytes of a line that is too long

    def feed(self, data: bytes) -> Iterator[Line]:
        seen = len(self._held)
        self._held += data
        while (end := self._held.find(b"\n", seen)) >= 0:
            text = bytes(self._held[:end])
            del self._held[: end + 1]
            seen = 0
            yield self._line(text, end + 1)
        if len(self._held) > MAX_LINE_BYTES:
            self._dropped += len(self._held)
            self._held.clear()

    def rest(self) -> Iterator[Line]:
        """A last line without an end."""
        if self._held or self._dropped:
            text = bytes(self._held)
            self._held.clear()
            yield self._line(text, len(text))

    def _line(self, text: bytes, size: int) -> Line:
        is_whole = self._dropped == 0 and len(text) <= MAX_LINE_BYTES
        self.n_bytes += self._dropped + size
        self._dropped = 0
        self.number += 1
        if self.number == 1:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        return Line(text.removesuffix(b"\r") if is_whole else None, self.number)


class Pipe:
    """Standard input, or any other descriptor that bytes come from."""

    def __init__(self, descriptor: int | None = None, label: str = "standard input") -> None:
        self.label = label
        self._descriptor = descriptor

    def lines(self, *, header: bool) -> Iterator[Line | None]:
        """Yield lines up to the end of the input."""
        descriptor = sys.stdin.fileno() if self._descriptor is None else self._descriptor
        splitter = _Splitter()
        while True:
            if not _is_ready(descriptor):
                yield None
                continue
            data = os.read(descriptor, _CHUNK_BYTES)
            if not data:
                yield from splitter.rest()
                return
            yield from splitter.feed(data)

    def accept(self) -> None:
        """Nothing to remember."""

    def position(self) -> Position | None:
        """Nobody can go back in a pipe."""
        return None


def _is_ready(descriptor: int) -> bool:
    if sys.platform == "win32":  # only sockets can be waited for there
        return True
    return bool(select.select([descriptor], [], [], _TICK)[0])


class GrowingFile:
    """A file that others write to, as ``tail -F`` reads it.

    A file that is cut is read from its beginning again. One that is renamed is read to its end;
    then the file that has its name now is read from the beginning.

    Args:
        path: the file.
        begin: where to go on, if this is still the file that was read, or one beside it whose name
            begins with its name.
        from_end: otherwise begin with what will be written from now on.
    """

    def __init__(
        self, path: str | os.PathLike[str], begin: Position | None = None, *, from_end: bool = False
    ) -> None:
        self.label = os.path.basename(path)
        self._path = Path(path)
        self._begin = begin
        self._from_end = from_end
        self._file = -1
        self._start = 0  # where the splitter began
        self._splitter = _Splitter()
        self._done = (0, 0)  # offset and line

    def lines(self, *, header: bool) -> Iterator[Line | None]:
        """Yield lines for ever."""
        yield from self._begin_reading(header)
        while True:
            data = os.read(self._file, _CHUNK_BYTES)
            if data:
                yield from self._splitter.feed(data)
            elif os.fstat(self._file).st_size < self._read_up_to():
                self._start_over(self._file)
                os.lseek(self._file, 0, os.SEEK_SET)
            elif self._is_replaced():
                if more := os.read(self._file, _CHUNK_BYTES):  # written before it was renamed
                    yield from self._splitter.feed(more)
                    continue
                yield from self._splitter.rest()
                os.close(self._file)
                self._start_over(os.open(self._path, os.O_RDONLY))
            else:
                yield None
                time.sleep(_TICK)

    def accept(self) -> None:
        """Remember where the next line begins."""
        self._done = self._start + self._splitter.n_bytes, self._splitter.number

    def position(self) -> Position:
        """The beginning of the file in a checksum, and where its next line begins."""
        n_bytes = min(self._done[0], _BEGINNING_BYTES)
        return n_bytes, _checksum(self._file, n_bytes), *self._done

    def _begin_reading(self, header: bool) -> Iterator[Line]:
        path = None if self._begin is None else _find(self._path, self._begin)
        self._start_over(os.open(path or self._path, os.O_RDONLY))
        if path is not None and self._begin is not None:
            _, _, self._start, self._splitter.number = self._begin
        elif self._from_end:
            self._start = os.lseek(self._file, 0, os.SEEK_END)
        self.accept()
        if self._start and header:
            yield from _first_line(self._file)
        os.lseek(self._file, self._start, os.SEEK_SET)

    def _start_over(self, file: int) -> None:
        self._file, self._start, self._splitter = file, 0, _Splitter()
        self.accept()

    def _read_up_to(self) -> int:
        return os.lseek(self._file, 0, os.SEEK_CUR)

    def _is_replaced(self) -> bool:
        try:
            return not os.path.samestat(os.fstat(self._file), self._path.stat())
        except FileNotFoundError:  # between two names
            return False


def _find(path: Path, begin: Position) -> Path | None:
    """The file that was read up to there: under its name, or renamed."""
    beside = sorted(path.parent.glob(f"{path.name}*"))
    return next((each for each in (path, *beside) if _is_same(each, begin)), None)


def _is_same(path: Path, begin: Position) -> bool:
    n_bytes, checksum, offset, _ = begin
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.fstat(file).st_size >= offset and _checksum(file, n_bytes) == checksum
    finally:
        os.close(file)


def _checksum(file: int, n_bytes: int) -> int:
    at = os.lseek(file, 0, os.SEEK_CUR)
    os.lseek(file, 0, os.SEEK_SET)
    beginning = os.read(file, n_bytes)
    os.lseek(file, at, os.SEEK_SET)
    return zlib.crc32(beginning)


def _first_line(file: int) -> Iterator[Line]:
    splitter = _Splitter()
    os.lseek(file, 0, os.SEEK_SET)
    while data := os.read(file, _CHUNK_BYTES):
        for line in splitter.feed(data):
            yield line
            return
