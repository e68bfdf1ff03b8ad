"""Shrub ensembles for classification: the method of the paper."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners._inputs import as_vector
from shrubs.learners._parameters import Auto, Cache, Loss, MaxFeatures, Splitter
from shrubs.learners._tables import Classes, canonical, plain_label
from shrubs.learners.shrub_ensemble import ShrubEnsemble, row_blocks
from shrubs.learners.snapshot import plain_row
from shrubs.protocols import Row

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ShrubClassifier"]

_NEEDS_PYTHON = 1
_FROZE = 2

_MOST_LOOKED_UP = 64  # different integer labels; beyond that they are sorted


class ShrubClassifier(ShrubEnsemble):
    """An ensemble of small trees on sliding windows, weighted by proximal gradient descent.

    With all hyperparameters "auto" it needs no tuning: shrubs grown on windows of all lengths are
    weighed by their predictions for later examples, in at most 1 MB or ``memory_limit``
    (docs/no-tuning.md).

    Give any of them a value, or take `paper`, and it is the algorithm of the paper: every example
    grows a new shrub on the window; a gradient step on the loss over the window weighs it against
    the others; the prox keeps the ``max_shrubs`` heaviest. Those left "auto" then have the value
    in parentheses.

    Args:
        max_shrubs: M, the most shrubs kept, 1 to 65,534 (32).
        window_size: B, the most examples kept, 1 to 65,535 (256).
        step_size: alpha of the gradient step, greater than 0 (0.5). A newcomer gets at most
            ``2 * step_size / n_classes``: a small step freezes a full ensemble.
        loss: "mse" (so), or "cross_entropy" of the softmax of the votes.
        max_depth: of a shrub, at least 1; None (so) grows until the leaves are pure.
        max_features: features tried per node: None for all (so), "sqrt", a number or a share.
        splitter: "best" tries every cut, "random" (so) one uniform cut per tried feature.
        min_samples_leaf: examples in every leaf, at least 1 (1).
        steps_per_example: gradient steps per example, at least 1 (1).
        grow_every: a new shrub is considered at every so many examples, 1 to 1,000,000 (1). More
            than 1 is an approximation that saves time; the weights still follow every example.
        cache: "none" gives up memory that makes ``splitter="best"`` fast, "all" takes it always,
            "auto" takes most for windows of more than 32 examples and all from 128 on, and none
            where ``memory_limit`` has no room for it. The model is the same.
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB". None is
            1 MB where all is "auto", and otherwise no cap.
        nominal_features: names (or positions) of features that hold codes of categories. Texts
            are always categories.
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> learner = ShrubClassifier()
    >>> for i in range(100):
    ...     colour = "red" if i % 2 else "blue"
    ...     _ = learner.learn_one({"size": i % 10, "colour": colour}, "yes" if i % 2 else "no")
    >>> learner.predict_one({"size": 3, "colour": "red"})
    'yes'
    >>> learner.memory_bytes <= 1024**2
    True

    >>> learner = ShrubClassifier(max_shrubs=8, window_size=64)
    >>> for i in range(100):
    ...     colour = "red" if i % 2 else "blue"
    ...     _ = learner.learn_one({"size": i % 10, "colour": colour}, "yes" if i % 2 else "no")
    >>> learner.predict_one({"size": 3, "colour": "red"})
    'yes'
    >>> print(learner.explain_one({"size": 3, "colour": "blue"})[0])
    0.478  if colour != 'red': 'no' 100%
    """

    _regression: ClassVar[bool] = False

    def __init__(
        self,
        *,
        max_shrubs: int | Auto = "auto",
        window_size: int | Auto = "auto",
        step_size: float | Auto = "auto",
        loss: Loss | Auto = "auto",
        max_depth: int | Auto | None = "auto",
        max_features: MaxFeatures | Auto = "auto",
        splitter: Splitter | Auto = "auto",
        min_samples_leaf: int | Auto = "auto",
        steps_per_example: int | Auto = "auto",
        grow_every: int | Auto = "auto",
        cache: Cache = "auto",
        memory_limit: int | str | None = None,
        nominal_features: Sequence[Hashable] | None = None,
        seed: int | None = 0,
    ) -> None:
        self.max_shrubs = max_shrubs
        self.window_size = window_size
        self.step_size = step_size
        self.loss = loss
        self.max_depth = max_depth
        self.max_features = max_features
        self.splitter = splitter
        self.min_samples_leaf = min_samples_leaf
        self.steps_per_example = steps_per_example
        self.grow_every = grow_every
        self.cache = cache
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.seed = seed
        self._check_parameters(self.get_params())

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the columns of ``predict_proba``.

        That is the order in which they were announced or first seen; ``fit`` announces them
        sorted.
        """
        self._require_start()
        return self._classes.as_array()

    # -- one example -----------------------------------------------------------------------------

    def learn_one(self, x: Row, y: Hashable) -> Self:
        """Learn one example: ``x`` by name or position, ``y`` any hashable label."""
        core = self._engine
        status = _NEEDS_PYTHON if core is None else core.learn_class_row(x, y)
        if status == _NEEDS_PYTHON:
            self._learn_new(x, plain_label(y))
        elif status == _FROZE:
            self._warn_if_frozen(False)
        return self

    def _learn_new(self, x: Row, label: Hashable) -> None:
        """Learn an example with a feature, category, class or kind of row not met before."""
        row = plain_row(x, self._features)
        features = self._features_of_row(row)
        classes = self._classes.with_labels([label])
        _core.check_row(row, features.columns, list(features.categories), features.nominal)
        core = self._adopt(features, classes)
        was_frozen = core.frozen
        status = core.learn_class_row(row, label)
        assert status != _NEEDS_PYTHON, "the tables know every name, category and label of the row"
        self._warn_if_frozen(was_frozen, stacklevel=4)

    def predict_one(self, x: Row) -> Any:
        """The most likely label of one example; None while no class is known."""
        if self._engine is None:
            return None
        found = self._engine.predict_label_row(x)
        if found is None:
            found = self._engine.predict_label_row(plain_row(x, self._features))
        return found[0] if found else None

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Probabilities by label for one example; uniform before the first example."""
        if self._engine is None:
            return {}
        found = self._engine.predict_probabilities_row(x)
        if found is None:
            found = self._engine.predict_probabilities_row(plain_row(x, self._features))
        return found or {}

    # -- many examples ---------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn examples in order; the same as ``learn_one`` in a loop.

        Args:
            X: ``(n, n_features)``: array, data frame or sparse matrix; NaN for missing.
            y: ``(n,)`` labels.
            classes: labels to announce before they occur.
        """
        self._learn(X, y, classes, None)
        return self

    def prequential(self, X: Any, y: Any, classes: Any = None) -> NDArray[Any]:
        """Predict each row before learning it, and return the predictions, ``(n,)``.

        While no class is known there is nothing to predict: the first prediction is None unless
        ``classes`` announces them.
        """
        labels = _check_labels(y)
        predicted = np.empty(len(labels), dtype=np.int64)
        self._learn(X, labels, classes, predicted)
        if len(predicted) and predicted.min() < 0:
            with_none = np.empty(len(self._classes) + 1, dtype=object)
            for i, label in enumerate(self._classes.labels):
                with_none[i] = label
            return with_none[predicted]
        return np.asarray(self._classes.as_array()[predicted])

    def _learn(self, X: Any, y: Any, classes: Any, predicted: NDArray[np.int64] | None) -> None:
        features, blocks = self._read_learning(X)
        announced = self._classes
        if classes is not None:
            announced = announced.with_labels(_sorted_labels(classes))
        codes, known = _encode_labels(y, announced, sum(len(block) for block in blocks))
        if len(codes) == 0 and self._engine is None and classes is None:
            raise ValueError(
                f"Found array with 0 sample(s) (shape=(0, {len(features)})) while a minimum of 1 "
                "is required."
            )
        if classes is not None and len(known) > len(announced):
            unknown = known.labels[len(announced)]
            raise ValueError(f"y holds the label {unknown!r}, which is not among classes")
        self._check_room(features, known)
        core = self._adopt(features, announced)
        was_frozen = core.frozen
        for start, block in row_blocks(blocks):
            out = None if predicted is None else predicted[start : start + len(block)]
            self._learn_block(block, codes[start : start + len(block)], known, out)
        self._warn_if_frozen(was_frozen, stacklevel=4)

    def _learn_block(
        self,
        X: NDArray[Any],
        codes: NDArray[np.int64],
        known: Classes,
        predicted: NDArray[np.int64] | None,
    ) -> None:
        """Learn one block; stop, plan anew and go on where a class comes for the first time."""
        assert self._engine is not None
        done = 0
        while True:
            if predicted is None:
                done += self._engine.learn(X[done:], codes[done:])
            else:
                done += self._engine.prequential(X[done:], codes[done:], predicted[done:])
            if done == len(codes):
                return
            self._adopt(self._features, Classes(known.labels[: codes[done] + 1]))
            if predicted is not None:
                self._engine.learn(X[done : done + 1], codes[done : done + 1])
                done += 1

    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything, announce the classes of ``y`` in sorted order, and learn."""
        fresh = type(self)(**self.get_params())
        labels = _check_labels(y)
        fresh.partial_fit(X, labels, classes=labels if len(labels) else None)
        self._parameters = fresh._parameters
        self._engine, self._features, self._classes = fresh._engine, fresh._features, fresh._classes
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, ``(n, n_classes)``, in the order of ``classes_``."""
        return self._predict_matrix(X, len(self._classes))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely labels, ``(n,)``."""
        winners = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self._classes.as_array()[winners])

    def score(self, X: Any, y: Any) -> float:
        """The share of right predictions on examples that are not learned."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


