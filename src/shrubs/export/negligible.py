"""Which mixtures of the learner without tuning can change a bit of a probability.

A prediction is a sum over mixtures, one after the other, which rounds. A term below half a unit in
the last place of the sum so far leaves it as it is; and so does a sum so far below half a unit of
the next term.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["least_said", "mixtures_that_matter"]

# Single precision adds so little to a mixture, which is at most one, or takes so little of it.
_SLACK = 1e-3
_HALF_A_UNIT = 2.0**-54


def mixtures_that_matter(
    shares: Sequence[float], weights: NDArray[np.float32], least: Sequence[float]
) -> list[int]:
    """The places of these mixtures, in their order.

    Args:
        shares: of each mixture in the prediction.
        weights: of each expert in each mixture, ``(n_experts, n_mixtures)``.
        least: the least that each expert says of any class, whatever x is.
    """
    kept: list[int] = []
    at_least = at_most = 0.0  # what the kept ones sum to, in any class
    for k, share in enumerate(shares):
        most = share * (1 + _SLACK)
        fewest = share * float(np.dot(weights[:, k].astype(float), least)) * (1 - _SLACK)
        if most <= at_least * _HALF_A_UNIT:
            continue
        if at_most < fewest * _HALF_A_UNIT:
            kept, at_least, at_most = [], 0.0, 0.0
        kept.append(k)
        at_least += fewest
        at_most += most
    return kept


def least_said(expert: dict[str, Any], n_classes: int) -> float:
    """The least that a shrub or companion says of any class."""
    if "nodes" in expert:
        leaves = (dict(node[1]) for node in expert["nodes"] if node[0] == "leaf")
        return min(_least_share(leaf, n_classes) for leaf in leaves)
    return float(min(expert["prediction"])) if expert["kind"] == "constant" else 0.0


def _least_share(counts: dict[int, int], n_classes: int) -> float:
    least = min(counts.get(c, 0) for c in range(n_classes))
    return (least + 0.5 / n_classes) / (sum(counts.values()) + 0.5)
