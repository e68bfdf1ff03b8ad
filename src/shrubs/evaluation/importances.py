"""Which features matter to a learner, looked up before and after a few drifts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shrubs.protocols import Schema

__all__ = ["importances_of", "moments"]

_MAX_DRIFTS = 3  # importances take as long as thousands of examples
_MAX_FEATURES = 10


def moments(known: Sequence[int], found: Sequence[int], after: int) -> list[int]:
    """The positions to look at: around the first drifts, or those found where none is known.

    Nobody looks just before a drift that is only found later, so the first look comes early.

    >>> moments((2000, 4000), (), 500)
    [2000, 2500, 4000, 4500]
    >>> moments((), (2100,), 500)
    [500, 2600]
    """
    if known:
        return sorted({at for drift in known[:_MAX_DRIFTS] for at in (drift, drift + after)})
    return [after, *(drift + after for drift in found[:_MAX_DRIFTS])]


def importances_of(learner: Any, schema: Schema) -> dict[str, float] | None:
    """The shares of the most important features; None for a learner that does not tell them."""
    shares = getattr(learner, "feature_importances_", None)
    if shares is None:
        return None
    named = zip((str(feature.name) for feature in schema.features), shares.tolist(), strict=False)
    ordered = sorted(named, key=lambda pair: -pair[1])
    return {name: round(share, 4) for name, share in ordered[:_MAX_FEATURES]}
