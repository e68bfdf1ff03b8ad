"""Where the bytes of a file come from: plain, compressed, or standard input; in whole lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from shrubs.streams._extra import import_extra
from shrubs.streams.formats.table import broken

__all__ = [
    "COMPRESSIONS",
    "SAMPLE_ROWS",
    "LineChunk",
    "Source",
    "gather",
    "line_chunks",
    "skip_lines",
]

CHUNK_BYTES = 1 << 20
# How far to look for the end of a quoted text, and of the header of a file.
LONGEST_SEARCH_BYTES = 16 * CHUNK_BYTES
SAMPLE_ROWS = 256
"""How many rows are looked at before a pipe is read, or to guess what the columns hold."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def _open_plain(path: str) -> AbstractContextManager[Any]:
    return open(path, "rb")


def _open_zip(path: str) -> AbstractContextManager[Any]:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.namelist() if not member.endswith("/")]
        if len(members) != 1:
            raise ValueError(
                f"{path}: a zip file must hold one file, this one holds {len(members)}"
            )
        return archive.open(members[0])


def _open_zst(path: str) -> AbstractContextManager[Any]:
    pyarrow = import_extra("pyarrow", "reading .zst files")
    stream: AbstractContextManager[Any] = pyarrow.input_stream(path, compression="zstd")
    return stream


COMPRESSIONS: dict[str, Callable[[str], AbstractContextManager[Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _open_zip,
    ".zst": _open_zst,
}


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
        if self.is_pipe:
            pipe = cast(io.BufferedReader, sys.stdin.buffer)
            yield from iter(lambda: pipe.read1(CHUNK_BYTES), b"")
            return
        suffix = Path(self.path).suffix.lower()
        try:
            with COMPRESSIONS.get(suffix, _open_plain)(self.path) as file:
                while chunk := file.read(CHUNK_BYTES):
                    yield chunk
        except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
            what = f"damaged or not {suffix} data" if suffix in COMPRESSIONS else "cannot be read"
            raise ValueError(f"{self.label}: {what} ({error})") from error


@dataclass(frozen=True)
class LineChunk:
    """Whole lines of a file; ``first_line`` counts from 1."""

    text: bytes
    first_line: int

    def decode(self, label: str) -> str:
        """Gives the text; the encoding is UTF-8."""
        try:
            return self.text.decode()
        except UnicodeDecodeError as error:
            line = self.first_line + self.text.count(b"\n", 0, error.start)
            raise broken(f"{label}, line {line}", None, "the text is not UTF-8") from None


def line_chunks(source: Source, *, quotes: bool) -> Iterator[LineChunk]:
    """Yields the source in chunks of whole lines; with ``quotes``, never cut inside a quote."""
    rest = b""
    line = 1
    for data in source.chunks():
        rest += data
        if line == 1:
            rest = rest.removeprefix(BYTE_ORDER_MARK)
        end = rest.rfind(b"\n") + 1
        if end == 0:
            continue
        inside = quotes and rest.count(b'"', 0, end) % 2 == 1
        if inside and len(rest) < LONGEST_SEARCH_BYTES:
            continue
        yield LineChunk(rest[:end], line)
        line += rest.count(b"\n", 0, end)
        rest = rest[end:]
    if rest:
        yield LineChunk(rest, line)


def gather(chunks: Iterator[LineChunk], enough: Callable[[bytes], bool]) -> LineChunk:
    """Joins chunks until there is ``enough``, or nothing more."""
    text = b""
    for chunk in chunks:
        text += chunk.text
        if enough(text) or len(text) > LONGEST_SEARCH_BYTES:
            break
    return LineChunk(text, 1)


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
