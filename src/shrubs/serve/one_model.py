"""One model and its file, as a service keeps them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from shrubs.atomic_file import write_atomically
from shrubs.live import Model
from shrubs.protocols import Kind
from shrubs.serve.block import columns_of
from shrubs.serve.kept import View, digest_of, kinds_of
from shrubs.streams.formats.alike_rows import AlikeRows

__all__ = ["OneModel"]

_SECONDS_OLD = 1.0  # the state that explanations are made of
_ROWS_AT_ONCE = 1024  # that others wait for, who use the same snapshot


class OneModel:
    """See `Kept`. Readers share one snapshot, and a state that is kept every second."""

    n_keys = None

    def __init__(self, path: Path) -> None:
        state = path.read_bytes()
        self._path = path
        try:
            self.model = Model.from_bytes(state)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        self.digest = digest_of(state)
        self._state = self.model.examples_seen, state
        self._state_at = 0.0
        self._copy: tuple[int, Any] = (-1, None)

    @property
    def watched(self) -> Any:
        """The learner."""
        return self.model.learner

    def view(self, x: dict[str, Any]) -> View | None:
        """The last snapshot."""
        return self._view

    def find_view(self, x: dict[str, Any]) -> View:
        """The last snapshot."""
        return self._view

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What the features hold."""
        return kinds_of(self.model)

    def predict_alike(self, rows: AlikeRows) -> list[Any] | None:
        """Predictions by blocks."""
        snapshot = self._view.snapshot
        predicted: list[Any] = []
        for start in range(0, rows.n_rows if snapshot else 0, _ROWS_AT_ONCE):
            stop = min(start + _ROWS_AT_ONCE, rows.n_rows)
            some = None
            if not rows.texts:
                some = snapshot.predict_named(rows.names, rows.numbers, start, stop)
            if some is None:
                some = snapshot.predict(columns_of(rows, start, stop)).tolist()
            predicted += some
        return predicted or None

    def copy(self, x: dict[str, Any]) -> Model:
        """The model of the state that was kept last."""
        n_examples, state = self._state
        if self._copy[0] != n_examples:
            self._copy = n_examples, Model.from_bytes(state)
        model: Model = self._copy[1]
        return model

    def state(self, key: str | None) -> bytes:
        """The byte state of the model."""
        if key is not None:
            raise ValueError("this service has one model: leave out the key")
        return self.model.to_bytes()

    def publish(self, rows: Iterable[dict[str, Any]] = ()) -> None:
        """Take a snapshot, and now and then a state."""
        learner: Any = self.model.learner
        n_examples = learner.examples_seen
        self._view = View(learner.snapshot() if n_examples else None, n_examples)
        self.refresh()

    def refresh(self) -> None:
        """Keep a state for explanations, if the last one is old."""
        n_examples = self.model.examples_seen
        if n_examples != self._state[0] and time.monotonic() >= self._state_at:
            self._state = n_examples, self.model.to_bytes()
            self._state_at = time.monotonic() + _SECONDS_OLD

    def save(self, announce: Callable[[str], None]) -> None:
        """Write the model's file, whole or not at all."""
        state = self.model.to_bytes()
        digest = digest_of(state)
        announce(digest)
        write_atomically(self._path, state)
        self.digest = digest

    def close(self) -> None:
        """There is nothing to give back."""
