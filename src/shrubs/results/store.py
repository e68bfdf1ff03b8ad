"""Appends records to a JSON Lines file and reads them back.

Several processes may append to one file at once: each takes the file's lock, and a record that
could not be written whole is taken back.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import lzma
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrubs.interrupts import uninterrupted
from shrubs.notebook import table
from shrubs.results.record import Record

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Records", "append", "mend", "read", "to_frame"]

_MAX_LINE = 2**28
_SHOWN = ("accuracy", "kappa", "mae", "rmse", "max_memory_bytes", "learn_seconds")  # in a notebook
_BEGINNING = b'{"learner"'  # of every record


def append(path: str | os.PathLike[str], record: Record) -> None:
    """Append a record; either its whole line is in the file afterwards, or nothing is.

    Half a record that a killed process left at the end is taken away first.
    """
    line = (record.to_json() + "\n").encode()
    with uninterrupted(), _opened(path, os.O_CREAT) as descriptor:
        _mend(descriptor)
        size = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, line)
            os.fsync(descriptor)
        except BaseException:
            os.ftruncate(descriptor, size)
            raise


def mend(path: str | os.PathLike[str]) -> None:
    """Take away the half record that a process left behind when it was killed while it wrote."""
    with contextlib.suppress(FileNotFoundError), _opened(path) as descriptor:
        _mend(descriptor)


def _mend(descriptor: int) -> None:
    """End the last line where its end is missing, or take it away if it is half a record."""
    size = os.fstat(descriptor).st_size
    os.lseek(descriptor, max(size - 1, 0), os.SEEK_SET)
    if os.read(descriptor, 1) in (b"\n", b""):
        return
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as file:
        last = collections.deque(file, maxlen=1).pop()
    if _is_half(last):
        os.ftruncate(descriptor, size - len(last))
    else:
        _write_all(descriptor, b"\n")


def _is_half(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        # A power cut may leave zeros. Anything else is not ours to take away.
        begun = line.lstrip(b"\0")[: len(_BEGINNING)]
        return begun == _BEGINNING[: len(begun)]
    return False


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str], flags: int = 0) -> Iterator[int]:
    """The file, locked; what is written goes to its end."""
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | flags, 0o666)
    try:
        with _locked(descriptor):
            yield descriptor
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


class Records(list[Record]):
    """Records in a list, which a notebook shows as a table."""

    def __repr__(self) -> str:
        return f"<Records of {len(self)} runs>"

    def _repr_html_(self) -> str:
        shown = [name for name in _SHOWN if any(name in record.metrics for record in self)]
        return table(
            ("stream", "learner", "examples", *(name.replace("_", " ") for name in shown)),
            (
                (
                    record.stream,
                    record.label,
                    record.failure or f"{record.n_examples:,}",
                    *(_in_words(record.metrics.get(name)) for name in shown),
                )
                for record in self
            ),
        )


def _in_words(value: float | None) -> str:
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def read(path: str | os.PathLike[str]) -> Records:
    """All records of a file, in order; a ValueError names the file and the line.

    A line of more than 256 MB is no record.

    Args:
        path: a file of records, which may be compressed (``.xz``), or a directory with
            ``results.jsonl`` or ``results.jsonl.xz``.
    """
    path = Path(path)
    if path.is_dir():
        plain, compressed = path / "results.jsonl", path / "results.jsonl.xz"
        path = plain if plain.exists() or not compressed.exists() else compressed
    records = Records()
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8", errors="surrogateescape") as file:
        for number in itertools.count(1):
            try:
                line = file.readline(_MAX_LINE)
                if line.strip():
                    records.append(Record.from_json(line))
            except (ValueError, lzma.LZMAError, EOFError) as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            if not line:
                break
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
