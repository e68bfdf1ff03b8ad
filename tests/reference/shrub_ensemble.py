"""Algorithm 1 of the paper, step by step, for classes and for targets."""

import sys
from collections.abc import Sequence
from typing import Literal, TypeVar

from .grow import Grower
from .impurity import Gini, Variance
from .leaf_values import ONE, pad_distribution
from .loss import cross_entropy_gradient, mse_gradient, regression_gradient
from .prox import project_sparse_simplex
from .random_numbers import Random
from .shrub import Shrub
from .single_precision import to_features
from .split import SplitOptions, Splitter
from .target_scale import TargetScale, clamp, measure_target_scale
from .window import Example, Window

Value = TypeVar("Value")


class ReferenceClassifier:
    """A shrub ensemble that predicts classes.

    n_features, nominal: how many features there are, and for each whether it is nominal.
    n_classes: classes known beforehand, 0 allowed. max_features: None for all. max_depth: None for
    no limit. loss: "mse" or "cross_entropy". grow_every: lines 6 to 8 are done at every so many
    examples, the first one included. `shrubs` and `weights` start with the oldest.

    >>> learner = ReferenceClassifier(n_features=1, nominal=[False], n_classes=2)
    >>> learner.predict([1.0])
    [0.5, 0.5]
    >>> learner.learn([1.0], 1)
    >>> learner.predict([1.0])
    [0.0, 1.0]
    """

    def __init__(
        self,
        *,
        n_features: int,
        nominal: Sequence[bool],
        n_classes: int = 0,
        max_shrubs: int = 32,
        window_size: int = 256,
        step_size: float = 0.1,
        loss: Literal["mse", "cross_entropy"] = "mse",
        max_depth: int | None = None,
        max_features: int | None = None,
        splitter: Splitter = "best",
        min_samples_leaf: int = 1,
        steps_per_example: int = 1,
        grow_every: int = 1,
        seed: int = 0,
    ) -> None:
        _check_nominal(n_features, nominal)
        self._nominal = list(nominal)
        self._n_classes = n_classes
        self._max_shrubs = max_shrubs
        self._step_size = step_size
        self._loss = loss
        self._max_depth = max_depth
        self._max_features = max_features
        self._splitter: Splitter = splitter
        self._min_samples_leaf = min_samples_leaf
        self._steps_per_example = steps_per_example
        self._grow_every = grow_every
        self._seed = seed
        self._n_learned = 0
        self._window: Window[int] = Window(window_size)
        self.shrubs: list[Shrub[tuple[int, ...]]] = []
        self.weights: list[float] = []

    def add_class(self) -> None:
        """Announce one more class."""
        self._n_classes += 1

    def add_feature(self, nominal: bool) -> None:
        """Announce one more feature, which is missing in the examples so far."""
        self._nominal.append(nominal)
        self._window.add_feature()

    def learn(self, x: list[float], y: int) -> None:
        """Learn from one example; `y` may be one more than the classes so far.

        x: features, NaN where missing, of shape (n_features,). y: class, in [0, n_classes].
        """
        self._admit_class(y)
        self._window.append(Example(to_features(x), y))  # lines 3 to 5
        if self._n_learned % self._grow_every == 0 or not self.shrubs:
            self.shrubs.append(self._grow())  # lines 6 and 7
            self.weights.append(0.0)  # line 8
        for _ in range(self._steps_per_example):
            self.weights = self._gradient_step()  # line 9
            self.weights = project_sparse_simplex(self.weights, self._max_shrubs)  # lines 10, 11
        self.shrubs, self.weights = prune(self.shrubs, self.weights)  # line 12
        self._n_learned += 1

    def predict(self, x: list[float]) -> list[float]:
        """Return the probability of each class; uniform without shrubs.

        x: features, of shape (n_features,). Returns shape (n_classes,), empty without classes.
        """
        if not self.shrubs:
            return [1.0 / float(self._n_classes) for _ in range(self._n_classes)]
        features = to_features(x)
        probabilities = [0.0] * self._n_classes
        for weight, shrub in zip(self.weights, self.shrubs, strict=True):
            distribution = pad_distribution(shrub.predict(features), self._n_classes)
            for c in range(self._n_classes):
                probabilities[c] += weight * (float(distribution[c]) * (1.0 / float(ONE)))
        return [min(p, 1.0) for p in probabilities]  # the weights may sum to a little more

    def _admit_class(self, y: int) -> None:
        if not 0 <= y <= self._n_classes:
            raise ValueError(f"y must be in [0, {self._n_classes}], got {y}")
        if y == self._n_classes:
            self.add_class()

    def _grow(self) -> Shrub[tuple[int, ...]]:
        impurity = Gini(self._window.y, self._n_classes)
        random = Random(self._seed, self._n_learned)
        return Grower(impurity, self._split_options(), self._max_depth).grow(self._window.x, random)

    def _split_options(self) -> SplitOptions:
        return SplitOptions(
            nominal=self._nominal,
            max_features=_count_tried(self._max_features, len(self._nominal)),
            splitter=self._splitter,
            min_samples_leaf=self._min_samples_leaf,
        )

    def _gradient_step(self) -> list[float]:
        outputs = [
            [pad_distribution(shrub.predict(x), self._n_classes) for x in self._window.x]
            for shrub in self.shrubs
        ]
        gradient_of = mse_gradient if self._loss == "mse" else cross_entropy_gradient
        gradient = gradient_of(self.weights, outputs, self._window.y)
        return [w - self._step_size * g for w, g in zip(self.weights, gradient, strict=True)]


