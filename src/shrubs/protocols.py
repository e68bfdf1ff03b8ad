"""The shapes every part agrees on: streams give blocks of examples, learners learn from them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Block",
    "BlockLearner",
    "Example",
    "Feature",
    "Kind",
    "Learner",
    "Outcome",
    "Row",
    "Schema",
    "Stream",
]

Row: TypeAlias = Mapping[Any, Any] | Sequence[Any] | NDArray[Any]
"""The features of one example: by name, or by position."""

Kind: TypeAlias = Literal["number", "boolean", "date", "nominal"]
"""What the values of a column are."""


@dataclass(frozen=True)
class Feature:
    """One feature: its name, and its categories if it is nominal.

    Categories are coded as 0, 1, 2, ... in their order. Empty categories with ``nominal=True``
    mean that the values are codes already. An ``indicator`` is a number, 1 or 0: whether a nominal
    feature has a certain category. A part ``of_date`` is a number, too: hour, weekday or day.
    """

    name: str
    nominal: bool = False
    categories: tuple[str, ...] = ()
    indicator: bool = False
    of_date: bool = False


@dataclass(frozen=True, repr=False)
class Schema:
    """What the examples of a stream look like.

    ``classes`` are the labels by class index; ``None`` marks a regression. ``drifts`` are the
    positions (number of examples) at which the concept is known to change.
    """

    features: tuple[Feature, ...]
    classes: tuple[Hashable, ...] | None
    drifts: tuple[int, ...] = field(default=())

    def __repr__(self) -> str:
        parts = [f"n_features={self.n_features}"]
        if self.nominal_features:
            parts.append(f"n_nominal={len(self.nominal_features)}")
        parts.append("classes=None" if self.classes is None else f"n_classes={self.n_classes}")
        if self.drifts:
            parts.append(f"n_drifts={len(self.drifts)}")
        return f"Schema({', '.join(parts)})"

    @property
    def n_features(self) -> int:
        """The number of features, d."""
        return len(self.features)

    @property
    def n_classes(self) -> int:
        """The number of classes, C; 0 for a regression."""
        return len(self.classes or ())

    @property
    def nominal_features(self) -> tuple[int, ...]:
        """The positions of the nominal features."""
        return tuple(i for i, feature in enumerate(self.features) if feature.nominal)


@dataclass(frozen=True)
class Block:
    """Consecutive examples of a stream.

    ``X`` is ``(n, n_features)`` in single precision, NaN for missing. ``y`` is ``(n,)``: class
    indices (int64) or targets (float64).
    """

    X: NDArray[np.float32]
    y: NDArray[Any]

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Example:
    """One labelled example: features by name, and its label or target."""

    x: dict[str, Any]
    y: Hashable


@dataclass(frozen=True)
class Outcome:
    """What came of one block of a prequential evaluation.

    ``predicted`` is ``(n,)``: class indices, -1 for no prediction, or targets. ``p_true`` is
    ``(n,)``: the probability given to the true class, NaN where it is not known.
    """

    predicted: NDArray[Any]
    p_true: NDArray[np.float64]
    predict_seconds: float
    learn_seconds: float


@runtime_checkable
class Stream(Protocol):
    """Where examples come from. A stream can be read any number of times, always the same."""

    @property
    def name(self) -> str:
        """A short name for tables and file names."""

    @property
    def schema(self) -> Schema:
        """What the examples look like."""

    @property
    def n_examples(self) -> int | None:
        """How many examples there are; None if that is not known before reading."""

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""


@runtime_checkable
class Learner(Protocol):
    """What learns from a stream, one example at a time, and predicts at any time."""

    def learn_one(self, x: Row, y: Any) -> Any:
        """Learns one example."""

    def predict_one(self, x: Row) -> Any:
        """Predicts the label or target of one example."""

    @property
    def memory_bytes(self) -> int:
        """All bytes the learner keeps between two calls."""


@runtime_checkable
class BlockLearner(Protocol):
    """A learner that takes whole blocks, so that the loop runs where the learner runs."""

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes of the stream."""

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """Predict every row of ``block`` and learn a row of ``learned`` after each.

        Where ``learned`` is shorter, the first rows are only predicted.
        """

    @property
    def memory_bytes(self) -> int:
        """All bytes the learner keeps between two calls."""
