"""Says that the target changes as it has changed, by a share that is learned."""

from .quick_math import clamp

_FORGETTING = 0.998


class Trend:
    """The share is the slope of each change on the one before, by least squares.

    Targets are in deviations, the latest first.
    """

    def __init__(self) -> None:
        self._products = 0.0
        self._squares = 0.0

    def predict(self, last: list[float]) -> float:
        """Return the next target; 0, the mean, before the first."""
        share = clamp(self._products / self._squares, -1.0, 1.0) if self._squares > 0.0 else 0.0
        change = last[0] - last[1] if len(last) >= 2 else 0.0
        return (last[0] if last else 0.0) + share * change

    def learn(self, last: list[float], target: float) -> None:
        """Let one more change count."""
        if len(last) < 2:
            return
        before, change = last[0] - last[1], target - last[0]
        self._products = _FORGETTING * self._products + before * change
        self._squares = _FORGETTING * self._squares + before * before
