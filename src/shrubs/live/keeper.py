"""Keeps a model in its file while it learns."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shrubs.live.lines import Position
from shrubs.live.model import Model
from shrubs.messages import shown

__all__ = ["Keeper", "SaveEvery"]

_UNITS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True)
class SaveEvery:
    """How often a model is saved: after so many rows, or so many seconds."""

    rows: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, text: str) -> SaveEvery:
        """The option as people write it.

        >>> SaveEvery.of("1000"), SaveEvery.of("1.5m")
        (SaveEvery(rows=1000, seconds=None), SaveEvery(rows=None, seconds=90.0))
        """
        found = re.fullmatch(r"(\d{1,9})|(\d{1,9}(?:\.\d{1,9})?)([smh])", text.strip())
        if found is None or float(found[1] or found[2]) == 0:
            raise ValueError(f"must be rows such as 1000, or a time such as 30s, got {shown(text)}")
        if found[1]:
            return cls(rows=int(found[1]))
        return cls(seconds=float(found[2]) * _UNITS[found[3]])


class Keeper:
    """Saves a model now and then, if there is something new, and where the next row begins.

    Args:
        path: the model's file.
        model: the model; None until the first row says what it predicts.
        every: how often to save.
        position: where to go on.
    """

    def __init__(
        self,
        path: Path,
        model: Model | None,
        every: SaveEvery,
        position: Callable[[], Position | None],
    ) -> None:
        self.model = model
        self._path = path
        self._every = every
        self._position = position
        self._n_new = 0
        self._saved = time.monotonic()

    def count(self) -> None:
        """A row is done."""
        self._n_new += 1
        self.look()

    def look(self) -> None:
        """Save if it is time."""
        rows, seconds = self._every.rows, self._every.seconds
        is_time = seconds is not None and time.monotonic() - self._saved >= seconds
        if is_time or (rows is not None and self._n_new >= rows):
            self.save()

    def save(self) -> None:
        """Save what is new."""
        if self.model is not None and self._n_new:
            self.model.position = self._position()
            self.model.save(self._path)
        self._n_new = 0
        self._saved = time.monotonic()
