"""A model per key and their file, as a service keeps them."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from shrubs.keyed.keyed_model import KeyedModel, KeyedModelFile
from shrubs.keyed.store import StoreError
from shrubs.learners.snapshot import predict_each
from shrubs.live import Model
from shrubs.protocols import Kind
from shrubs.serve.block import rows_of
from shrubs.serve.kept import View, digest_of, kinds_of
from shrubs.sizes import in_bytes
from shrubs.streams.formats.alike_rows import AlikeRows

__all__ = ["ModelPerKey"]

_PLACE_BYTES = 512  # of a view, beside its snapshot and its key
_NOTHING = View(None, 0)


@dataclass(frozen=True)
class _All:
    """All keys together, as one would watch a learner."""

    examples_seen: int
    memory_bytes: int
    n_shrubs: int = 0


class ModelPerKey:
    """See `Kept`. Readers of a key that was asked or taught lately have its last snapshot.

    Args:
        path: the store.
        key: the column of the keys.
        memory_budget: half of it is for learners, half for snapshots.
    """

    def __init__(self, path: Path, key: str, memory_budget: int | str) -> None:
        self._budget = in_bytes("memory_budget", memory_budget) // 2
        self._file = KeyedModelFile(path, self._budget)
        self._views: OrderedDict[str, View] = OrderedDict()
        self._n_bytes = 0
        self._lock = threading.Lock()
        try:
            self.model = self._loaded(path, key)
            self.digest = digest_of((self.model.learners.progress or "").encode())
        except BaseException:
            self.close()
            raise

    def _loaded(self, path: Path, key: str) -> KeyedModel:
        model = self._file.load(key)
        if model is None:
            raise StoreError(f"{path} keeps no models yet")
        return model

    @property
    def watched(self) -> _All:
        """All keys together."""
        bytes_of_learners = self.model.learners.memory_bytes
        return _All(self.model.examples_seen, bytes_of_learners + self._n_bytes)

    @property
    def n_keys(self) -> int:
        """How many keys there are, in memory or not."""
        return len(self.model.learners)

    def view(self, x: dict[str, Any]) -> View | None:
        """The last snapshot of the row's key, if it is in memory."""
        key = self.model.key_of(x)
        with self._lock:
            view = self._views.get(key)
            if view is not None:
                self._views.move_to_end(key)
                view.is_asked = True
        return view

    def find_view(self, x: dict[str, Any]) -> View:
        """A snapshot of the row's key; waits for its turn with the learners."""
        view = self.view(x) or self._take(self.model.key_of(x))
        view.is_asked = True
        return view

    def _take(self, key: str) -> View:
        """Take a snapshot, and drop those that were used least recently."""
        learners = self.model.learners
        with learners.alone():  # so that no older one comes after a newer one
            snapshot = learners.snapshot(key)
            if snapshot is None:
                return _NOTHING
            view = View(snapshot, self.model.examples_seen)
            with self._lock:
                self._n_bytes += _size(key, view) - _size(key, self._views.pop(key, None))
                self._views[key] = view
                while self._n_bytes > self._budget and len(self._views) > 1:
                    self._n_bytes -= _size(*self._views.popitem(last=False))
        return view

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What the features hold, and the key."""
        return {**kinds_of(self.model), self.model.key: "nominal"}

    def predict_alike(self, rows: AlikeRows) -> list[Any] | None:
        """Predictions key by key, though few rows of a batch have the same."""
        by_key: dict[str, list[int]] = {}
        for i, key in enumerate(rows.texts.get(self.model.key, ())):
            by_key.setdefault(key, []).append(i)
        try:
            snapshots = {key: view.snapshot for key, view in self._find_views(by_key).items()}
        except ValueError:
            return None
        if not snapshots or None in snapshots.values():
            return None
        if len(rows.texts) > 1:
            each = zip(rows.texts[self.model.key], rows_of(rows), strict=True)
            return [snapshots[key].predict_one(x) for key, x in each]
        return _predict_numbers(snapshots, by_key, rows)

    def _find_views(self, keys: Iterable[str]) -> dict[str, View]:
        """Snapshots of keys; raises ValueError for what is none."""
        with self._lock:
            views = {key: self._views.get(key) for key in keys}
            for key, view in views.items():
                if view is not None:
                    self._views.move_to_end(key)
                    view.is_asked = True
        return {key: view or self.find_view({self.model.key: key}) for key, view in views.items()}

    def copy(self, x: dict[str, Any]) -> Model:
        """A copy of the model of the row's key."""
        return self.model.of_key(self.model.key_of(x))

    def state(self, key: str | None) -> bytes:
        """The byte state of the model of a key, with the contract of all of them."""
        if not key:
            raise ValueError(f"say of which {self.model.key}: ?key=...")
        return self.model.of_key(key).to_bytes()

    def publish(self, rows: Iterable[dict[str, Any]] = ()) -> None:
        """Renew the snapshots that somebody has used, of the keys of these rows; drop the others.

        A key without one is looked for when it is asked.
        """
        for key in {self.model.key_of(x) for x in rows}:
            try:
                view = self._views.get(key)
                if view is not None and view.is_asked:
                    self._take(key)
                else:
                    self._drop(key)
            except StoreError:
                self._drop(key)

    def _drop(self, key: str) -> None:
        with self._lock:
            self._n_bytes -= _size(key, self._views.pop(key, None))

    def refresh(self) -> None:
        """There is nothing that gets old."""

    def save(self, announce: Callable[[str], None]) -> None:
        """Commit what was learned to the store."""
        progress = self.model.progress
        digest = digest_of(progress.encode())
        announce(digest)
        self.model.learners.flush(progress)
        self.digest = digest

    def close(self) -> None:
        """Close the store; what is not in it is in the log."""
        self._file.__exit__()


def _predict_numbers(
    snapshots: Mapping[str, Any], by_key: Mapping[str, Sequence[int]], rows: AlikeRows
) -> list[Any] | None:
    """Predictions by the numbers of rows; None if that is not all that is known of them."""
    order = [i for places in by_key.values() for i in places]
    ends = [*accumulate(map(len, by_key.values()))]
    each = [snapshots[key] for key in by_key]
    said = predict_each(each, rows.names, rows.numbers[order], ends)
    if said is None:
        return None
    predicted: list[Any] = [None] * len(order)
    for i, answer in zip(order, said, strict=True):
        predicted[i] = answer
    return predicted


def _size(key: str, view: View | None) -> int:
    return 0 if view is None else view.snapshot.memory_bytes + sys.getsizeof(key) + _PLACE_BYTES
