"""What a saved model says about the rows that it was learned from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from shrubs.protocols import Kind

__all__ = ["Contract"]

_MAX_BYTES = 2**20
_BYTES_BESIDE_NAME = 64


@dataclass(frozen=True)
class Contract:
    """The target of a model, and what its columns hold.

    A file keeps it beside the learner, which does not look at it; `shrubs.live.Model` does.

    Args:
        target: the name of the target column.
        kinds: by name what a column holds, the target too.
        ignored: columns that are not learned from, such as ids.
        position: up to where a file was followed: how many bytes of its beginning there is a
            checksum of, the checksum, the offset and the line.
    """

    target: str
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    position: tuple[int, int, int, int] | None = None

    @property
    def is_full(self) -> bool:
        """Whether its names take the megabyte that they may take."""
        names = (*self.kinds, *self.ignored, self.target)
        return sum(len(name) + _BYTES_BESIDE_NAME for name in names) > _MAX_BYTES

    def encoded(self) -> dict[str, Any]:
        """As JSON takes it."""
        kinds = dict(sorted(self.kinds.items()))
        described = {"target": self.target, "kinds": kinds, "ignored": sorted(self.ignored)}
        return described if self.position is None else {**described, "position": [*self.position]}

    @classmethod
    def decoded(cls, described: Any) -> Contract:
        """The reverse; raises ValueError for anything else."""
        try:
            target, kinds, ignored = (described[key] for key in ("target", "kinds", "ignored"))
            if not all(isinstance(name, str) for name in (target, *kinds, *ignored)):
                raise ValueError("a name that is no text")
            if not isinstance(ignored, list) or not set(kinds.values()) <= set(get_args(Kind)):
                raise ValueError("an unknown kind")
            position = _position(described["position"]) if "position" in described else None
            contract = cls(target, dict(kinds), tuple(ignored), position)
        except (AttributeError, LookupError, TypeError, ValueError):
            raise ValueError("its contract is not readable") from None
        if contract.is_full:
            raise ValueError("its contract has too many names")
        return contract


def _position(found: Any) -> tuple[int, int, int, int]:
    n_bytes, checksum, offset, line = found
    for number in (n_bytes, checksum, offset, line):
        if type(number) is not int or not 0 <= number < 2**63:
            raise ValueError("no position")
    return n_bytes, checksum, offset, line
