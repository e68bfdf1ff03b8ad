"""The directory of a study: its file, and the records of its runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

from shrubs.atomic_file import write_atomically
from shrubs.results.record import Record
from shrubs.results.store import append, mend, read

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["StudyDirectory"]


class StudyDirectory:
    """Holds ``study.toml``, a copy of the study's file, and ``results.jsonl``, a record per run.

    Use it in a ``with`` block: one process at a time has it. It can be killed at any moment; what
    was added is there afterwards.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results = self.path / "results.jsonl"
        self.study = self.path / "study.toml"
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> Self:
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = (self.path / "lock").open("ab")
        try:
            _lock(self._lock)
        except BlockingIOError:
            self._lock.close()
            raise ValueError(
                f"another study is running in {self.path}; wait for its end, or choose another "
                "directory with --output"
            ) from None
        mend(self.results)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    def keep_study(self, file: str | os.PathLike[str]) -> None:
        """Keep a copy of the study's file."""
        if not self.study.exists() or not self.study.samefile(file):
            write_atomically(self.study, Path(file).read_bytes())

    def records(self) -> Mapping[str, Record]:
        """The records by `run_id`."""
        if not self.results.exists():
            return {}
        return {record.run_id: record for record in read(self.results)}

    def add(self, record: Record) -> None:
        """Keep a record."""
        append(self.results, record)

    def forget_failures(self) -> None:
        """Take away the records of failed runs, so that they are done again."""
        kept = [r.to_json() + "\n" for r in self.records().values() if r.failure is None]
        write_atomically(self.results, "".join(kept).encode())


def _lock(file: IO[bytes]) -> None:
    """Take the lock, which ends with this process; raises BlockingIOError if it is taken."""
    try:
        import fcntl
    except ImportError:  # no such lock on this system
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