class ReferenceRegressor:
    """A shrub ensemble that predicts a number.

    n_features, nominal: how many features there are, and for each whether it is nominal.
    max_features: None for all. max_depth: None for no limit. grow_every: as above. target_scaling:
    whether the loss is relative to the variance of the targets in the window. `shrubs` and
    `weights` start with the oldest.

    >>> learner = ReferenceRegressor(n_features=1, nominal=[False])
    >>> learner.predict([1.0])
    0.0
    >>> learner.learn([1.0], 7.5)
    >>> learner.predict([1.0])
    7.5
    """

    def __init__(
        self,
        *,
        n_features: int,
        nominal: Sequence[bool],
        max_shrubs: int = 32,
        window_size: int = 256,
        step_size: float = 0.1,
        loss: Literal["mse"] = "mse",
        max_depth: int | None = None,
        max_features: int | None = None,
        splitter: Splitter = "best",
        min_samples_leaf: int = 1,
        steps_per_example: int = 1,
        grow_every: int = 1,
        target_scaling: bool = True,
        seed: int = 0,
    ) -> None:
        _check_nominal(n_features, nominal)
        if loss != "mse":
            raise ValueError(f"loss must be 'mse', got {loss!r}")
        self._nominal = list(nominal)
        self._max_shrubs = max_shrubs
        self._step_size = step_size
        self._max_depth = max_depth
        self._max_features = max_features
        self._splitter: Splitter = splitter
        self._min_samples_leaf = min_samples_leaf
        self._steps_per_example = steps_per_example
        self._grow_every = grow_every
        self._target_scaling = target_scaling
        self._seed = seed
        self._n_learned = 0
        self._window: Window[float] = Window(window_size)
        self.shrubs: list[Shrub[float]] = []
        self.weights: list[float] = []

    def add_feature(self, nominal: bool) -> None:
        """Announce one more feature, which is missing in the examples so far."""
        self._nominal.append(nominal)
        self._window.add_feature()

    def learn(self, x: list[float], y: float) -> None:
        """Learn from one example.

        x: features, NaN where missing, of shape (n_features,). y: target, finite.
        """
        self._window.append(Example(to_features(x), float(y)))  # lines 3 to 5
        if self._n_learned % self._grow_every == 0 or not self.shrubs:
            self.shrubs.append(self._grow())  # lines 6 and 7
            self.weights.append(0.0)  # line 8
        for _ in range(self._steps_per_example):
            self.weights = self._gradient_step()  # line 9
            self.weights = project_sparse_simplex(self.weights, self._max_shrubs)  # lines 10, 11
        self.shrubs, self.weights = prune(self.shrubs, self.weights)  # line 12
        self._n_learned += 1

    def predict(self, x: list[float]) -> float:
        """Return the predicted target for `x`, of shape (n_features,); 0 without shrubs."""
        features = to_features(x)
        prediction = 0.0
        for weight, shrub in zip(self.weights, self.shrubs, strict=True):
            prediction += weight * shrub.predict(features)
        return max(-sys.float_info.max, min(prediction, sys.float_info.max))

    def _grow(self) -> Shrub[float]:
        impurity = Variance(self._window.y, measure_target_scale(self._window.y))
        random = Random(self._seed, self._n_learned)
        return Grower(impurity, self._split_options(), self._max_depth).grow(self._window.x, random)

    def _split_options(self) -> SplitOptions:
        return SplitOptions(
            nominal=self._nominal,
            max_features=_count_tried(self._max_features, len(self._nominal)),
            splitter=self._splitter,
            min_samples_leaf=self._min_samples_leaf,
        )

    def _gradient_step(self) -> list[float]:
        targets = self._window.y
        target_scale = measure_target_scale(targets)
        outputs = [[shrub.predict(x) for x in self._window.x] for shrub in self.shrubs]
        gradient = regression_gradient(self.weights, outputs, targets, target_scale)
        stepped = []
        for weight, entry in zip(self.weights, gradient, strict=True):
            if self._target_scaling:
                step = self._step_size * entry / _variance(targets, target_scale)
            else:
                step = self._step_size * entry * _unscaled_loss(target_scale)
            stepped.append(clamp(weight - step, 1e300))
        return stepped


def prune(
    shrubs: list[Shrub[Value]], weights: list[float]
) -> tuple[list[Shrub[Value]], list[float]]:
    """Return the shrubs and weights without those whose weight is zero."""
    kept = [i for i in range(len(weights)) if weights[i] != 0.0]
    return [shrubs[i] for i in kept], [weights[i] for i in kept]


def _check_nominal(n_features: int, nominal: Sequence[bool]) -> None:
    if len(nominal) != n_features:
        raise ValueError(f"nominal must have {n_features} entries, got {len(nominal)}")


def _count_tried(max_features: int | None, n_features: int) -> int:
    return n_features if max_features is None else max_features


def _variance(targets: list[float], target_scale: TargetScale) -> float:
    """Return the variance of the scaled targets, or 1 if they hardly differ."""
    total = 0.0
    for y in targets:
        total += target_scale.scale(y) * target_scale.scale(y)
    variance = total / float(len(targets))
    return 1.0 if variance < 1e-300 else variance


def _unscaled_loss(target_scale: TargetScale) -> float:
    """Return the factor from a squared error in scaled targets to one in targets, at most 1e100."""
    return min(target_scale.stretch * target_scale.stretch, 1e100)
