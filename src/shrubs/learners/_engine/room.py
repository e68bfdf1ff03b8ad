"""How much a learner without tuning keeps of what the stream brings: its memory decides."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

from shrubs import _core

__all__ = ["AT_ONCE", "MANY_CLASSES", "MAX_WAITING", "Room", "arena_in", "room_in", "smallest_room"]

AT_ONCE = 16
"""So many features come in at once, and all of the first example; others when they come again."""

MAX_WAITING = 32
"""So many that are new in one example can wait for the next one."""

MANY_CLASSES = 32
"""From so many on, those that came only once are on trial."""

_MAX_ARENA = 2**40  # no learner could use more
# The engine gets what the tables leave, rounded down to so many binary digits, so that a name more
# or less does not make another model.
_DIGITS = 5

_MAX_FEATURES = 16_384
_MAX_CLASSES = 65_535
_MAX_KEY_BYTES = 2**30
# Shares of the memory: for classes, for names of features, for texts of categories; where little
# memory is left beside the least that an engine takes, less for texts, and for a few names as many
# bytes as they need, within a share.
_CLASS_SHARE = 2
_NAME_SHARE = 12
_CATEGORY_SHARE = 8
_LEAST_SHARE = 32
_FEW_NAMES = 512
_FEW_NAMES_SHARE = 6
_LEAST_BYTES = 512
# The most bytes of a text, and of one where memory is little: such as a longer one is shortened to.
_KEY_BYTES = 128
_SHORT_KEY_BYTES = 32
_LITTLE = 4096
# The most bytes of a label in the tables beside its text, of a feature without its name, of all
# names that wait, and of the rest.
_LABEL_BYTES = 24
_FEATURE_BYTES = 12
_WAITING_BYTES = 60
_BYTES_PER_WAITING = 5
_OTHER_BYTES = 248
# The shortest window with which more than a few features are of use that come one by one, and with
# which all are that come at once. A few features and classes may take all there is.
_USEFUL_WINDOW = 64
_SHORTEST_WINDOW = 16
_FEW = 8
_FEW_KEYS = 16  # as in cpp/bindings/vocabulary.hpp
# Where more features come at once than are of use, or more than this and half of them: half as many
# as are of use have columns, or so many if they fit, at most so many; and others are looked at in a
# share of the memory.
_MANY = 512
_GOOD_COLUMNS = 40
_SIEVE_COLUMNS = 64
_SIEVE_SHARE = 4
_SIEVE_SLOTS = 1024
_FEWEST_SLOTS = 16


@dataclass(frozen=True)
class Room:
    """The most features and classes, and the most bytes of names, of categories, of one text.

    All features of the first example have a column if there are at most ``n_at_once``. Of more,
    ``n_columns`` have one and ``n_slots`` others are looked at; 0: ``n_at_once`` have one, none is.
    """

    n_features: int
    n_classes: int
    name_bytes: int
    category_bytes: int
    key_bytes: int = _KEY_BYTES
    n_at_once: int = 0
    n_columns: int = 0
    n_slots: int = 0

    @property
    def is_for_few(self) -> bool:
        """Whether there are so few names and labels that each takes less."""
        return self.category_bytes == 0 and self.n_features + self.n_classes <= _FEW_KEYS

    @property
    def n_waiting(self) -> int:
        """So many names that came once, and labels that gave way, are remembered."""
        return MAX_WAITING + self.n_classes if self.n_features >= AT_ONCE else 0

    @property
    def table_bytes(self) -> int:
        """What the tables take at most."""
        labels = self.n_classes * _label_bytes(self.key_bytes)
        waiting = _WAITING_BYTES + _BYTES_PER_WAITING * self.n_waiting if self.n_waiting else 0
        rest = max(self.n_features, self.n_at_once) * _FEATURE_BYTES + waiting + _OTHER_BYTES
        return self.name_bytes + self.category_bytes + labels + rest

    @property
    def n_chosen(self) -> int:
        """So many features of the first example have a column if there are too many."""
        return self.n_columns or self.n_at_once

    @property
    def sieve_bytes(self) -> int:
        """What the tables take more where more features come than there is room for."""
        return _core.sieve_bytes(self.n_slots, self.n_columns) if self.n_slots else 0


def _label_bytes(key_bytes: int) -> int:
    return _LABEL_BYTES + 5 * key_bytes // 4


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
    keys = _KEY_BYTES if n_bytes > _LITTLE else _SHORT_KEY_BYTES
    least = n_bytes // _LEAST_SHARE
    few = min(_FEW_NAMES, n_bytes // _FEW_NAMES_SHARE)
    names = min(max(n_bytes // _NAME_SHARE, few), _MAX_KEY_BYTES)
    categories = min(max(n_bytes // _CATEGORY_SHARE - 4 * _LEAST_BYTES, least), _MAX_KEY_BYTES)
    categories = categories if n_bytes > _LITTLE else 0

    def window(n_features: int, n_classes: int, sieve_bytes: int = 0) -> int:
        room = Room(n_features, n_classes, names, categories, keys)
        arena = arena_in(n_bytes - room.table_bytes - sieve_bytes)
        layout = _core.auto_layout(task, arena, n_classes, b"\1" * n_features)
        return int(layout["window_size"])

    def has_room_for_classes(n: int) -> bool:
        share = n_bytes // _CLASS_SHARE - n * _label_bytes(keys) if n_bytes > _LITTLE else 0
        has_share = share > 0 and _core.smallest_auto_arena(task, n, b"") <= share
        return has_share or (n <= _FEW and window(_FEW, n) > 0)

    n_classes = 0
    if task == _core.Task.classification:
        n_classes = max(_largest(has_room_for_classes, _MAX_CLASSES), 2)
    possible = _largest(lambda n: window(n, n_classes) > 0, _MAX_FEATURES)

    def most_features(shortest: int, most: int, sieve_bytes: int = 0) -> int:
        return _largest(
            lambda n: (
                window(n, n_classes, sieve_bytes) > 0
                and window(n, min(n_classes, 2), sieve_bytes) >= shortest
            ),
            most,
        )

    n_features = max(most_features(_USEFUL_WINDOW, possible), min(possible, _FEW))
    if n_features == 0:
        return None
    room = Room(n_features, n_classes, names, categories, keys)
    slot_bytes = _core.sieve_bytes(1, 0) - _core.sieve_bytes(0, 0)
    share = n_bytes // _SIEVE_SHARE - _core.sieve_bytes(0, _SIEVE_COLUMNS)
    n_slots = min(share // slot_bytes, _SIEVE_SLOTS)
    sieve_bytes = _core.sieve_bytes(max(n_slots, 0), _SIEVE_COLUMNS)
    many = min(max(n_features // 2, _GOOD_COLUMNS), _SIEVE_COLUMNS)
    n_columns = most_features(_SHORTEST_WINDOW, many, sieve_bytes)
    if n_slots < _FEWEST_SLOTS or n_columns < _FEW:
        return replace(room, n_at_once=max(most_features(_SHORTEST_WINDOW, possible), n_features))
    n_useful = min(n_features, max(n_features // 2, _MANY))
    return replace(room, n_at_once=max(n_useful, n_columns), n_columns=n_columns, n_slots=n_slots)


@functools.cache
def smallest_room(task: _core.Task) -> int:
    """The fewest bytes for an engine and its tables in which there is room."""
    fails, fits = 0, 2**13
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
