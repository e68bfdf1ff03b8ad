"""What keeps the byte states of learners that are not in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from shrubs.keyed.keys import Key

__all__ = ["Store", "StoreError"]


class StoreError(RuntimeError):
    """A store could not read or write: it is full, in use elsewhere, damaged or out of reach.

    What was learned is still in memory, and what was committed is still in the store.
    """


class Store(Protocol):
    """Byte states by key. What is put becomes part of the store at the next commit.

    Until then only this store's own ``get_many`` and ``keys`` see it. If the process dies, or at
    ``rollback``, the store is again as it was after the last commit. Each method does all that it
    promises, or raises `StoreError` and does nothing.
    """

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        """The newest state of each key, None for a key that has none."""

    def put_many(self, states: Iterable[tuple[Key, bytes]]) -> None:
        """Put states aside until the next commit."""

    def commit(self, states: Iterable[tuple[Key, bytes]], progress: str | None = None) -> None:
        """Make these states and all that were put durable, at once.

        Args:
            states: the newest of their keys.
            progress: of the caller, such as offsets of its input; None leaves it as it was.
        """

    def rollback(self) -> None:
        """Forget what was put since the last commit."""

    def progress(self) -> str | None:
        """What the caller said at its last commit with progress."""

    def keys(self) -> Iterator[Key]:
        """All keys that have a state, in no order."""

    def __len__(self) -> int:
        """How many keys have a state."""

    def close(self) -> None:
        """Give back what the store holds; what was put and not committed is forgotten."""
