"""A model per key that is kept in messages; a file of SQLite has what is not in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrubs.keyed.keyed_model import KeyedModel, KeyedModelFile
from shrubs.keyed.store import StoreError
from shrubs.live import Model
from shrubs.messages import shown

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["KeyedStates"]

_AT_ONCE = 500  # states that are written to the file


class KeyedStates:
    """The parts are the learners of the keys; see `shrubs.live.states.States`.

    Args:
        path: where `save` leaves a copy. Until then the file stands beside it, hidden.
        key: the column of the keys.
        memory_budget: see `KeyedLearners`.
        begin: makes a model of the first row, before any key.
        check: raises ValueError for a model that is not the one that is meant.
    """

    has_parts = True

    def __init__(
        self,
        path: Path,
        key: str,
        memory_budget: int | str,
        begin: Callable[[Mapping[str, Any]], Model],
        check: Callable[[Model], None],
    ) -> None:
        self._path, self._key, self._begin, self._check = path, key, begin, check
        self._part = path.with_name(f".{path.name}.part")
        self._memory_budget = memory_budget
        self._file = KeyedModelFile(self._part, memory_budget)
        self.model: Model | None = None
        self._changed: list[Mapping[str, Any]] = []
        self._is_saved = False

    def reset(self) -> None:
        """Begin without any key."""
        self._close()
        self._file = KeyedModelFile(self._part, self._memory_budget)
        self.model = None
        self._changed.clear()

    def begin(self, row: Mapping[str, Any]) -> Model:
        """A model for the first row."""
        return self._file.keyed(self._begin(row), self._key)

    @property
    def _keyed(self) -> KeyedModel:
        assert isinstance(self.model, KeyedModel)
        return self.model

    def learned(self, row: Mapping[str, Any]) -> None:
        """The learner of the row's key has changed."""
        self._changed.append(row)

    def changed(self) -> Iterable[tuple[str, bytes]]:
        """The keys that learned, and their states."""
        keys = {self._keyed.key_of(row) for row in self._changed}
        self._changed.clear()
        return ((key, self._keyed.learners.state(key)) for key in sorted(keys))

    def whole(self) -> bytes:
        """What all keys have in common."""
        return self._keyed.progress.encode()

    def take(self, whole: bytes | None, parts: Iterable[tuple[str, bytes]]) -> None:
        """Write the states of all keys to the file, and go on with them."""
        if whole is None:
            if self._path.exists():
                raise ValueError(
                    f"{self._path} is there, and the topic has no models of this name: take another"
                )
            return
        self._file.fill(whole.decode(errors="replace"), parts, _AT_ONCE)
        try:
            self.model = self._file.load()
        except StoreError:
            raise ValueError("the topic keeps one model of this name, not one per key") from None
        if self._keyed.key != self._key:
            raise ValueError(
                f"the topic keeps a model per {shown(self._keyed.key)}, not {shown(self._key)}"
            )
        self._check(self._keyed)

    def save(self) -> None:
        """Leave a copy where it is to be, at the end."""
        if self.model is not None:
            self.model.save(self._part)
            self._is_saved = True

    def _close(self) -> None:
        self._file.__exit__()
        if self._is_saved:
            os.replace(self._part, self._path)
        for end in ("", "-wal", "-shm"):
            Path(f"{self._part}{end}").unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
