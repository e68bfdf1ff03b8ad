"""A model per key, all of them with one contract, in one file."""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrubs.keyed.keyed_learners import KeyedLearners
from shrubs.keyed.keys import Key, plain_key
from shrubs.keyed.sqlite_store import SQLiteStore
from shrubs.keyed.store import Store, StoreError
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

    model: KeyedModel
    key: str

    def predict_one(self, x: Any) -> Any:
        return self.model.learners.predict_one(self.key, x)

    def predict_proba_one(self, x: Any) -> Any:
        return self.model.learners.predict_proba_one(self.key, x)

    def learn_one(self, x: Any, y: Any) -> None:
        self.model.learners.learn_one(self.key, x, y)
        self.model.n_learned += 1


class KeyedModel(Model):
    """A model whose rows say in a column which of its learners they are for.

    The contract is that of all rows, whatever their key. A key is a text; a whole number is taken
    as its digits.

    Args:
        new: a model that has learned nothing: its learner is the one that every key begins with.
        key: the column of the keys, which is not learned from.
        store: where the learners are kept.
        memory_budget: see `KeyedLearners`.
        n_learned: examples that all of them have learned.
        name: tells it from all others, with the same contract or not; made if it is not given.
    """

    def __init__(
        self,
        new: Model,
        key: str,
        store: Store,
        memory_budget: int | str = "256MB",
        *,
        n_learned: int = 0,
        name: str = "",
    ) -> None:
        super().__init__(new.learner, new.contract)
        self.n_learned = n_learned
        self._name = name or secrets.token_hex(8)
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
        self.key_of(row)
        super().check(row)

    def learner_of(self, row: Mapping[str, Any]) -> Any:
        """The learner of the row's key."""
        return _OfKey(self, self.key_of(row))

    @property
    def examples_seen(self) -> int:
        """How many examples all keys have learned."""
        return self.n_learned

    def key_of(self, row: Mapping[str, Any]) -> str:
        """The key of a row; raises ValueError."""
        value = row.get(self.key)
        try:
            if no_value(value) or value == "":
                raise ValueError("the row has no key")
            if type(value) not in (str, int):
                raise ValueError(f"a key must be a text or a whole number, got {shown(value)}")
            return str(plain_key(str(value)))
        except ValueError as error:
            raise ValueError(f"column {shown(self.key)}: {error}") from None

    def of_key(self, key: str) -> Model:
        """A copy of the model of a key."""
        return Model(self.learners.learner(key), self.contract)

    @property
    def progress(self) -> str:
        """What the store keeps beside the learners, as JSON.

        The column of the keys, the examples so far, a name, and the model before its first example
        in base64, with the contract and the position in it.
        """
        new = base64.b64encode(self.to_bytes()).decode()
        known = {"key": self.key, "model": new, "examples": self.n_learned, "name": self._name}
        return json.dumps(known)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Make all that was learned durable in the store, which this is the file of."""
        self.learners.flush(self.progress)


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

    def load(self, key: str | None = None) -> KeyedModel | None:
        """The model as it was saved; None if none was.

        Raises ValueError if it keeps a model for each value of another column than ``key``.
        """
        if not self._path.exists():
            return None
        progress = self._store.progress()
        if progress is None and not len(self._store):
            return None
        try:
            found = json.loads(progress or "")
            state = base64.b64decode(found["model"], validate=True)
            kept = self.keyed(
                Model.from_bytes(state),
                str(found["key"]),
                n_learned=int(found.get("examples", 0)),
                name=str(found.get("name", "")),
            )
        except (LookupError, TypeError, ValueError, AttributeError):
            raise StoreError(f"{self._path} was not kept by `shrubs follow --key`") from None
        if key not in (None, kept.key):
            raise ValueError(f"{self._path} keeps a model per {shown(kept.key)}, not {shown(key)}")
        return kept

    def fill(self, progress: str, states: Iterable[tuple[Key, bytes]], at_once: int) -> None:
        """Write states and what they have in common to a file that keeps none."""
        left = iter(states)
        while some := list(islice(left, at_once)):
            self._store.commit(some)
        self._store.commit((), progress)

    def keyed(self, new: Model, key: str, **counted: Any) -> KeyedModel:
        """The model of this file, from one that has learned nothing."""
        return KeyedModel(new, key, self._store, self._memory_budget, **counted)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
