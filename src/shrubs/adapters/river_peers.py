"""River's learners as peers, under the interface of ours (extra ``shrubs[river]``)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["RiverPeer", "adaptive_random_forest", "hoeffding_tree"]


class RiverPeer:
    """A River classifier or regressor; its bytes are by River's own measure."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def learn_one(self, x: dict[str, Any], y: Any) -> Self:
        """Learn one example."""
        self.model.learn_one(x, y)
        return self

    def predict_one(self, x: dict[str, Any]) -> Any:
        """The label or target of one example; None before the first."""
        return self.model.predict_one(x)

    def predict_proba_one(self, x: dict[str, Any]) -> dict[Hashable, float]:
        """Probabilities by label for one example."""
        return dict(self.model.predict_proba_one(x))

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
