"""A log of records that survives a kill at any moment: a line each, behind its checksum.

What was appended is there after a kill of the process; what was synced, after a power cut as well.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

__all__ = ["Log", "Record", "to_text"]

Record = dict[str, Any]

_FEW_BYTES = 4096  # of a few records

_sync = getattr(os, "fdatasync", os.fsync)
_to_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=str).encode


class Log:
    """An open log; several threads may append to it, and whoever has the ``lock`` does so alone.

    Args:
        path: its file, made if there is none. A last line that was not written whole is taken
            away; a damaged one before others raises ValueError.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "log")
    >>> log = Log(path)
    >>> log.append([{"n": 1}, {"n": 2}])
    >>> log.sync()
    >>> Log(path).records
    [{'n': 1}, {'n': 2}]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records, length = _read(path)
        self.lock = threading.RLock()
        self._open(length)

    def _open(self, length: int) -> None:
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        os.ftruncate(self._file, length)
        os.lseek(self._file, length, os.SEEK_SET)
        self.n_bytes = length
        _sync_directory(self.path.parent)

    def append(self, records: Iterable[Record]) -> None:
        """Write records, all or none; raises OSError where there is no room for them."""
        self.append_texts(map(to_text, records))

    def append_texts(self, texts: Iterable[bytes]) -> None:
        """The same for records as JSON, without line breaks."""
        data = b"".join(map(_line, texts))
        with self.lock:
            self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            _write_all(self._file, data)
        except OSError:
            os.ftruncate(self._file, self.n_bytes)
            os.lseek(self._file, self.n_bytes, os.SEEK_SET)
            raise
        self.n_bytes += len(data)

    def check_room(self) -> None:
        """Raise OSError if the disk has no room for a few records more."""
        with self.lock:
            before = self.n_bytes
            self._write(b"\n" * _FEW_BYTES)  # no record: dropped, where a kill leaves it there
            os.ftruncate(self._file, before)
            self.n_bytes = os.lseek(self._file, before, os.SEEK_SET)

    def sync(self) -> None:
        """Return when the disk has everything that was appended before."""
        _sync(self._file)

    def replace(self, records: Callable[[], Iterable[Record]]) -> None:
        """Begin again with these records, atomically; what is appended meanwhile follows them.

        ``records`` is called while nobody appends, so that it and the rest make a whole. What it
        returns is gone through later.
        """
        with self.lock:
            first, start = records(), self.n_bytes
        new = self.path.with_name(f".{self.path.name}.part")
        file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            _write_all(file, b"".join(_line(to_text(record)) for record in first))
            os.fsync(file)
            with self.lock:
                _write_all(file, os.pread(self._file, self.n_bytes - start, start))
                os.replace(new, self.path)
                self._file, file = file, self._file
                self.n_bytes = os.lseek(self._file, 0, os.SEEK_CUR)
            os.fsync(self._file)
            _sync_directory(self.path.parent)
        finally:
            os.close(file)
            new.unlink(missing_ok=True)

    def close(self) -> None:
        """No more is appended: that raises OSError from now on."""
        with self.lock:
            file, self._file = self._file, -1
            os.close(file)


def to_text(record: Record) -> bytes:
    """As JSON."""
    return _to_json(record).encode()


def _line(text: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(text), text)


def _read(path: Path) -> tuple[list[Record], int]:
    """The records of a file, and how many bytes they take."""
    content = path.read_bytes() if path.exists() else b""
    records: list[Record] = []
    length, damaged = 0, None
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        record = _parsed(line)
        if record is None:
            damaged = damaged or number
        elif damaged is not None:
            raise ValueError(
                f"{path}, line {damaged}: this record is damaged, and later ones are not; move the "
                "file away to go on with what the model has learned"
            )
        else:
            records.append(record)
            length += len(line)
    return records, length


def _parsed(line: bytes) -> Record | None:
    """None for a line that is not whole."""
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(text):
        return None
    record = json.loads(text)
    return record if isinstance(record, dict) else None


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync_directory(directory: Path) -> None:
    """So that a new name outlives a power cut."""
    opened = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
