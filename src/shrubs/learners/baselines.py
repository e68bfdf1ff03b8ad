"""The two baselines that every learner has to beat: no change, and the majority class."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from shrubs.learners._memory import size_of
from shrubs.learners._tables import plain_label
from shrubs.messages import shown
from shrubs.protocols import Block, Outcome, Row, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MajorityClass", "NoChange"]

_KEPT = (str, int, float)  # truth values are integers


class NoChange:
    """Predicts that the next label or target is the last one.

    >>> NoChange().learn_one({"a": 1.0}, "up").predict_one({"a": 2.0})
    'up'
    """

    _last: Any = None
    _schema: Schema | None = None

    def prepare(self, schema: Schema) -> None:
        """Take note of the stream."""
        self._schema = schema

    def learn_one(self, x: Row, y: Any) -> Self:
        """Remember the label."""
        self._last = plain_label(y)
        return self

    def predict_one(self, x: Row) -> Any:
        """The last label; None before the first."""
        return self._last

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Certainty for the last label."""
        return {} if self._last is None else {self._last: 1.0}

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        start = time.perf_counter()
        regression = self._schema is not None and self._schema.classes is None
        nothing = 0.0 if regression else -1
        before = [nothing if self._last is None else self._last] * (len(block) - len(learned) + 1)
        predicted = np.concatenate([before, learned.y])[: len(block)].astype(block.y.dtype)
        if len(learned):
            self._last = learned.y[-1].item()
        p_true = (predicted == block.y).astype(np.float64)
        return Outcome(predicted, p_true, time.perf_counter() - start, 0.0)

    def to_bytes(self) -> bytes:
        """The byte state: the last label, which must be a text, a number or a boolean."""
        return _to_bytes(self, {} if self._last is None else {self._last: 1})

    @classmethod
    def from_bytes(cls, state: bytes) -> Self:
        """The learner of a byte state; raises ValueError if it is none."""
        learner = cls()
        learner._last = next(iter(_from_bytes(cls, state)), None)
        return learner

    @property
    def memory_bytes(self) -> int:
        """The label and the object that holds it."""
        return sys.getsizeof(self) + sys.getsizeof(self.__dict__) + size_of(self._last)


class MajorityClass:
    """Predicts the class seen most often, the earlier one of equals.

    >>> majority = MajorityClass()
    >>> for label in ["a", "b", "b"]:
    ...     _ = majority.learn_one({}, label)
    >>> majority.predict_one({})
    'b'
    """

    def __init__(self) -> None:
        self._counts: Counter[Hashable] = Counter()

    def __getstate__(self) -> dict[str, Any]:
        return {"_counts": self._counts.copy()}  # a copy counts alone

    def prepare(self, schema: Schema) -> None:
        """Announce the classes of the stream."""
        if schema.classes is None:
            raise ValueError("MajorityClass cannot learn a regression")

    def learn_one(self, x: Row, y: Any) -> Self:
        """Count the label."""
        self._counts[plain_label(y)] += 1
        return self

    def predict_one(self, x: Row) -> Any:
        """The most frequent label; None before the first."""
        return max(self._counts, key=self._counts.__getitem__) if self._counts else None

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """The shares of the labels."""
        total = self._counts.total() if self._counts else 1
        return {label: count / total for label, count in self._counts.items()}

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        start = time.perf_counter()
        predicted = np.empty(len(block), dtype=np.int64)
        p_true = np.empty(len(block))
        offset = len(block) - len(learned)
        for i, label in enumerate(block.y.tolist()):
            winner = self.predict_one({})
            predicted[i] = -1 if winner is None else winner
            total = max(self._counts.total(), 1)
            p_true[i] = self._counts[label] / total if label in self._counts else 0.0
            if i >= offset:
                self._counts[learned.y[i - offset].item()] += 1
        return Outcome(predicted, p_true, time.perf_counter() - start, 0.0)

    def to_bytes(self) -> bytes:
        """The byte state: labels, which must be texts, numbers or booleans, and their counts."""
        return _to_bytes(self, self._counts)

    @classmethod
    def from_bytes(cls, state: bytes) -> Self:
        """The learner of a byte state; raises ValueError if it is none."""
        learner = cls()
        learner._counts.update(_from_bytes(cls, state))
        return learner

    @property
    def memory_bytes(self) -> int:
        """The counts and the object that holds them."""
        return sys.getsizeof(self) + sys.getsizeof(self.__dict__) + size_of(dict(self._counts))


def _to_bytes(learner: object, counts: Mapping[Hashable, int]) -> bytes:
    for label in counts:
        if not isinstance(label, _KEPT):
            raise ValueError(
                f"{shown(label)} cannot be saved: labels must be texts, numbers or booleans"
            )
    state = {"learner": type(learner).__name__, "counts": list(counts.items())}
    return json.dumps(state, separators=(",", ":")).encode()


def _from_bytes(cls: type, state: bytes) -> dict[Hashable, int]:
    try:
        data = json.loads(state)
        counts: dict[Hashable, int] = {
            label: count for label, count in data["counts"] if isinstance(label, _KEPT)
        }
        if data["learner"] == cls.__name__ and all(type(n) is int for n in counts.values()):
            return counts
    except (LookupError, TypeError, ValueError, RecursionError):
        pass
    raise ValueError(f"this is no saved {cls.__name__}")
