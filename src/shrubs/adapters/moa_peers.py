"""MOA's learners as peers, under the interface of ours (extra ``shrubs[moa]``, and Java).

MOA itself runs, from the jar that capymoa carries, with MOA's own defaults. A block of examples
crosses the bridge to Java once; predicting and learning go on there.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrubs.adapters.moa_header import make_header
from shrubs.adapters.moa_jvm import full_size_of, java_class, measures_sizes, plain_errors
from shrubs.protocols import Block, Outcome, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "MoaPeer",
    "adaptive_random_forest",
    "adaptive_random_forest_regressor",
    "efdt",
    "hoeffding_tree",
    "naive_bayes",
    "online_smooth_boost",
    "oza_bag",
    "sgbr",
    "sgbt",
    "soknl",
    "streaming_random_patches",
]


class MoaPeer:
    """A classifier or regressor of MOA.

    Its bytes are MOA's ``SizeOf.fullSizeOf`` of the learner, all objects that it leads to, minus
    those of the untrained learner.

    Args:
        learner: its class, as on MOA's command line, for example ``"trees.EFDT"``.
        options: its options, as on MOA's command line; MOA's defaults for those not given.
        seed: of its random numbers; MOA's own (1) if None.
        missing: stands in for missing values, for a learner that cannot take them; None hands them
            over as missing.

    >>> peer = MoaPeer("trees.EFDT", options="-g 50 -c 0.01 -l MC")
    """

    def __init__(
        self,
        learner: str,
        *,
        options: str = "",
        seed: int | None = None,
        missing: float | None = None,
    ) -> None:
        self.learner = learner
        self.options = options
        self.seed = seed
        self.missing = missing
        self.bridge_seconds = 0.0
        self._schema: Schema | None = None
        self._loop: Any = None
        self._model: Any = None
        self._untrained_bytes = 0

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes; a learner that has begun goes on."""
        if self._schema is not None:
            if schema != self._schema:
                raise ValueError("this learner was prepared for another stream; call reset() first")
            return
        model = _make(self.learner, self.options)
        if self.seed is not None:
            model.setRandomSeed(self.seed)
        model.setModelContext(make_header(schema))
        model.prepareForUse()
        self._schema = schema
        self._adopt(java_class("ShrubsBlockLoop")(model))
        self._untrained_bytes = full_size_of(model) if measures_sizes() else 0

    def reset(self) -> Self:
        """Forget everything, the stream too."""
        self._schema = self._loop = self._model = None
        return self

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`.

        The first of the classes with most votes is predicted, also where all have none, as in MOA's
        own evaluation. The seconds are those of MOA; crossing to Java and back is added to
        ``bridge_seconds``.
        """
        start = time.perf_counter()
        to_learn = (None, None) if learned is block else self._arrays(learned)
        tested = self._arrays(block)
        with plain_errors(f"in {self.learner}"):
            result = np.asarray(self._loop.interleave(*tested, *to_learn))
        n = len(block)
        predict_seconds, learn_seconds = result[2 * n :].tolist()
        regression = self._require_schema().classes is None
        predicted = result[:n] if regression else result[:n].astype(np.int64)
        outcome = Outcome(predicted, result[n : 2 * n], predict_seconds, learn_seconds)
        self.bridge_seconds += time.perf_counter() - start - predict_seconds - learn_seconds
        return outcome

    def predict_proba(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        """The votes for each class divided by their sum, ``(n, n_classes)``; uniform without any.

        Args:
            X: as in a `shrubs.protocols.Block`, ``(n, n_features)``.
        """
        schema = self._require_schema()
        flat = self._loop.predictProbabilities(self._rows(X))
        return np.array(flat).reshape(len(X), schema.n_classes)

    @property
    def memory_bytes(self) -> int:
        """What the model has grown by since it was untrained; takes milliseconds to seconds."""
        if self._model is None:
            return 0
        return max(full_size_of(self._model) - self._untrained_bytes, 0)

    def _arrays(self, block: Block) -> tuple[Any, Any]:
        schema = self._require_schema()
        is_known = schema.classes is None or not len(block)
        if not is_known and not 0 <= block.y.min() <= block.y.max() < schema.n_classes:
            raise ValueError(
                f"y must be below the {schema.n_classes} classes announced, got {block.y.max()}"
            )
        return self._rows(block.X), np.ascontiguousarray(block.y, dtype=np.float64)

    def _rows(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.missing is not None:
            X = np.where(np.isnan(X), np.float32(self.missing), X)
        return np.ascontiguousarray(X, dtype=np.float32).ravel()

    def _require_schema(self) -> Schema:
        if self._schema is None:
            raise ValueError("call prepare() with the schema of the stream first")
        return self._schema

    def _adopt(self, loop: Any) -> None:
        self._loop = loop
        self._model = loop.learner()

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_model": None}
        if self._loop is not None:
            with plain_errors(f"to save {self.learner}"):
                state["_loop"] = bytes(self._loop.save())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._loop is not None:
            self._adopt(java_class("ShrubsBlockLoop").restore(self._loop))

    def __repr__(self) -> str:
        return f"MoaPeer({self.learner!r}, options={self.options!r}, seed={self.seed})"


def naive_bayes(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's naive Bayes; it draws no random numbers."""
    return MoaPeer("bayes.NaiveBayes", options=options, seed=seed)


def hoeffding_tree(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's Hoeffding tree."""
    return MoaPeer("trees.HoeffdingTree", options=options, seed=seed)


def efdt(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's extremely fast decision tree, called HTT in the paper."""
    return MoaPeer("trees.EFDT", options=options, seed=seed)


def streaming_random_patches(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's streaming random patches, 100 trees unless told otherwise."""
    return MoaPeer("meta.StreamingRandomPatches", options=options, seed=seed)


def adaptive_random_forest(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's adaptive random forest, 100 trees unless told otherwise."""
    return MoaPeer("meta.AdaptiveRandomForest", options=options, seed=seed)


def oza_bag(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's online bagging, ten Hoeffding trees unless told otherwise."""
    return MoaPeer("meta.OzaBag", options=options, seed=seed)


def online_smooth_boost(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's online smooth boosting, ten Hoeffding trees unless told otherwise."""
    return MoaPeer("meta.OnlineSmoothBoost", options=options, seed=seed)


def sgbt(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's streaming gradient boosted trees, 100 rounds unless told otherwise.

    They fail on missing values, so they get zeros instead: the first category of a nominal feature.
    """
    return MoaPeer("meta.StreamingGradientBoostedTrees", options=options, seed=seed, missing=0.0)


def adaptive_random_forest_regressor(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's adaptive random forest for targets, 100 trees unless told otherwise."""
    return MoaPeer("meta.AdaptiveRandomForestRegressor", options=options, seed=seed)


def soknl(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's self-optimising k-nearest leaves, 100 trees unless told otherwise."""
    return MoaPeer("meta.SelfOptimisingKNearestLeaves", options=options, seed=seed)


def sgbr(*, seed: int, options: str = "") -> MoaPeer:
    """MOA's streaming gradient boosted regression, 10 rounds of bagging unless told otherwise.

    It gets zeros instead of missing values, as `sgbt` does.
    """
    return MoaPeer(
        "meta.StreamingGradientBoostedRegression", options=options, seed=seed, missing=0.0
    )


def _make(learner: str, options: str) -> Any:
    parse = java_class("com.github.javacliparser.ClassOption").cliStringToObject
    kind = java_class("moa.classifiers.Classifier").class_
    try:
        return parse(f"{learner} {options}".strip(), kind, None)
    except java_class("java.lang.Exception") as error:
        message = str(error.getMessage())
    # MOA answers a wrong option with the whole manual.
    known = re.findall(r"^-\w \w+", message, re.MULTILINE)
    why = f"it takes {', '.join(known)}" if known else message
    raise ValueError(f"MOA cannot make {learner!r} with options {options!r}: {why}")
