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
    """

    target: str
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether its names take the megabyte that they may take."""
        names = (*self.kinds, *self.ignored, self.target)
        return sum(len(name) + _BYTES_BESIDE_NAME for name in names) > _MAX_BYTES

    def encoded(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {"target": self.target, "kinds": dict(self.kinds), "ignored": list(self.ignored)}

    @classmethod
    def decoded(cls, described: Any) -> Contract:
        """The reverse; raises ValueError for anything else."""
        try:
            target, kinds, ignored = (described[key] for key in ("target", "kinds", "ignored"))
            if not all(isinstance(name, str) for name in (target, *kinds, *ignored)):
                raise ValueError("a name that is no text")
            if not isinstance(ignored, list) or not set(kinds.values()) <= set(get_args(Kind)):
                raise ValueError("an unknown kind")
            contract = cls(target, dict(kinds), tuple(ignored))
        except (AttributeError, LookupError, TypeError, ValueError):
            raise ValueError("its contract is not readable") from None
        if contract.is_full:
            raise ValueError("its contract has too many names")
        return contract
