"""Naive Bayes that forgets: normal numbers, counted zeros and ones, counted categories."""

import math

from tests.reference.class_numbers import ClassNumbers, renumber_row
from tests.reference.exponential import softmax
from tests.reference.single_precision import to_single

from .buckets import bucket_of, says_nothing
from .feature_scale import FeatureScale
from .mixtures import running_sum
from .quick_math import quick_logarithm

FORGETTING = (0.9998, 0.998)
# Half an example of each category, as if there were sixteen.
_CATEGORY_PRIOR = 0.5
_ALL_CATEGORIES_PRIOR = 8.0
# A normal density says nothing before so many examples, and never less than this.
_FEWEST_EXAMPLES = 3.0
_LEAST_LOG_DENSITY = -10.0
_LEAST_VARIANCE = 1e-30
_RELATIVE_VARIANCE = 1e-6
_LARGEST_VARIANCE = to_single(1e38)
_SCALE_BACK_AT = 1.25


class NaiveBayes:
    """Per class c: n[c] examples; per feature the mean and variance; counts of categories.

    Instead of shrinking all counts with every example, the weight of the next one grows. All but
    `n` is kept in single precision.
    """

    def __init__(self, n_features: int, n_classes: int, n_buckets: int, forgetting: float) -> None:
        self._n_classes = n_classes
        self._n_buckets = n_buckets
        self._forgetting = forgetting
        self._next_weight = 1.0
        self._n = [0.0] * n_classes
        self._means = [[math.nan] * n_classes for _ in range(n_features)]
        self._variances = [[0.0] * n_classes for _ in range(n_features)]
        self._buckets = [[0.0] * n_classes for _ in range(n_buckets)]

    def predict(self, x: list[float], scale: FeatureScale) -> list[float]:
        """Return the probabilities of the classes."""
        total = running_sum(self._n)
        log_odds = []
        for c in range(self._n_classes):
            log_odd = quick_logarithm((self._n[c] + 1.0) / (total + float(self._n_classes)))
            for i, value in enumerate(x):
                if not says_nothing(value, nominal=scale.nominal[i]):
                    log_odd += self._log_likelihood(c, i, value, scale)
            log_odds.append(log_odd)
        return [to_single(share) for share in softmax(log_odds)]

    def _log_likelihood(self, c: int, i: int, value: float, scale: FeatureScale) -> float:
        if scale.is_category(i):
            count = self._buckets[bucket_of(i, value, self._n_buckets)][c]
            share = (count + _CATEGORY_PRIOR) / (self._n[c] + _ALL_CATEGORIES_PRIOR)
            return quick_logarithm(share)
        if scale.binary[i]:
            mean = self._means[i][c]
            ones = 0.0 if math.isnan(mean) else mean * self._n[c]
            share = (ones + _CATEGORY_PRIOR) / (self._n[c] + 2.0 * _CATEGORY_PRIOR)
            return quick_logarithm(share if value != 0.0 else 1.0 - share)
        return self._log_density(c, i, value, scale.variances[i])

    def _log_density(self, c: int, i: int, value: float, variance: float) -> float:
        """Return the logarithm of the normal density, up to what all classes have in common."""
        mean = self._means[i][c]
        if not self._n[c] > _FEWEST_EXAMPLES or math.isnan(mean):
            return 0.0
        own = max(self._variances[i][c], _RELATIVE_VARIANCE * variance + _LEAST_VARIANCE)
        difference = value - mean
        width = -0.5 * quick_logarithm(own / (variance + _LEAST_VARIANCE))
        return max(width - 0.5 * difference * difference / own, _LEAST_LOG_DENSITY)

    def learn(self, x: list[float], scale: FeatureScale, label: int) -> None:
        """Count one example of class `label`."""
        self._next_weight /= self._forgetting
        self._n[label] += self._next_weight
        share = self._next_weight / self._n[label]
        for i, value in enumerate(x):
            if says_nothing(value, nominal=scale.nominal[i]):
                continue
            if scale.nominal[i]:
                bucket = self._buckets[bucket_of(i, value, self._n_buckets)]
                bucket[label] = to_single(bucket[label] + self._next_weight)
            if not scale.is_category(i):
                self._average(i, label, value, share)
        if self._next_weight > _SCALE_BACK_AT:
            self._scale_back()

    def _average(self, i: int, label: int, value: float, share: float) -> None:
        mean, variance = self._means[i][label], self._variances[i][label]
        if math.isnan(mean):
            self._means[i][label] = value
            return
        difference = value - mean
        spread = (1.0 - share) * (variance + share * difference * difference)
        self._means[i][label] = to_single(mean + share * difference)
        self._variances[i][label] = to_single(min(spread, _LARGEST_VARIANCE))

    def forget_feature(self, i: int) -> None:
        """As if `i` had never been present; its categories share buckets with others and stay."""
        self._means[i] = [math.nan] * self._n_classes
        self._variances[i] = [0.0] * self._n_classes

    def renumber_classes(self, now: ClassNumbers) -> None:
        """As if there had been no example of a class that goes."""
        for row in [self._n, *self._variances, *self._buckets]:
            renumber_row(row, now, 0.0)
        for means in self._means:
            renumber_row(means, now, math.nan)

    def _scale_back(self) -> None:
        self._n = [n / self._next_weight for n in self._n]
        self._buckets = [
            [to_single(count / self._next_weight) for count in bucket] for bucket in self._buckets
        ]
        self._next_weight = 1.0
