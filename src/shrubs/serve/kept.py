"""What a service serves: one model, or one per key."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from shrubs.live import Model
from shrubs.protocols import Kind
from shrubs.streams.formats.alike_rows import AlikeRows

__all__ = ["Kept", "View", "digest_of", "kinds_of"]


@dataclass
class View:
    """What readers use: a snapshot, after how many examples it was taken, and whether they did."""

    snapshot: Any
    n_examples: int
    is_asked: bool = False


class Kept(Protocol):
    """A model and its file. One thread learns and calls the rest; `view` and `copy` are for all."""

    digest: str
    """Of what the file holds."""

    @property
    def model(self) -> Model:
        """The model, or what all of them have in common."""

    @property
    def watched(self) -> Any:
        """What tells of examples, bytes, shrubs and drifts, where there are any."""

    @property
    def n_keys(self) -> int | None:
        """How many models there are; None for one without a key."""

    def view(self, x: dict[str, Any]) -> View | None:
        """What predicts a row, at once; None if it has to be looked for first."""

    def find_view(self, x: dict[str, Any]) -> View:
        """The same, by looking for it."""

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What the columns hold that a prediction is made from, by name."""

    def predict_alike(self, rows: AlikeRows) -> list[Any] | None:
        """Predictions for rows that are checked; None if one by one is safer."""

    def copy(self, x: dict[str, Any]) -> Model:
        """A model to explain a row with, not much older than the one that is served."""

    def state(self, key: str | None) -> bytes:
        """The byte state of the model, or of that of a key."""

    def publish(self, rows: Iterable[dict[str, Any]]) -> None:
        """Show readers what was learned from these rows."""

    def refresh(self) -> None:
        """A moment has passed: renew what has become old."""

    def save(self, announce: Callable[[str], None]) -> None:
        """Write the file; ``announce`` is told its digest before."""

    def close(self) -> None:
        """Give back the file; nothing more is written."""


def kinds_of(model: Model) -> dict[str, Kind]:
    """What the features of a model hold."""
    beside = {model.target, *model.ignored}
    return {name: kind for name, kind in model.kinds.items() if name not in beside}


def digest_of(state: bytes) -> str:
    """Of what a file holds."""
    return hashlib.sha256(state).hexdigest()[:32]