def _check_labels(y: Any) -> NDArray[Any]:
    array = as_vector(y, "a classifier")
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise ValueError("y must not be missing, but it contains NaN")
        if np.isinf(array).any():
            raise ValueError("y must be finite, but it contains infinity")
        if not (array == np.floor(array)).all():
            raise ValueError("Unknown label type: continuous. y must hold labels, not targets")
    return array


def _sorted_labels(classes: Any) -> list[Hashable]:
    """The different labels in ascending order, or in that of their names where they have none."""
    labels = {plain_label(label) for label in as_vector(classes, "a classifier", "classes")}
    try:
        return sorted(labels)  # type: ignore[type-var]
    except TypeError:
        return canonical(labels)


def _look_up_labels(array: NDArray[Any], classes: Classes) -> NDArray[np.int64] | None:
    """Class indices if all labels are known integers close to each other: nothing is sorted."""
    if array.dtype.kind not in "iu" or len(array) == 0:
        return None
    low, high = int(array.min()), int(array.max())
    if high - low >= _MOST_LOOKED_UP:
        return None
    table = [classes.indices.get(label, -1) for label in range(low, high + 1)]
    codes = np.array(table, dtype=np.int64)[array - array.dtype.type(low)]
    return None if codes.min() < 0 else codes


def _encode_labels(y: Any, classes: Classes, n_rows: int) -> tuple[NDArray[np.int64], Classes]:
    """Class indices of ``y``, and the classes with the new ones in the order they occur."""
    array = _check_labels(y)
    if len(array) != n_rows:
        raise ValueError(f"X and y have inconsistent numbers of samples: {n_rows} and {len(array)}")
    if array.dtype == object:
        labels = [plain_label(label) for label in array]
        known = classes.with_labels(labels)
        return np.array([known.indices[label] for label in labels], dtype=np.int64), known
    codes = _look_up_labels(array, classes)
    if codes is not None:
        return codes, classes
    values, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    known = classes.with_labels(plain_label(values[i]) for i in np.argsort(first))
    indices = np.array([known.indices[plain_label(value)] for value in values], dtype=np.int64)
    return indices[inverse] if len(array) else np.empty(0, dtype=np.int64), known
