"""What parameters have to do: check themselves, and make and enlarge the engine of a learner."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from shrubs import _core
from shrubs.learners._engine.class_weights import ClassWeight
from shrubs.learners._tables import Everybody

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Engine", "Parameters", "Shape"]

Engine: TypeAlias = _core.PaperLearner | _core.TreeLearner | _core.AutoLearner
"""The learner in the core."""


@dataclass(frozen=True)
class Shape:
    """What the stream decides about a learner: its features, its classes, the bytes of its tables.

    ``nominal`` has one byte per feature, 1 for nominal ones. A regression has 0 classes. The bytes
    of tables follow from what is in them alone; those of Python's objects do not. ``numbers`` are
    those that the engine's classes have from now on, -1 for one that goes; None: all as before.
    """

    nominal: bytes
    n_classes: int
    table_bytes: int = 0
    object_bytes: int = 0
    numbers: Sequence[int] | None = None

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.nominal)

    def __str__(self) -> str:
        classes = f" and {self.n_classes} classes" if self.n_classes else ""
        return f"{self.n_features} features{classes}"


class Parameters(Protocol):
    """Checked parameters: made once, when a learner begins, and trusted after that."""

    @property
    def nominal_features(self) -> Sequence[Hashable] | None:
        """Names or positions of features that hold codes of categories."""

    @property
    def class_weight(self) -> ClassWeight:
        """What the probability of each class is multiplied by."""

    def admission(self, owner: _core.Owner) -> Everybody:
        """Who decides what is let into the tables; tells them how much room there is."""

    def with_seed(self) -> Self:
        """The same, with a seed drawn if there is none."""

    def plan(self, shape: Shape) -> dict[str, int]:
        """Bytes of the arena and the object of the engine, by purpose."""

    def check_room(self, shape: Shape) -> None:
        """Raise ValueError if an engine of this shape would need more memory than it may take."""

    def new_engine(self, shape: Shape) -> Engine:
        """A new engine of this shape."""

    def grown(self, engine: Engine, shape: Shape) -> Engine:
        """The engine with this shape, which is at least its own, or has fewer classes."""

    def describes(self, engine: Engine) -> bool:
        """Whether an engine has these parameters."""
