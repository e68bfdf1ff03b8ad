"""Appends records to a JSON Lines file and reads them back.

Several processes may append to one file at once: each takes the file's lock, and a record that
could not be written whole is taken back.
"""

from __future__ import annotations

import contextlib
import lzma
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrubs.interrupts import uninterrupted
from shrubs.results.record import Record

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["append", "mend", "read", "to_frame"]


def append(path: str | os.PathLike[str], record: Record) -> None:
    """Append a record; either its whole line is in the file afterwards, or nothing is."""
    line = (record.to_json() + "\n").encode()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        with uninterrupted(), _locked(descriptor):
            size = os.fstat(descriptor).st_size
            try:
                _write_all(descriptor, line)
                os.fsync(descriptor)
            except BaseException:
                os.ftruncate(descriptor, size)
                raise
    finally:
        os.close(descriptor)


def mend(path: str | os.PathLike[str]) -> None:
    """Take away the half line that a process left behind when it was killed while it wrote."""
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_RDWR)
        try:
            with _locked(descriptor):
                size = os.fstat(descriptor).st_size
                with open(descriptor, "rb", closefd=False) as file:
                    whole = sum(len(line) for line in file if line.endswith(b"\n"))
                if whole < size:
                    os.ftruncate(descriptor, whole)
        finally:
            os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextlib.contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # no such lock on this system; an append of one write is the best we have
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def read(path: str | os.PathLike[str]) -> list[Record]:
    """All records of a file, in order; an error names the file and the line.

    Args:
        path: a file of records, which may be compressed (``.xz``), or a directory with
            ``results.jsonl`` or ``results.jsonl.xz``.
    """
    path = Path(path)
    if path.is_dir():
        plain, compressed = path / "results.jsonl", path / "results.jsonl.xz"
        path = plain if plain.exists() or not compressed.exists() else compressed
    records = []
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    records.append(Record.from_json(line))
                except ValueError as error:
                    raise ValueError(f"{path}, line {number}: {error}") from None
    return records


def to_frame(records: Iterable[Record]) -> pd.DataFrame:
    """One row per run: names, configuration, seed and metrics (needs pandas)."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for record in records:
        rows.append(
            {
                "run_id": record.run_id,
                "learner": record.learner,
                "label": record.label,
                "stream": record.stream,
                "seed": record.seed,
                "n_examples": record.n_examples,
                "finished": record.finished,
                **{f"configuration.{name}": v for name, v in record.configuration.items()},
                **record.metrics,
            }
        )
    return pd.DataFrame(rows)
