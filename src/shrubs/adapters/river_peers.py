"""River's learners as peers, under the interface of ours (extra ``shrubs[river]``).

Each has River's own defaults; options go to River's constructor. Nominal features come as texts and
missing values are left out, which River's classification trees take as they are. `Numbers` stands
before the learners that take numbers only, among them regression trees with their linear leaves.
"""

from __future__ import annotations

import collections
from collections.abc import Hashable
from typing import Any

from river import base, ensemble, forest, naive_bayes, tree

from shrubs.adapters.row_peer import RowPeer

__all__ = [
    "Numbers",
    "adaptive_random_forest",
    "aggregated_mondrian_forest",
    "bagging",
    "bole",
    "boosting",
    "efdt",
    "gaussian_nb",
    "hoeffding_adaptive_tree",
    "hoeffding_tree",
    "streaming_random_patches",
]


class Numbers(base.Transformer):
    """Texts as one indicator per category seen so far; numbers as they are.

    Args:
        fill_missing: a missing number becomes the mean so far and a missing text no category;
            otherwise both are left out.

    >>> numbers = Numbers(fill_missing=True)
    >>> for x in ({"a": 1.0, "b": "red"}, {"a": 3.0, "b": "blue"}):
    ...     numbers.learn_one(x)
    >>> numbers.transform_one({"b": "blue"})
    {'a': 2.0, 'b=red': 0.0, 'b=blue': 1.0}
    """

    def __init__(self, fill_missing: bool) -> None:
        self.fill_missing = fill_missing
        self._counts: dict[Hashable, int] = collections.defaultdict(int)
        self._means: dict[Hashable, float] = collections.defaultdict(float)
        # By feature and category, the name of the indicator, made once.
        self._categories: dict[Hashable, dict[str, str]] = {}

    def learn_one(self, x: dict[Hashable, Any]) -> None:
        """Take note of means and categories."""
        for name, value in x.items():
            if isinstance(value, str):
                self._categories.setdefault(name, {}).setdefault(value, f"{name}={value}")
            else:
                self._counts[name] += 1
                self._means[name] += (value - self._means[name]) / self._counts[name]

    def transform_one(self, x: dict[Hashable, Any]) -> dict[Hashable, float]:
        """The features known so far as numbers."""
        numbers = {name: x.get(name, mean) for name, mean in self._means.items()
                   if self.fill_missing or name in x}  # fmt: skip
        for name, categories in self._categories.items():
            if self.fill_missing or name in x:
                value = x.get(name)
                for category, indicator in categories.items():
                    numbers[indicator] = float(category == value)
        return numbers


def _tree_peer(model: Any, regression: bool) -> RowPeer:
    return RowPeer(Numbers(fill_missing=False) | model if regression else model)


def gaussian_nb(*, regression: bool, seed: int) -> RowPeer:
    """River's Gaussian naive Bayes; a missing feature is left out of the product."""
    model: Any = naive_bayes.GaussianNB  # River gives its constructor no types
    return RowPeer(Numbers(fill_missing=False) | model())


def hoeffding_tree(*, regression: bool, seed: int, **options: Any) -> RowPeer:
    """River's Hoeffding tree; it draws no random numbers."""
    model = tree.HoeffdingTreeRegressor if regression else tree.HoeffdingTreeClassifier
    return _tree_peer(model(**options), regression)


def hoeffding_adaptive_tree(*, regression: bool, seed: int, **options: Any) -> RowPeer:
    """River's Hoeffding adaptive tree, which replaces branches that got worse."""
    model = (
        tree.HoeffdingAdaptiveTreeRegressor if regression else tree.HoeffdingAdaptiveTreeClassifier
    )
    return _tree_peer(model(seed=seed, **options), regression)


def efdt(*, regression: bool, seed: int, **options: Any) -> RowPeer:
    """River's EFDT, also known as Hoeffding anytime tree; it draws no random numbers."""
    return RowPeer(tree.ExtremelyFastDecisionTreeClassifier(**options))


def adaptive_random_forest(*, regression: bool, seed: int, **options: Any) -> RowPeer:
    """River's adaptive random forest, ten trees unless told otherwise."""
    model = forest.ARFRegressor if regression else forest.ARFClassifier
    return _tree_peer(model(seed=seed, **options), regression)


def streaming_random_patches(*, regression: bool, seed: int, **options: Any) -> RowPeer:
    """River's streaming random patches, ten Hoeffding trees unless told otherwise."""
    model = ensemble.SRPRegressor if regression else ensemble.SRPClassifier
    return _tree_peer(model(seed=seed, **options), regression)


def aggregated_mondrian_forest(*, regression: bool, seed: int, **options: Any) -> RowPeer:
    """River's aggregated Mondrian forest, ten trees unless told otherwise."""
    model = forest.AMFRegressor if regression else forest.AMFClassifier
    return RowPeer(Numbers(fill_missing=True) | model(seed=seed, **options))


def bagging(*, regression: bool, seed: int, n_models: int = 10, **options: Any) -> RowPeer:
    """River's online bagging of Hoeffding trees; other options go to the trees."""
    if regression:
        trees = tree.HoeffdingTreeRegressor(**options)
        return _tree_peer(ensemble.BaggingRegressor(trees, n_models, seed), regression)
    return RowPeer(
        ensemble.BaggingClassifier(tree.HoeffdingTreeClassifier(**options), n_models, seed)
    )


def boosting(*, regression: bool, seed: int, n_models: int = 10, **options: Any) -> RowPeer:
    """River's online AdaBoost of Hoeffding trees; other options go to the trees."""
    return RowPeer(
        ensemble.AdaBoostClassifier(tree.HoeffdingTreeClassifier(**options), n_models, seed)
    )


def bole(*, regression: bool, seed: int, n_models: int = 10, **options: Any) -> RowPeer:
    """River's BOLE, boosting that trains the worst trees first; other options go to the trees."""
    return RowPeer(ensemble.BOLEClassifier(tree.HoeffdingTreeClassifier(**options), n_models, seed))
