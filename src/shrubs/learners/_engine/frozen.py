"""The one mistake that no check can see beforehand: a step so small that the ensemble freezes."""

from __future__ import annotations

import warnings

from shrubs.learners._engine.paper_parameters import PaperParameters
from shrubs.learners._engine.parameters import Parameters

__all__ = ["FrozenEnsembleWarning", "warn_that_it_froze"]


class FrozenEnsembleWarning(UserWarning):
    """The step size is too small for any new shrub to enter the ensemble."""


def warn_that_it_froze(parameters: Parameters, *, stacklevel: int) -> None:
    """Warn of an ensemble with these parameters that has just frozen."""
    assert isinstance(parameters, PaperParameters), "only the paper's algorithm can freeze"
    warnings.warn(
        f"step_size={parameters.step_size} is so small that for a whole window no new shrub could "
        "enter the full ensemble: it will not follow a drift. Use a larger step_size or a smaller "
        "max_shrubs",
        FrozenEnsembleWarning,
        stacklevel=stacklevel + 1,
    )
