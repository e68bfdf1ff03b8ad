"""The one mistake that no check can see beforehand: a step so small that the ensemble freezes."""

from __future__ import annotations

import warnings

from shrubs import _core

__all__ = ["FrozenEnsembleWarning", "warn_if_frozen"]


class FrozenEnsembleWarning(UserWarning):
    """The step size is too small for any new shrub to enter the ensemble."""


def warn_if_frozen(owner: _core.Owner, *, stacklevel: int) -> None:
    """Warn once of an ensemble that froze, before it learns the next example.

    Where warnings are errors, nothing has been learned in vain then, and the next call goes on.
    """
    if owner.has_warned or owner.engine is None or not owner.engine.frozen:
        return
    owner.has_warned = True
    warnings.warn(
        f"step_size={owner.parameters.step_size} is so small that for a whole window no new shrub "
        "could enter the full ensemble: it will not follow a drift. Use a larger step_size or a "
        "smaller max_shrubs",
        FrozenEnsembleWarning,
        stacklevel=stacklevel + 1,
    )
