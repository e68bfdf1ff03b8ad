"""What a service must not forget: labels that were learned, rows that wait for theirs, and ids.

Everything is in the log before anybody is told of it. The numbers of the labels are those of the
examples of the model, so a model and a log always know what of the log has been learned.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from shrubs.messages import shown
from shrubs.serve.log import Log, Record

__all__ = ["Bounds", "ConflictError", "Label", "Ledger", "UnknownIdError", "Waiting"]

_VERSION = 1


class UnknownIdError(LookupError):
    """Nothing waits under this id."""


class ConflictError(ValueError):
    """An id stands for something else already."""


@dataclass(frozen=True)
class Bounds:
    """How many rows wait for their labels, how many seconds, and in how many bytes at most.

    Of as many labels the ids are kept, so that none is learned twice.
    """

    max_waiting: int = 100_000
    max_age: float = 86_400.0
    max_bytes: int = 64 * 2**20


class Waiting(NamedTuple):
    """A row that was predicted; ``since`` is by a clock that never jumps."""

    x: dict[str, Any]
    predicted: Any
    since: float
    n_bytes: int


class Label(NamedTuple):
    """A label that was learned as example ``n`` of the model, with the row it belongs to."""

    n: int
    x: dict[str, Any]
    y: Any
    id: str | None

    def record(self) -> Record:
        """As the log has it."""
        known = {} if self.id is None else {"id": self.id}
        return {"n": self.n, "x": self.x, "y": self.y, **known}


class Ledger:
    """The log of a model, and what it says about ids; for several threads.

    Args:
        model: its file; the log is the file ``.log`` beside it.
        digest: of that file. A log that belongs to another one raises ValueError.
        bounds: of the rows that wait.
        clock: tells seconds and never jumps.
    """

    def __init__(
        self,
        model: Path,
        digest: str,
        bounds: Bounds,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.bounds = bounds
        self.n_expired = 0
        self._clock = clock
        self._waiting: OrderedDict[str, Waiting] = OrderedDict()
        self._learned: OrderedDict[str, Any] = OrderedDict()
        self._n_bytes = 0
        self.log = Log(Path(f"{os.path.realpath(model)}.log"))
        self.labels = self._replay(model, digest)

    def _replay(self, model: Path, digest: str) -> list[Label]:
        """Take in what the log says; returns its labels."""
        records, self.log.records = self.log.records, []
        if not records:
            self.begin(digest)
        elif records[0].get("log") != _VERSION:
            raise ValueError(f"{self.log.path} is not a log of this version of shrubs")
        elif digest not in {record.get("model") for record in records}:
            raise ValueError(
                f"{self.log.path} belongs to another model than {model}; move it away to go on "
                "without what it holds"
            )
        labels = []
        for record in records:
            if "waits" in record:
                self._add(record["waits"], record["x"], record["predicted"])
            elif "n" in record:
                labels.append(Label(record["n"], record["x"], record["y"], record.get("id")))
                self.mark(labels[-1:])
            elif "learned" in record:
                self._mark(record["learned"], record["y"])
        return labels

    def begin(self, digest: str) -> None:
        """Begin the log again, of a model with this digest that has learned everything in it."""
        self.log.replace(lambda: self._kept(digest))

    def _kept(self, digest: str) -> Iterable[Record]:
        learned, waiting = list(self._learned.items()), list(self._waiting.items())
        return chain(
            [{"log": _VERSION, "model": digest}],
            ({"learned": row_id, "y": y} for row_id, y in learned),
            (_waits(row_id, row.x, row.predicted) for row_id, row in waiting),
        )

    def announce(self, digest: str) -> None:
        """Say that a model with this digest is about to be written, with all labels so far."""
        self.log.append([{"model": digest}])
        self.log.sync()

    @property
    def n_waiting(self) -> int:
        """How many rows wait."""
        return len(self._waiting)

    def remember(self, rows: Sequence[tuple[str, dict[str, Any], Any]]) -> list[Any]:
        """Let rows (id, x, prediction) wait, all or none; returns the predictions that count.

        A row that waits already counts with its first prediction. Raises ConflictError where
        another row waits under its id, or where its label was learned.
        """
        with self.log.lock:
            new: dict[str, tuple[dict[str, Any], Any]] = {}
            answers = [self._remembered(row_id, x, predicted, new) for row_id, x, predicted in rows]
            self.log.append(_waits(row_id, x, predicted) for row_id, (x, predicted) in new.items())
            for row_id, (x, predicted) in new.items():
                self._add(row_id, x, predicted)
        return answers

    def _remembered(
        self, row_id: str, x: dict[str, Any], predicted: Any, new: dict[str, tuple[Any, Any]]
    ) -> Any:
        if row_id in self._learned:
            raise ConflictError(f"the label of id {shown(row_id)} has been learned already")
        there = self._waiting.get(row_id)
        before = new.get(row_id) if there is None else (there.x, there.predicted)
        if before is None:
            new[row_id] = x, predicted
            return predicted
        if before[0] != x:
            raise ConflictError(f"another row waits under id {shown(row_id)}")
        return before[1]

    def waiting(self, row_id: str, *, required: bool = True) -> Waiting | None:
        """The row that waits under an id; None, or where it is ``required`` an UnknownIdError."""
        with self.log.lock:
            self._expire()
            row = self._waiting.get(row_id)
        if row is None and required:
            raise UnknownIdError(
                f"nothing waits under id {shown(row_id)}: it was never predicted with it, or it "
                f"waited longer than {self.bounds.max_age:g} seconds, or too many came after it"
            )
        return row

    def has_learned(self, row_id: str, y: Any) -> bool:
        """Whether this label was learned under this id; raises ConflictError for another."""
        if row_id not in self._learned:
            return False
        if self._learned[row_id] != y:
            raise ConflictError(f"another label has been learned under id {shown(row_id)}")
        return True

    def mark(self, labels: Iterable[Label]) -> None:
        """These labels are learned: their rows wait no longer."""
        with self.log.lock:
            for label in labels:
                if label.id is not None:
                    self._mark(label.id, label.y)

    def _mark(self, row_id: str, y: Any) -> None:
        self._drop(row_id)
        self._learned[row_id] = y
        if len(self._learned) > self.bounds.max_waiting:
            self._learned.popitem(last=False)

    def _add(self, row_id: str, x: dict[str, Any], predicted: Any) -> None:
        self._drop(row_id)
        row = Waiting(x, predicted, self._clock(), _size(row_id, x))
        self._waiting[row_id] = row
        self._n_bytes += row.n_bytes
        self._expire()

    def _drop(self, row_id: str) -> None:
        row = self._waiting.pop(row_id, None)
        if row is not None:
            self._n_bytes -= row.n_bytes

    def _expire(self) -> None:
        """Forget the rows that waited longest, as far as the bounds ask for it."""
        oldest = self._clock() - self.bounds.max_age
        while self._waiting:
            row_id, row = next(iter(self._waiting.items()))
            crowded = len(self._waiting) > self.bounds.max_waiting
            if not crowded and self._n_bytes <= self.bounds.max_bytes and row.since >= oldest:
                return
            self._drop(row_id)
            self.n_expired += 1

    def close(self) -> None:
        """Nothing more is written."""
        self.log.close()


def _waits(row_id: str, x: dict[str, Any], predicted: Any) -> Record:
    return {"waits": row_id, "x": x, "predicted": predicted}


def _size(row_id: str, x: dict[str, Any]) -> int:
    """About how many bytes a row takes."""
    texts = sum(len(value) for value in x.values() if isinstance(value, str))
    return 400 + len(row_id) + texts + sum(80 + len(name) for name in x)
