"""A model per key, all of them with one contract, in one file."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrubs.keyed.keyed_learners import KeyedLearners
from shrubs.keyed.keys import plain_key
from shrubs.keyed.sqlite_store import SQLiteStore
from shrubs.keyed.store import StoreError
from shrubs.live import Model
from shrubs.live.values import no_value, typed
from shrubs.messages import shown
from shrubs.sizes import in_bytes

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["KeyedModel", "KeyedModelFile"]


@dataclass(frozen=True)
class _OfKey:
    """The learner of one key, as a model asks it."""

    learners: KeyedLearners
    key: str

    def predict_one(self, x: Any) -> Any:
        return self.learners.predict_one(self.key, x)

    def predict_proba_one(self, x: Any) -> Any:
        return self.learners.predict_proba_one(self.key, x)

    def learn_one(self, x: Any, y: Any) -> Any:
        return self.learners.learn_one(self.key, x, y)


class KeyedModel(Model):
    """A model whose rows say in a column which of its learners they are for.

    The contract is that of all rows, whatever their key. A key is a text; a whole number is taken
    as its digits.

    Args:
        new: a model that has learned nothing: its learner is the one that every key begins with.
        key: the column of the keys, which is not learned from.
        store: where the learners are kept.
        memory_budget: see `KeyedLearners`.
    """

    def __init__(
        self, new: Model, key: str, store: SQLiteStore, memory_budget: int | str = "256MB"
    ) -> None:
        super().__init__(new.learner, new.contract)
        if key == self.target:
            raise ValueError(f"column {shown(key)} cannot be both the key and the target")
        self.expect(ignored=[key])
        self.key = key
        kind, state = type(new.learner), new.learner.to_bytes()
        self.learners = KeyedLearners(lambda: kind.from_bytes(state), store, memory_budget)

    def typed(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """As every model does, but a key remains a text."""
        key = typed(texts.get(self.key, ""), "nominal")
        return {**super().typed(texts), self.key: key}

    def check(self, row: Mapping[str, Any]) -> None:
        """Raise ValueError for a row that can be neither predicted nor learned."""
        self._key_of(row)
        super().check(row)

    def _learner_of(self, row: Mapping[str, Any]) -> Any:
        return _OfKey(self.learners, self._key_of(row))

    def _key_of(self, row: Mapping[str, Any]) -> str:
        value = row.get(self.key)
        try:
            if no_value(value) or value == "":
                raise ValueError("the row has no key")
            if type(value) not in (str, int):
                raise ValueError(f"a key must be a text or a whole number, got {shown(value)}")
            return str(plain_key(str(value)))
        except ValueError as error:
            raise ValueError(f"column {shown(self.key)}: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Make all that was learned durable in the store, which this is the file of.

        Its progress is the column of the keys and the model before its first example, with the
        contract and the position in it, in base64.
        """
        new = base64.b64encode(self.to_bytes()).decode()
        self.learners.flush(json.dumps({"key": self.key, "model": new}))


class KeyedModelFile:
    """A file of SQLite with a `KeyedModel` in it, which this process has to itself.

    It is made when there is a model to keep. Raises StoreError if it is anything else.
    """

    def __init__(self, path: str | os.PathLike[str], memory_budget: int | str = "256MB") -> None:
        self._path = Path(path)
        self._memory_budget = in_bytes("memory_budget", memory_budget)
        self._opened = ExitStack()

    @cached_property
    def _store(self) -> SQLiteStore:
        return self._opened.enter_context(closing(SQLiteStore(self._path)))

    @staticmethod
    def is_one(path: str | os.PathLike[str]) -> bool:
        """Whether there is a file of SQLite."""
        try:
            with Path(path).open("rb") as file:
                return file.read(16) == b"SQLite format 3\0"
        except FileNotFoundError:
            return False

    def load(self) -> KeyedModel | None:
        """The model as it was saved; None if none was."""
        if not self._path.exists():
            return None
        progress = self._store.progress()
        if progress is None and not len(self._store):
            return None
        try:
            found = json.loads(progress or "")
            key, state = str(found["key"]), base64.b64decode(found["model"], validate=True)
            return self.keyed(Model.from_bytes(state), key)
        except (LookupError, TypeError, ValueError):
            raise StoreError(f"{self._path} was not kept by `shrubs follow --key`") from None

    def keyed(self, new: Model, key: str) -> KeyedModel:
        """The model of this file, from one that has learned nothing."""
        return KeyedModel(new, key, self._store, self._memory_budget)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
