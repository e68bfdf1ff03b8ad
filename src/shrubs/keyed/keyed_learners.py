"""One learner per key: for each device, customer or sensor its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrubs.keyed._blocks import examples_of, fill, rows_by_key
from shrubs.keyed._held import Held, HeldLearners
from shrubs.keyed.dict_store import DictStore
from shrubs.keyed.keys import Key, plain_key
from shrubs.keyed.store import Store
from shrubs.learners.loading import SavedLearner
from shrubs.messages import shown
from shrubs.protocols import Row
from shrubs.sizes import in_bytes

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["KeyedLearners"]


class KeyedLearners:
    """A learner for each key, those used last in memory and the others in a store.

    Every key is learned as if a learner of its own had met its examples in a plain loop: the same
    bits, whatever the budget and whatever moved to the store and back.

    ``flush`` acknowledges: what was learned before it returned is in the store, together, and
    outlives the process. What came after the last ``flush`` is lost with the process, all of it, so
    that the store always stands at one point of the stream. The caller's ``progress`` says which.

    Args:
        make: returns a new learner of this package, for a key that is met for the first time.
        store: where learners that are not in memory are: a dict, or a `Store`.
        memory_budget: for the learners in memory with their keys, in bytes or as "64MB". The one
            that is in use stays there, whatever its size.

    >>> import shrubs
    >>> def make():
    ...     return shrubs.ShrubClassifier(memory_limit="16KB")
    >>> with KeyedLearners(make, {}, memory_budget="1MB") as pumps:
    ...     for i in range(200):
    ...         _ = pumps.learn_one(f"pump {i % 2}", {"heat": i % 10}, (i % 10 > 4) == (i % 2 > 0))
    ...     pumps.predict_one("pump 0", {"heat": 8}), pumps.predict_one("pump 1", {"heat": 9})
    (False, True)
    """

    def __init__(
        self,
        make: Callable[[], SavedLearner],
        store: Store | dict[Key, bytes],
        memory_budget: int | str = "256MB",
    ) -> None:
        self._store: Store = DictStore(store) if isinstance(store, dict) else store
        self._held = HeldLearners(make, self._store, in_bytes("memory_budget", memory_budget))
        self._lock = RLock()

    # -- one example -----------------------------------------------------------------------------

    def learn_one(self, key: Key, x: Row, y: Any) -> Self:
        """Learn one example of a key.

        Args:
            key: a text, an integer of 64 bits, or bytes.
            x: the features, by name or by position.
            y: a label or target.
        """
        with self._lock:
            key, held = self._find(key)
            try:
                held.learner.learn_one(x, y)
            finally:
                self._held.settle(key, held)
        return self

    def predict_one(self, key: Key, x: Row) -> Any:
        """The label or target of one example of a key; of an unknown key, None or 0."""
        with self._lock:
            return self._find(key)[1].learner.predict_one(x)

    def predict_proba_one(self, key: Key, x: Row) -> dict[Any, float]:
        """The probability of every class that the key has met; of an unknown key, none."""
        with self._lock:
            learner: Any = self._find(key)[1].learner
            found: dict[Any, float] = learner.predict_proba_one(x)
            return found

    def learner(self, key: Key) -> SavedLearner:
        """A copy of the learner of a key, to look at; of an unknown key, a new one."""
        with self._lock:
            learner = self._find(key)[1].learner
            return type(learner).from_bytes(learner.to_bytes())

    def state(self, key: Key) -> bytes:
        """The byte state of the learner of a key; of an unknown key, that of a new one."""
        with self._lock:
            return self._find(key)[1].learner.to_bytes()

    def snapshot(self, key: Key) -> Any:
        """A predictor of a key as it is now, for any thread; None of an unknown key."""
        with self._lock:
            learner: Any = self._find(key)[1].learner
            return learner.snapshot() if learner.examples_seen else None

    # -- many examples ---------------------------------------------------------------------------

    def partial_fit(self, keys: Any, X: Any, y: Any) -> Self:
        """Learn examples of many keys; those of each key in order, in one call of its learner.

        If it raises, the exception has as ``learned``, ``(n,)``, which rows were learned.

        Args:
            keys: ``(n,)``: the key of each row.
            X: ``(n, n_features)``: array, data frame or sparse matrix, NaN for missing; or a list
                of rows by name.
            y: ``(n,)`` labels or targets.
        """
        examples = examples_of(X, y)
        self._learn_each(rows_by_key(keys, len(examples)), len(examples), examples.learn)
        return self

    def prequential(self, keys: Any, X: Any, y: Any) -> NDArray[Any]:
        """Predict each row before its key learns it; the arguments are those of `partial_fit`.

        Returns the predictions, ``(n,)``, as objects. If it raises, the exception has them as
        ``predictions``, None where there is none, and ``learned`` beside it.
        """
        examples = examples_of(X, y)
        predictions = np.full(len(examples), None, dtype=object)

        def learn(learner: SavedLearner, rows: NDArray[np.intp]) -> None:
            fill(predictions, rows, examples.prequential(learner, rows))

        try:
            self._learn_each(rows_by_key(keys, len(examples)), len(examples), learn)
        except BaseException as error:
            error.predictions = predictions  # type: ignore[attr-defined]
            raise
        return predictions

    def predict(self, keys: Any, X: Any) -> NDArray[Any]:
        """Labels or targets, ``(n,)``, as objects; of an unknown key, None or 0."""
        examples = examples_of(X)
        predictions = np.full(len(examples), None, dtype=object)
        with self._lock:
            for key, rows in rows_by_key(keys, len(examples)).items():
                learner = self._find(key)[1].learner
                if learner.examples_seen:
                    fill(predictions, rows, examples.predict(learner, rows))
                else:
                    predictions[rows] = learner.predict_one({})
        return predictions

    def _learn_each(
        self,
        groups: dict[Key, NDArray[np.intp]],
        n_rows: int,
        learn: Callable[[SavedLearner, NDArray[np.intp]], None],
    ) -> None:
        """Let the learner of each key learn its rows, and say which were learned if one raises."""
        learned = np.zeros(n_rows, dtype=bool)
        with self._lock:
            try:
                for key, rows in groups.items():
                    self._learn_some(key, rows, learn, learned)
            except BaseException as error:
                error.learned = learned  # type: ignore[attr-defined]
                raise

    def _learn_some(
        self,
        key: Key,
        rows: NDArray[np.intp],
        learn: Callable[[SavedLearner, NDArray[np.intp]], None],
        learned: NDArray[np.bool_],
    ) -> None:
        _, held = self._find(key)
        n_before = held.learner.examples_seen
        try:
            learn(held.learner, rows)
        finally:
            learned[rows[: held.learner.examples_seen - n_before]] = True
            self._held.settle(key, held)

    # -- the store -------------------------------------------------------------------------------

    def flush(self, progress: str | None = None) -> None:
        """Acknowledge: all that was learned is in the store when this returns, in one transaction.

        If it raises, nothing of it is, and everything is still in memory to be tried again.

        Args:
            progress: where the caller stands, such as the offsets of its input as JSON. It is
                written in the same transaction; None leaves it as it was.
        """
        if progress is not None and not isinstance(progress, str):
            raise TypeError(f"progress must be a text, got {shown(progress)}")
        with self._lock:
            self._held.commit(progress)

    def rollback(self) -> None:
        """Forget what was learned since the last ``flush``."""
        with self._lock:
            self._held.clear()
            self._store.rollback()

    @property
    def progress(self) -> str | None:
        """Where the caller stood at the last ``flush`` that said so; None if none did."""
        with self._lock:
            return self._store.progress()

    def close(self) -> None:
        """Flush, and close the store."""
        with self._lock:
            self.flush()
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close; after an exception without ``flush``: the store stands where it was."""
        if kind is None:
            self.close()
        else:
            self._store.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Meanwhile other threads wait."""
        with self._lock:
            yield

    # -- what can be seen ------------------------------------------------------------------------

    @property
    def memory_bytes(self) -> int:
        """Bytes of the learners in memory, with their keys."""
        with self._lock:
            return self._held.n_bytes

    def __iter__(self) -> Iterator[Key]:
        with self._lock:
            return iter([*self._store.keys(), *self._held.new_keys()])

    def __len__(self) -> int:
        with self._lock:
            return self._held.n_keys

    def _find(self, key: Key) -> tuple[Key, Held]:
        if type(key) is not str:  # the hot path; other keys are looked at first, since 1 == True
            key = plain_key(key)
        return key, self._held.find(key)
