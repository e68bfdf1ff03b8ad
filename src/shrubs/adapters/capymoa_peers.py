"""CapyMOA's own shrub ensemble as a peer (extra ``shrubs[moa]``, and Java).

It is written in Python and grows a tree of scikit-learn per example: milliseconds each.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrubs.adapters import moa_jvm
from shrubs.adapters.moa_header import make_header
from shrubs.protocols import Block, Outcome, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["CapyMoaShrubs"]


@dataclass(frozen=True)
class _Instance:
    """What CapyMOA's learner reads of an instance."""

    x: NDArray[np.float32]
    y_index: int


class CapyMoaShrubs:
    """``capymoa.classifier.ShrubsClassifier``.

    Its bytes are those of the arrays it keeps: window, weights, and nodes and values of each tree.

    Args:
        seed: of its trees.
        options: the keyword arguments of CapyMOA's class; its defaults for those not given.
    """

    def __init__(self, *, seed: int = 1234, **options: Any) -> None:
        self.seed = seed
        self.options = options
        self._schema: Schema | None = None
        self._model: Any = None

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes; a learner that has begun goes on."""
        if self._schema is not None:
            if schema != self._schema:
                raise ValueError("this learner was prepared for another stream; call reset() first")
            return
        self._model = self._make(schema)
        self._schema = schema

    def reset(self) -> Self:
        """Forget everything, the stream too."""
        self._schema = self._model = None
        return self

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        if self._schema is None:
            raise ValueError("call prepare() with the schema of the stream first")
        predicted = np.full(len(block), -1, dtype=np.int64)
        p_true = np.full(len(block), 1 / self._schema.n_classes)
        predict_seconds = learn_seconds = 0.0
        offset = len(block) - len(learned)
        for i, label in enumerate(block.y.tolist()):
            start = time.perf_counter()
            shares = self._model.predict_proba(_Instance(block.X[i], label))
            if shares is not None:
                predicted[i] = shares.argmax()
                p_true[i] = shares[label]
            middle = time.perf_counter()
            if i >= offset:
                y = int(learned.y[i - offset])
                self._model.train(_Instance(learned.X[i - offset], y))
            predict_seconds += middle - start
            learn_seconds += time.perf_counter() - middle
        return Outcome(predicted, p_true, predict_seconds, learn_seconds)

    @property
    def memory_bytes(self) -> int:
        """The arrays of the window, the weights and the trees."""
        if self._model is None:
            return 0
        kept = [
            self._model.buffer_data,
            self._model.buffer_target,
            self._model.estimator_weights_,
        ]
        for tree in self._model.estimators_:
            # A window of one class has a constant instead of a tree.
            state = tree.tree_.__getstate__() if hasattr(tree, "tree_") else {}
            kept += [value for value in state.values() if isinstance(value, np.ndarray)]
        return int(sum(array.nbytes for array in kept))

    def _make(self, schema: Schema) -> Any:
        # We start the machine, not CapyMOA, so that MOA's learners in this process can be measured.
        moa_jvm.start()
        from capymoa.classifier import ShrubsClassifier
        from capymoa.stream import Schema as CapyMoaSchema
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(random_state=self.seed)
        return ShrubsClassifier(
            CapyMoaSchema(make_header(schema)), **{"sk_dt": tree, **self.options}
        )

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._model is not None:
            # Both hold the header, which is Java's and cannot be pickled.
            left_out = ("schema", "_params")
            kept = {name: v for name, v in vars(self._model).items() if name not in left_out}
            state["_model"] = kept
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._schema is not None:
            learned = self._model
            self._model = self._make(self._schema)
            vars(self._model).update(learned)
