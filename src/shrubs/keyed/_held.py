"""The learners in memory: those used last, under a budget; the others are in the store."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress

from shrubs.keyed.keys import Key, plain_key
from shrubs.keyed.store import Store, StoreError
from shrubs.learners.loading import SavedLearner
from shrubs.messages import shown

__all__ = ["Held", "HeldLearners"]

# Of a place among the learners in memory, beside the learner and the key.
_PLACE_BYTES = 256
# Once there is no room, this share of the budget is made free: writing many at once costs less.
_FREED = 16


class Held:
    """A learner in memory: its bytes, and whether the store has it as it is now, or at all."""

    __slots__ = ("is_changed", "is_new", "learner", "n_bytes")

    def __init__(self, learner: SavedLearner, *, is_new: bool) -> None:
        self.learner = learner
        self.is_new = is_new
        self.is_changed = False
        self.n_bytes = 0


class HeldLearners:
    """Learners by key, the one used last at the end, in at most ``budget`` bytes.

    The one that is in use stays, whatever its size. Those that have to go are written before they
    are dropped, so a store that fails takes nothing away.
    """

    def __init__(self, make: Callable[[], SavedLearner], store: Store, budget: int) -> None:
        self._make = make
        self._store = store
        self._budget = budget
        self._held: OrderedDict[Key, Held] = OrderedDict()
        first = self._made()
        first.to_bytes()  # refuses wrong parameters at once
        self._kind = type(first)
        self.n_bytes = 0
        self._n_keys: int | None = None

    @property
    def n_keys(self) -> int:
        """How many there are with those in the store, which is asked once."""
        if self._n_keys is None:
            self._n_keys = len(self._store) + sum(1 for _ in self.new_keys())
        return self._n_keys

    def _made(self) -> SavedLearner:
        learner = self._make()
        if not isinstance(learner, SavedLearner):
            raise TypeError(f"make must return a learner of shrubs, got {shown(learner)}")
        if learner.examples_seen:
            raise ValueError(
                "make must return a new learner each time, got one that has learned "
                f"{learner.examples_seen} examples"
            )
        return learner

    def find(self, key: Key) -> Held:
        """The learner of a key, in memory from now on; of an unknown key, a new one that is not.

        Raises before anything changes if there is no room for it and the store takes nothing.
        """
        held = self._held.get(key)
        if held is not None:
            self._held.move_to_end(key)
            if self.n_bytes > self._budget:
                self._make_room(0, key)
            return held
        (state,) = self._store.get_many([plain_key(key)])
        if state is None:
            self._make_room(0)
            return Held(self._made(), is_new=True)
        held = Held(self._restored(key, state), is_new=False)
        held.n_bytes = _size(key, held)
        self._make_room(held.n_bytes)
        self._held[key] = held
        self.n_bytes += held.n_bytes
        return held

    def settle(self, key: Key, held: Held) -> None:
        """Take in what was learned: a new learner gets its place, and all of them fit again.

        A store that fails is left for the next `find` to tell, before anything more is learned.
        """
        if not held.n_bytes:
            if not held.learner.examples_seen:
                return
            self._held[key] = held
            if self._n_keys is not None:
                self._n_keys += 1
        held.is_changed = True
        n_bytes = _size(key, held)
        self.n_bytes += n_bytes - held.n_bytes
        held.n_bytes = n_bytes
        if self.n_bytes > self._budget:
            with suppress(StoreError):
                self._make_room(0, key)

    def commit(self, progress: str | None) -> None:
        """Write all that changed, and the caller's progress, at once."""
        changed = [(key, held) for key, held in self._held.items() if held.is_changed]
        self._store.commit(((key, held.learner.to_bytes()) for key, held in changed), progress)
        for _, held in changed:
            held.is_changed = held.is_new = False

    def clear(self) -> None:
        """Drop all of them, whether the store has them or not."""
        self._held.clear()
        self.n_bytes = 0
        self._n_keys = None

    def new_keys(self) -> Iterator[Key]:
        """Those that the store does not know."""
        return (key for key, held in self._held.items() if held.is_new)

    def _make_room(self, n_bytes: int, in_use: Key | None = None) -> None:
        """Write and drop those that were used least recently until so many bytes fit in."""
        if self.n_bytes + n_bytes <= self._budget:
            return
        surplus = self.n_bytes + n_bytes - self._budget + self._budget // _FREED
        leaving = []
        for key, held in self._held.items():
            if surplus <= 0 or key == in_use:
                break
            leaving.append((key, held))
            surplus -= held.n_bytes
        changed = [(key, held.learner) for key, held in leaving if held.is_changed]
        if changed:
            self._store.put_many((key, learner.to_bytes()) for key, learner in changed)
        for key, held in leaving:
            del self._held[key]
            self.n_bytes -= held.n_bytes

    def _restored(self, key: Key, state: bytes) -> SavedLearner:
        try:
            return self._kind.from_bytes(state)
        except ValueError as error:
            raise StoreError(f"the state of key {shown(key)} cannot be read: {error}") from error


def _size(key: Key, held: Held) -> int:
    return held.learner.memory_bytes + sys.getsizeof(key) + _PLACE_BYTES
