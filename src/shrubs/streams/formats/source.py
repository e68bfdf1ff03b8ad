"""Where the bytes of a file come from: plain, compressed, or standard input; in whole lines."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from shrubs.streams.formats.compression import unpacked
from shrubs.streams.formats.limits import MAX_HEADER_BYTES, MAX_LINE_BYTES, MEGABYTE
from shrubs.streams.formats.table import broken

__all__ = ["SAMPLE_ROWS", "LineChunk", "Source", "gather", "line_chunks", "skip_lines"]

CHUNK_BYTES = 1 << 20
SAMPLE_ROWS = 256
"""How many rows are looked at before a pipe is read, or to guess what the columns hold."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Source:
    """A file, or standard input if ``path`` is ``-``."""

    path: str

    @property
    def is_pipe(self) -> bool:
        """Whether this is standard input."""
        return self.path == "-"

    @property
    def label(self) -> str:
        """How messages call it."""
        return "standard input" if self.is_pipe else os.path.basename(self.path)

    def check(self) -> None:
        """Raises if there is no file that can be read."""
        if self.is_pipe:
            return
        path = Path(self.path)
        if path.is_dir():
            raise IsADirectoryError(f"{self.path} is a directory, not a file")
        if not path.exists():
            raise FileNotFoundError(f"{self.path}: no such file")
        if not os.access(path, os.R_OK):
            raise PermissionError(f"{self.path}: no permission to read it")
        if path.is_file() and path.stat().st_size == 0:
            raise ValueError(f"{self.label}: the file is empty")

    def chunks(self) -> Iterator[bytes]:
        """Yields the bytes, unpacked; from standard input as soon as they arrive."""
        if not self.is_pipe:
            return unpacked(self.path, self.label, CHUNK_BYTES)
        pipe = cast(io.BufferedReader, sys.stdin.buffer)
        return iter(lambda: pipe.read1(CHUNK_BYTES), b"")


@dataclass(frozen=True)
class LineChunk:
    """Whole lines of a file; ``first_line`` counts from 1."""

    text: bytes
    first_line: int

    @property
    def next_line(self) -> int:
        """The line that follows."""
        return self.first_line + self.text.count(b"\n")

    def decode(self, label: str) -> str:
        """Gives the text; the encoding is UTF-8."""
        try:
            return self.text.decode()
        except UnicodeDecodeError as error:
            line = self.first_line + self.text.count(b"\n", 0, error.start)
            raise broken(f"{label}, line {line}", None, "the text is not UTF-8") from None


def line_chunks(source: Source, *, quotes: bool) -> Iterator[LineChunk]:
    """Yields the source in chunks of whole lines; with ``quotes``, never cut inside a quote.

    Every byte is looked at once, however small the pieces of a pipe are.
    """
    held = bytearray()
    line = 1
    end = 0  # of the whole lines held
    inside = False
    for data in _tidy(source.chunks()):
        seen = len(held)
        held += data
        first_end = held.find(b"\n", seen)
        if (len(held) if first_end < 0 else first_end) - end > MAX_LINE_BYTES:
            raise _too_long(source.label, line + held.count(b"\n", 0, end))
        if first_end < 0:
            continue
        previous, end = end, held.rfind(b"\n") + 1
        inside ^= quotes and held.count(b'"', previous, end) % 2 == 1
        if inside and end < MAX_LINE_BYTES:
            continue
        chunk = LineChunk(bytes(held[:end]), line)
        yield chunk
        line = chunk.next_line
        del held[:end]
        end, inside = 0, False
    if held:
        yield LineChunk(bytes(held), line)


def _too_long(label: str, line: int) -> ValueError:
    most = f"{MAX_LINE_BYTES // MEGABYTE} MB"
    return broken(f"{label}, line {line}", None, f"a line has at most {most}, this one is longer")


def _tidy(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Takes the byte order mark away, and makes LF of all line ends: CR LF and CR."""
    held = b""  # what the next bytes have to explain
    at_start = True
    for chunk in chunks:
        data = held + chunk
        if at_start and BYTE_ORDER_MARK.startswith(data):
            held = data
            continue
        if at_start:
            data = data.removeprefix(BYTE_ORDER_MARK)
            at_start = False
        held = b"\r" if data.endswith(b"\r") else b""
        yield data.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if held and held != BYTE_ORDER_MARK:
        yield held.replace(b"\r", b"\n")


def gather(chunks: Iterable[LineChunk], enough: Callable[[LineChunk], bool]) -> LineChunk:
    """Joins chunks up to the one that is ``enough``, or to the end of the longest header."""
    parts: list[LineChunk] = []
    n_bytes = 0
    for chunk in chunks:
        parts.append(chunk)
        n_bytes += len(chunk.text)
        if enough(chunk) or n_bytes > MAX_HEADER_BYTES:
            break
    first_line = parts[0].first_line if parts else 1
    return LineChunk(b"".join(part.text for part in parts), first_line)


def skip_lines(chunks: Iterable[LineChunk], n_lines: int) -> Iterator[LineChunk]:
    """Leaves out the first ``n_lines`` lines of a file."""
    for chunk in chunks:
        start = 0
        line = chunk.first_line
        while line <= n_lines and start < len(chunk.text):
            start = chunk.text.find(b"\n", start) + 1 or len(chunk.text)
            line += 1
        if start < len(chunk.text):
            yield LineChunk(chunk.text[start:], line)
