"""How much a learner without tuning keeps of what the stream brings: its memory decides."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from shrubs import _core

__all__ = ["Room", "arena_in", "room_in", "smallest_room"]

_MAX_ARENA = 2**40  # no learner could use more
# The engine gets what the tables leave, rounded down to so many binary digits, so that a name more
# or less does not make another model.
_DIGITS = 5

_MAX_FEATURES = 16_384
_MAX_CLASSES = 65_535
_MAX_KEY_BYTES = 2**30
# Shares of the memory: for classes, for names of features, for texts of categories; and for each of
# the two where little memory is left beside the least that an engine takes.
_CLASS_SHARE = 2
_NAME_SHARE = 16
_CATEGORY_SHARE = 8
_LEAST_SHARE = 32
_LEAST_BYTES = 512
# The most bytes of a label in the tables, of a feature without its name, and of the rest.
_LABEL_BYTES = 200
_FEATURE_BYTES = 20
_OTHER_BYTES = 400
# The shortest window with which more than a few features are of use. A few features and classes
# may take all there is.
_USEFUL_WINDOW = 64
_FEW = 8


@dataclass(frozen=True)
class Room:
    """The most features and classes, and the most bytes of names and of categories."""

    n_features: int
    n_classes: int
    name_bytes: int
    category_bytes: int

    @property
    def table_bytes(self) -> int:
        """What the tables take at most."""
        keys = self.name_bytes + self.category_bytes + self.n_classes * _LABEL_BYTES
        return keys + self.n_features * _FEATURE_BYTES + _OTHER_BYTES


def arena_in(n_bytes: int) -> int:
    """What an engine gets of so many bytes."""
    rest = max(n_bytes, 0)
    grain = 1 << max(rest.bit_length() - _DIGITS, 0)
    return min(rest // grain * grain, _MAX_ARENA)


@functools.lru_cache(maxsize=64)
def room_in(task: _core.Task, n_bytes: int) -> Room | None:
    """The room in so many bytes for an engine and its tables; None if there is too little.

    There is a plan for whatever comes within it.
    """
    least = n_bytes // _LEAST_SHARE
    names = min(max(n_bytes // _NAME_SHARE - _LEAST_BYTES, least), _MAX_KEY_BYTES)
    categories = min(max(n_bytes // _CATEGORY_SHARE - 4 * _LEAST_BYTES, least), _MAX_KEY_BYTES)

    def window(n_features: int, n_classes: int) -> int:
        room = Room(n_features, n_classes, names, categories)
        arena = arena_in(n_bytes - room.table_bytes)
        layout = _core.auto_layout(task, arena, n_classes, b"\1" * n_features)
        return int(layout["window_size"])

    def has_room_for_classes(n: int) -> bool:
        n_needed = _core.smallest_auto_arena(task, n, b"") + n * _LABEL_BYTES
        return n_needed <= n_bytes // _CLASS_SHARE or (n <= _FEW and window(_FEW // 2, n) > 0)

    n_classes = 0
    if task == _core.Task.classification:
        n_classes = max(_largest(has_room_for_classes, _MAX_CLASSES), 2)
    possible = _largest(lambda n: window(n, n_classes) > 0, _MAX_FEATURES)
    useful = _largest(lambda n: window(n, min(n_classes, 2)) >= _USEFUL_WINDOW, possible)
    n_features = max(useful, min(possible, _FEW))
    return Room(n_features, n_classes, names, categories) if n_features else None


def smallest_room(task: _core.Task) -> int:
    """The fewest bytes for an engine and its tables in which there is room."""
    fails, fits = 0, 2**24
    while fits - fails > 1:
        n_bytes = (fails + fits) // 2
        fails, fits = (fails, n_bytes) if room_in(task, n_bytes) else (n_bytes, fits)
    return fits


def _largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` of which it holds; 0 if of none."""
    fits, fails = 0, most + 1
    while fails - fits > 1:
        middle = (fits + fails) // 2
        fits, fails = (middle, fails) if holds(middle) else (fits, middle)
    return fits
