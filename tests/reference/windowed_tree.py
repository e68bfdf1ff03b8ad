"""One tree on the window, grown from scratch at every example or only after it was wrong."""

from typing import Any, Literal

from .shrub_ensemble import ReferenceClassifier
from .single_precision import to_features
from .window import Example


class ReferenceWindowedTree(ReferenceClassifier):
    """A single tree; the options are those of the ensemble that concern growing."""

    def __init__(self, *, regrow: Literal["always", "on_error"], **options: Any) -> None:
        super().__init__(max_shrubs=1, **options)
        self._regrow = regrow

    def learn(self, x: list[float], y: int) -> None:
        """Learn from one example."""
        features = to_features(x)
        was_right = bool(self.shrubs) and self._winner(features) == y
        self._admit_class(y)
        self._window.append(Example(features, y))
        if self._regrow == "always" or not was_right:
            self.shrubs, self.weights = [self._grow()], [1.0]
        self._n_learned += 1

    def _winner(self, features: list[float]) -> int:
        q = self.shrubs[0].predict(features)
        return max(range(len(q)), key=lambda c: (q[c], -c))
