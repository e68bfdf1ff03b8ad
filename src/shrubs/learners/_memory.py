"""The limit that a learner is given in bytes, and what it reports."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from shrubs.sizes import in_bytes

__all__ = ["GivenUp", "MemoryReport", "parse_memory_limit", "require_memory_limit", "size_of"]


@dataclass(frozen=True)
class GivenUp:
    """What a learner without tuning had no room for.

    ``features_left_out`` counts those of the last example that brought too many,
    ``features_passed_over`` those that came once and not again soon, ``features_without_texts`` the
    nominal features that have more categories than are kept by name.
    """

    features_left_out: int = 0
    features_passed_over: int = 0
    features_forgotten: int = 0
    classes_forgotten: int = 0
    features_without_texts: int = 0

    def __str__(self) -> str:
        given_up = {name: n for name, n in vars(self).items() if n}
        return ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in given_up.items())


@dataclass(frozen=True)
class MemoryReport:
    """All bytes a learner keeps between two calls, by purpose.

    ``tables`` holds what belongs to no other part: names of features, categories, labels, and the
    objects themselves. ``given_up`` is what there was no room for.
    """

    window: int
    shrubs: int
    weights: int
    caches: int
    scratch: int
    tables: int
    given_up: GivenUp = GivenUp()

    @property
    def total(self) -> int:
        """The sum of all parts."""
        return self.window + self.shrubs + self.weights + self.caches + self.scratch + self.tables

    def __str__(self) -> str:
        parts = ("window", "shrubs", "weights", "caches", "scratch", "tables", "total")
        lines = [f"{part:8}{getattr(self, part):>12,} bytes" for part in parts]
        return "\n".join([*lines, f"given up: {self.given_up}"] if str(self.given_up) else lines)


def parse_memory_limit(limit: int | str | None) -> int | None:
    """Turn a memory limit into bytes; one KB is 1024 bytes.

    >>> parse_memory_limit("64KB"), parse_memory_limit(2048), parse_memory_limit(None)
    (65536, 2048, None)
    """
    return None if limit is None else in_bytes("memory_limit", limit, "None, an integer or a text")


def require_memory_limit(limit: int | str) -> int:
    """The same for a learner that always has a limit.

    >>> require_memory_limit("1MB")
    1048576
    """
    return in_bytes("memory_limit", limit)


def size_of(*objects: Any) -> int:
    """Bytes of Python objects and of what lists, tuples, sets and dicts hold, each once.

    Small integers and None exist once per process and count as nothing.
    """
    seen: set[int] = set()
    total = 0
    waiting = list(objects)
    while waiting:
        item = waiting.pop()
        is_shared = item is None or (isinstance(item, int) and -5 <= item <= 256)
        if is_shared or id(item) in seen:
            continue
        seen.add(id(item))
        total += sys.getsizeof(item)
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple | set | frozenset):
            waiting += item
    return total
