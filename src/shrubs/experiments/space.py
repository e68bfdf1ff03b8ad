"""Hyperparameter ranges, and how configurations are drawn from them."""

from __future__ import annotations

import hashlib
import itertools
import math
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shrubs.messages import shown

__all__ = ["Space"]


@dataclass(frozen=True)
class Space:
    """The configurations of a learner.

    Args:
        ranges: the values of every parameter that varies, each with at least one.
        options: the values of those that do not. A text may name ranges in braces: it is filled
            in with their values, and they are no parameters of their own then. That is how the
            option strings of MOA's learners are written.

    >>> space = Space({"g": [50, 100], "leaves": ["MC", "NB"]}, {"options": "-g {g} -l {leaves}"})
    >>> space.size
    4
    >>> space.draw(1, key="example")
    [{'options': '-g 50 -l NB'}]
    """

    ranges: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of configurations."""
        return math.prod(len(values) for values in self.ranges.values())

    def draw(self, n: int, *, key: str) -> list[dict[str, Any]]:
        """Draw ``n`` different configurations, each parameter uniformly; all if there are fewer.

        The same ``key`` gives the same configurations on every machine, whatever the order of the
        parameters. More of them begin with the fewer.
        """
        drawn = self._all() if n >= self.size else self._distinct(n, key)
        return [self._configuration(values) for values in drawn]

    def named_in_options(self) -> set[str]:
        """The names in braces in the options; nothing else may be in braces."""
        names = set()
        for text in self.options.values():
            if isinstance(text, str):
                for _, name, width, conversion in string.Formatter().parse(text):
                    if width or conversion:
                        raise ValueError(f"options: {shown(text)} must hold names in braces alone")
                    if name is not None:
                        names.add(name)
        return names

    def _all(self) -> Iterator[dict[str, Any]]:
        names = sorted(self.ranges)
        for values in itertools.product(*(self.ranges[name] for name in names)):
            yield dict(zip(names, values, strict=True))

    def _distinct(self, n: int, key: str) -> Iterator[dict[str, Any]]:
        seen: set[tuple[int, ...]] = set()
        attempts = itertools.count()
        while len(seen) < n:
            attempt = next(attempts)
            chosen = {
                name: _below(len(values), f"{key}/{name}/{attempt}")
                for name, values in self.ranges.items()
            }
            if tuple(chosen.values()) not in seen:
                seen.add(tuple(chosen.values()))
                yield {name: self.ranges[name][index] for name, index in chosen.items()}

    def _configuration(self, values: Mapping[str, Any]) -> dict[str, Any]:
        named = self.named_in_options()
        options = {
            name: value.format(**values) if isinstance(value, str) else value
            for name, value in self.options.items()
        }
        return {**options, **{name: v for name, v in values.items() if name not in named}}


def _below(n: int, key: str) -> int:
    """An integer from 0 to n - 1 that depends on the key alone."""
    digest = hashlib.sha256(key.encode()).digest()
    return int.from_bytes(digest[:8], "little") % n
