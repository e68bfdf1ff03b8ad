"""One tree on the window, grown anew: the plain baseline, with a row of its own everywhere."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

from shrubs.learners._auto_parameters import AutoParameters
from shrubs.learners._parameters import MaxFeatures, Parameters, Splitter
from shrubs.learners.shrub_classifier import ShrubClassifier

__all__ = ["WindowedTree"]


class WindowedTree(ShrubClassifier):
    """A single tree on the last ``window_size`` examples.

    Args:
        window_size: the most examples kept, 1 to 65,535.
        regrow: "on_error" grows a new tree only after the old one was wrong on the new example,
            "always" at every example.
        max_depth: of the tree, at least 1; None grows until the leaves are pure.
        max_features: features tried per node: None for all, "sqrt", a number or a share.
        splitter: "best" tries every cut, "random" one uniform cut per tried feature.
        min_samples_leaf: examples in every leaf, at least 1.
        memory_limit: a hard cap on everything the learner keeps, in bytes or as "64KB".
        nominal_features: names (or positions) of features that hold codes of categories.
        seed: of all random choices, 0 to 2**64 - 1; None draws one.

    >>> tree = WindowedTree(window_size=32)
    >>> for i in range(50):
    ...     _ = tree.learn_one({"a": i % 4}, i % 4 > 1)
    >>> tree.predict_one({"a": 3})
    True
    """

    def __init__(
        self,
        *,
        window_size: int = 256,
        regrow: Literal["on_error", "always"] = "on_error",
        max_depth: int | None = None,
        max_features: MaxFeatures = None,
        splitter: Splitter = "best",
        min_samples_leaf: int = 1,
        memory_limit: int | str | None = None,
        nominal_features: Sequence[Hashable] | None = None,
        seed: int | None = 0,
    ) -> None:
        self.window_size = window_size
        self.regrow = regrow
        self.max_depth = max_depth
        self.max_features = max_features
        self.splitter = splitter
        self.min_samples_leaf = min_samples_leaf
        self.memory_limit = memory_limit
        self.nominal_features = nominal_features
        self.seed = seed
        self._check_parameters(self.get_params())

    def _describe(self, parameters: Parameters | AutoParameters) -> dict[str, Any]:
        assert isinstance(parameters, Parameters), "a tree on a window has its hyperparameters"
        names = [name for name in self.get_params() if name != "regrow"]
        described = {name: getattr(parameters, name) for name in names}
        return {**described, "regrow": parameters.method.removeprefix("tree_")}

    def _check_parameters(self, params: Mapping[str, Any]) -> Parameters | AutoParameters:
        values = dict(params)
        regrow = values.pop("regrow")
        if regrow not in ("on_error", "always"):
            raise ValueError(f"regrow must be 'on_error' or 'always', got {regrow!r}")
        return super()._check_parameters(
            {
                "method": f"tree_{regrow}",
                "max_shrubs": 1,
                "step_size": 1.0,
                "loss": "mse",
                "steps_per_example": 1,
                "grow_every": 1,
                **values,
            }
        )
