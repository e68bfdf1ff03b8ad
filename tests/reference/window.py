"""The window: the last `window_size` examples; the oldest leaves first."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Label = TypeVar("Label", int, float)


@dataclass(frozen=True)
class Example(Generic[Label]):
    """One labelled example: its features (NaN where missing), of shape (n_features,), and label."""

    x: list[float]
    y: Label


class Window(Generic[Label]):
    """The last `window_size` examples in the order of their arrival."""

    def __init__(self, window_size: int) -> None:
        self._window_size = window_size
        self._examples: list[Example[Label]] = []

    def append(self, example: Example[Label]) -> None:
        """Let `example` enter; if the window is full, the oldest leaves before."""
        if len(self._examples) == self._window_size:
            self._examples.pop(0)
        self._examples.append(example)

    def add_feature(self) -> None:
        """Give every example one more feature, which is missing."""
        for example in self._examples:
            example.x.append(math.nan)

    def forget_feature(self, feature: int) -> None:
        """Make all values of a feature missing."""
        for example in self._examples:
            example.x[feature] = math.nan

    def renumber(self, number_of: Callable[[Label], Label | None]) -> None:
        """Give all examples other labels; those without one go."""
        numbered = [(example, number_of(example.y)) for example in self._examples]
        self._examples = [Example(old.x, y) for old, y in numbered if y is not None]

    @property
    def x(self) -> list[list[float]]:
        """The features of all examples, of shape (n_examples, n_features)."""
        return [example.x for example in self._examples]

    @property
    def y(self) -> list[Label]:
        """The labels of all examples, of shape (n_examples,)."""
        return [example.y for example in self._examples]
