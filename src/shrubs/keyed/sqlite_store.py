"""Byte states in a SQLite database: one file, a write-ahead log beside it while it is open."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shrubs.keyed.keys import Key
from shrubs.keyed.store import StoreError
from shrubs.messages import shown

__all__ = ["SQLiteStore"]

_APPLICATION = 0x73687262  # "shrb"
_VERSION = 1
# Columns without a type keep 1, '1' and x'31' apart. What is put before a commit goes to a
# temporary file of its own, which SQLite throws away with the connection.
_TABLES = """
CREATE TABLE IF NOT EXISTS states (key PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 1), progress TEXT);
"""
_PENDING = "CREATE TEMP TABLE pending (key PRIMARY KEY, state BLOB NOT NULL)"
_EVERY_KEY = "(SELECT key FROM states UNION SELECT key FROM pending)"


class SQLiteStore:
    """A `Store` in one file, which one process has to itself while the store is open.

    A commit is on the disk when it returns: it outlives the process, and the machine's power.

    Args:
        path: of the file; it is made if it is not there.
        timeout: seconds to wait for another process to close it.
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 1.0) -> None:
        self._path = Path(path)
        self._process = os.getpid()
        with self._explained():
            self._connection = sqlite3.connect(
                self._path, timeout=timeout, isolation_level=None, check_same_thread=False
            )
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    def _open(self) -> None:
        run = self._connection.execute
        # The lock is taken with the log's first use and given back by the system, however we end.
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run(_PENDING)
        with self._transaction():
            (application,), (version,) = (
                run(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
            )
            is_new = run("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
            if not is_new and (application, version) != (_APPLICATION, _VERSION):
                raise StoreError(f"{self._path} is not a store of learners of this version")
            if is_new:
                for statement in _TABLES.strip().split("\n"):
                    run(statement)
                run(f"PRAGMA application_id = {_APPLICATION}")
                run(f"PRAGMA user_version = {_VERSION}")

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        """The newest state of each key, None for a key that has none."""
        with self._explained():
            return [self._get(key) for key in keys]

    def _get(self, key: Key) -> bytes | None:
        for table in ("pending", "states"):
            query = f"SELECT state FROM {table} WHERE key = ?"
            found = self._connection.execute(query, (key,)).fetchone()
            if found is not None:
                return bytes(found[0])
        return None

    def put_many(self, states: Iterable[tuple[Key, bytes]]) -> None:
        """Put states aside until the next commit."""
        with self._explained(), self._transaction():
            self._connection.executemany("INSERT OR REPLACE INTO pending VALUES (?, ?)", states)

    def commit(self, states: Iterable[tuple[Key, bytes]], progress: str | None = None) -> None:
        """Make these states and all that were put durable, in one transaction."""
        with self._explained(), self._transaction():
            run = self._connection.execute
            run("INSERT OR REPLACE INTO states SELECT key, state FROM pending")
            run("DELETE FROM pending")
            self._connection.executemany("INSERT OR REPLACE INTO states VALUES (?, ?)", states)
            if progress is not None:
                run("INSERT OR REPLACE INTO progress VALUES (1, ?)", (progress,))

    def rollback(self) -> None:
        """Forget what was put since the last commit."""
        with self._explained():
            self._connection.execute("DELETE FROM pending")

    def progress(self) -> str | None:
        """What the caller said at its last commit with progress."""
        with self._explained():
            found = self._connection.execute("SELECT progress FROM progress").fetchone()
        return None if found is None else str(found[0])

    def keys(self) -> Iterator[Key]:
        """All keys that have a state."""
        with self._explained():
            return iter(
                [key for (key,) in self._connection.execute(f"SELECT key FROM {_EVERY_KEY}")]
            )

    def __len__(self) -> int:
        with self._explained():
            found = self._connection.execute(f"SELECT count(*) FROM {_EVERY_KEY}").fetchone()
        return int(found[0])

    def close(self) -> None:
        """Close the file; what was put and not committed is forgotten."""
        with self._explained():
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # SQLite has ended it itself after some errors
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of the database in our words."""
        if os.getpid() != self._process:
            raise StoreError(f"{self._path} was opened before a fork: open it in each process")
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} {_reason(error)}") from error


def _reason(error: sqlite3.Error) -> str:
    said = str(error)
    if "is locked" in said:
        return "is in use by another process; a store serves one at a time"
    if "is full" in said:
        return "has no room left: nothing was written, and what was learned is still in memory"
    if "not a database" in said:
        return "is not a store of learners"
    return f"cannot be used: {shown(said)}"
