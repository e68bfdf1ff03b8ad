"""Byte states in a dict: for tests, and where the process outlives what it learns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shrubs.keyed.keys import Key

__all__ = ["DictStore"]


class DictStore:
    """A `Store` in memory.

    Args:
        states: committed states by key; they are kept here, and may be there already.
    """

    def __init__(self, states: dict[Key, bytes] | None = None) -> None:
        self._states = {} if states is None else states
        self._pending: dict[Key, bytes] = {}
        self._progress: str | None = None

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        """The newest state of each key, None for a key that has none."""
        return [self._pending.get(key) or self._states.get(key) for key in keys]

    def put_many(self, states: Iterable[tuple[Key, bytes]]) -> None:
        """Put states aside until the next commit."""
        self._pending.update(dict(states))

    def commit(self, states: Iterable[tuple[Key, bytes]], progress: str | None = None) -> None:
        """Make these states and all that were put part of the dict."""
        self.put_many(states)
        self._states.update(self._pending)
        self._pending.clear()
        if progress is not None:
            self._progress = progress

    def rollback(self) -> None:
        """Forget what was put since the last commit."""
        self._pending.clear()

    def progress(self) -> str | None:
        """What the caller said at its last commit with progress."""
        return self._progress

    def keys(self) -> Iterator[Key]:
        """All keys that have a state."""
        return iter(self._states.keys() | self._pending.keys())

    def __len__(self) -> int:
        return len(self._states.keys() | self._pending.keys())

    def close(self) -> None:
        """What was put and not committed is forgotten."""
        self.rollback()
