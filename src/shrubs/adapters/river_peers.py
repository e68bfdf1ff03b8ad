"""River's learners as peers, under the interface of ours (extra ``shrubs[river]``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["RiverPeer", "adaptive_random_forest", "hoeffding_tree"]


class RiverPeer:
    """A River classifier or regressor; its bytes are by River's own measure."""

    def __init__(self, model: Any) -> None:
        self.model = model
        # Its own methods, so that our interface costs nothing per example.
        self.learn_one: Callable[[Any, Any], Any] = model.learn_one
        self.predict_one: Callable[[Any], Any] = model.predict_one
        if hasattr(model, "predict_proba_one"):
            self.predict_proba_one = model.predict_proba_one

    @property
    def memory_bytes(self) -> int:
        """All bytes reachable from the model."""
        return int(self.model._raw_memory_usage)


def hoeffding_tree(*, regression: bool, seed: int, **options: Any) -> RiverPeer:
    """River's Hoeffding tree with its own defaults; it draws no random numbers."""
    from river import tree

    model = tree.HoeffdingTreeRegressor if regression else tree.HoeffdingTreeClassifier
    return RiverPeer(model(**options))


def adaptive_random_forest(*, regression: bool, seed: int, **options: Any) -> RiverPeer:
    """River's adaptive random forest, ten trees unless told otherwise."""
    from river import forest

    model = forest.ARFRegressor if regression else forest.ARFClassifier
    return RiverPeer(model(seed=seed, **options))
