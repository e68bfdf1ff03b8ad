"""The last examples in bytes: those nearest to an example vote for its class.

Of many features, the examples are compared by those that tell most.
"""

from collections.abc import Sequence

from tests.reference.class_numbers import ClassNumbers
from tests.reference.single_precision import to_single

from .buckets import bucket_of, says_nothing
from .feature_scale import FeatureScale
from .sampled_split import are_many

_MOST_COMPARED = 16  # of many features
_UNIT = 42  # a deviation
_FAR = _UNIT * _UNIT
_LARGEST = 254
_MISSING = 255
_N_CATEGORIES = 128
_VOTES = (1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 1.0 / 5.0)
_PRIOR = 0.25


def n_compared(n_features: int) -> int:
    """Return how many features examples are compared by."""
    return _MOST_COMPARED if are_many(n_features) else n_features


class Neighbours:
    """The last `n_kept` examples, the newest last.

    Each has a byte for each of `_features`; those that tell nothing do not count.
    """

    def __init__(self, n_features: int, n_classes: int, n_kept: int) -> None:
        k = n_compared(n_features)
        self._features = [i * n_features // k for i in range(k)]
        self._tells = [True] * k
        self._n_classes = n_classes
        self._n_kept = n_kept
        self._examples: list[tuple[list[int], int | None]] = []

    def predict(self, x: list[float], scale: FeatureScale, lag: int) -> list[float]:
        """Return the shares of the classes; the last `lag` examples are not known yet."""
        code = self._code(x, scale)
        known = self._examples[: max(len(self._examples) - lag, 0)]
        labelled = [(row, label) for row, label in reversed(known) if label is not None]
        nearest = sorted(labelled, key=lambda example: self._distance(code, example[0], scale))
        votes = [_PRIOR / float(self._n_classes)] * self._n_classes
        total = _PRIOR
        for (_, label), vote in zip(nearest, _VOTES, strict=False):
            votes[label] += vote
            total += vote
        return [to_single(vote / total) for vote in votes]

    def learn(self, x: list[float], scale: FeatureScale, label: int) -> None:
        """Keep one example, by the scale of now."""
        self._examples = [*self._examples, (self._code(x, scale), label)][-self._n_kept :]

    def compare_by(
        self, features: Sequence[int], window: list[list[float]], scale: FeatureScale
    ) -> None:
        """Compare by these alone, or by all there are if they are none.

        One that was not there before has the values of the window, as far as it goes back.
        """
        for feature in features:
            if feature not in self._features:
                column = next(k for k, other in enumerate(self._features) if other not in features)
                self._features[column] = feature
                for row, _ in self._examples:
                    row[column] = _MISSING
                for (row, _), x in zip(self._examples[::-1], window[::-1], strict=False):
                    row[column] = _byte(feature, x[feature], scale)
        self._tells = [not features or feature in features for feature in self._features]

    def forget_feature(self, i: int) -> None:
        """As if `i` had never been present."""
        if i in self._features:
            for row, _ in self._examples:
                row[self._features.index(i)] = _MISSING

    def renumber_classes(self, now: ClassNumbers) -> None:
        """Examples of a class that goes stay, but do not vote."""
        self._examples = [(row, None if c is None else now[c]) for row, c in self._examples]

    def _code(self, x: list[float], scale: FeatureScale) -> list[int]:
        return [_byte(i, x[i], scale) for i in self._features]

    def _distance(self, a: list[int], b: list[int], scale: FeatureScale) -> int:
        total = 0
        for i, tells, p, q in zip(self._features, self._tells, a, b, strict=True):
            if tells and (scale.nominal[i] or _MISSING in (p, q)):
                total += _FAR if p != q else 0
            elif tells:
                total += (p - q) ** 2
        return total


def _byte(i: int, value: float, scale: FeatureScale) -> int:
    if says_nothing(value, nominal=scale.nominal[i]):
        return _MISSING
    if scale.nominal[i]:
        return bucket_of(i, value, _N_CATEGORIES)
    units = (value - scale.means[i]) * scale.inverse_deviation(i) * float(_UNIT) + 127.5
    return int(min(max(units, 0.0), float(_LARGEST)))
