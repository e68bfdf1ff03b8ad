"""What all ensembles of shrubs share, whether they learn labels or targets."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.atomic_file import write_atomically
from shrubs.learners import _sklearn
from shrubs.learners._engine import saving
from shrubs.learners._engine.frozen import warn_that_it_froze
from shrubs.learners._engine.growing import GrowingLearner
from shrubs.learners._engine.inspection import feature_importances, shrubs_of, votes_on
from shrubs.learners._engine.reading import align, features_with_row, matrices, plain_row
from shrubs.learners._tables import Classes, Features
from shrubs.learners.shrub import Shrub, Vote
from shrubs.learners.snapshot import Snapshot
from shrubs.protocols import Row, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ShrubEnsemble"]

_NEEDS_PYTHON = _core.Learned.needs_python
_DONE_AND_FROZE = _core.Learned.done_and_froze


class ShrubEnsemble(GrowingLearner):
    """The part of the learners that does not depend on the task."""

    # -- one example -----------------------------------------------------------------------------

    def learn_one(self, x: Row, y: Any) -> Self:
        """Learn one example.

        Args:
            x: the features, by name or by position.
            y: any hashable label; for a regression, a finite number.
        """
        engine = self._engine
        learned = _NEEDS_PYTHON if engine is None else engine.learn_one(x, y)
        if learned is _NEEDS_PYTHON:
            self._learn_new(x, y)
        elif learned is _DONE_AND_FROZE:
            warn_that_it_froze(self._parameters, stacklevel=2)
        return self

    def _learn_new(self, x: Row, y: Any) -> None:
        """Learn an example with a feature, category, class or kind of row not met before."""
        nominal = self._nominal()
        outcome, classes = self._read_outcome(y)
        row = plain_row(x, self._features)
        features = features_with_row(row, self._known_features, nominal)
        _core.check_row(row, features.columns, list(features.categories), features.nominal)
        learned = self._adopt(features, classes).learn_one(row, outcome)
        assert learned is not _NEEDS_PYTHON, "the tables know everything that is in the row"
        if learned is _DONE_AND_FROZE:
            warn_that_it_froze(self._parameters, stacklevel=3)

    @abstractmethod
    def _read_outcome(self, y: Any) -> tuple[Any, Classes]:
        """A label or target as the engine takes it, and the classes known after it."""

    def predict_one(self, x: Row) -> Any:
        """The most likely label, or the target, of one example; before the first, None or 0."""
        engine = self._engine
        if engine is None:
            self._check_parameters()
            return 0.0 if self._regression else None
        found = engine.predict_one(x)
        if found is None:
            found = engine.predict_one(plain_row(x, self._features))
        return found[0] if found else None

    def explain_one(self, x: Row) -> list[Vote]:
        """The rule by which each shrub votes on ``x``, the heaviest first."""
        self.predict_one(x)  # refuses what cannot be predicted
        return votes_on(x, self.shrubs, self._features) if self._engine is not None else []

    # -- many examples ---------------------------------------------------------------------------

    def _read_learning(self, X: Any) -> tuple[Features, list[NDArray[Any]]]:
        """The features known after ``X``, and ``X`` as checked matrices in their order."""
        nominal = self._nominal()
        features, blocks = align(X, self._known_features, nominal)
        for block in blocks:
            _core.check_matrix(block, features.nominal, True, features.columns, type(self).__name__)
        return features, blocks

    def _predict_matrix(self, X: Any, width: int) -> NDArray[np.float64]:
        self._parameters_in_force()
        engine, features = self._require_engine(), self._features
        outputs = [np.empty((0, width))]
        for block in matrices(X, features):
            _core.check_matrix(
                block, features.nominal, False, features.columns, type(self).__name__
            )
            outputs.append(np.empty((len(block), width)))
            engine.predict_many(block, outputs[-1])
        return np.concatenate(outputs)

    def _replace_by(self, other: Self) -> Self:
        """Forget everything and go on as another learner of the same parameters."""
        self._parameters = other._parameters
        self._engine, self._features, self._classes = other._engine, other._features, other._classes
        return self

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes of a stream, or classes that joined it later."""
        self._parameters_in_force()
        if (schema.classes is None) != self._regression:
            task = "a regression" if schema.classes is None else "a classification"
            raise ValueError(f"{type(self).__name__} cannot learn {task}")
        if self._engine is None:
            columns: dict[Hashable, int] = {
                feature.name: i for i, feature in enumerate(schema.features)
            }
            nominal = bytes(feature.nominal for feature in schema.features)
            features = Features(columns, nominal, (None,) * schema.n_features)
            self._adopt(features, Classes(tuple(schema.classes or ())))
        elif schema.n_classes > len(self._classes):
            self._adopt(self._features, self._classes.with_labels(schema.classes or ()))

    # -- what can be seen ------------------------------------------------------------------------

    @property
    def n_shrubs(self) -> int:
        """The number of shrubs in the ensemble."""
        return 0 if self._engine is None else int(self._engine.n_shrubs)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the shrubs, oldest first, ``(n_shrubs,)``.

        They sum to one, together with those of the ``companions``.
        """
        return np.array([] if self._engine is None else self._engine.weights(), dtype=np.float64)

    @property
    def companions(self) -> dict[str, float]:
        """The weights of the experts that are no shrubs; the paper's algorithm has none."""
        return self._engine.companions() if isinstance(self._engine, _core.AutoLearner) else {}

    @property
    def examples_seen(self) -> int:
        """How many examples have been learned."""
        return 0 if self._engine is None else int(self._engine.examples_seen)

    @property
    def n_features_in_(self) -> int:
        """The number of features known so far."""
        return int(self._require_engine().n_features)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the features, where they have names."""
        self._require_engine()
        if self._features.names is None:
            raise AttributeError("the features of this learner have no names")
        return np.array(self._features.names, dtype=object)

    @property
    def shrubs(self) -> list[Shrub]:
        """The shrubs as plain data, oldest first."""
        if self._engine is None:
            return []
        labels = None if self._regression else self._classes.labels
        return shrubs_of(self._engine, self._features, labels)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each feature lowers the impurity of the current window, ``(n_features,)``.

        Every shrub is applied to the window as it is now; its splits' impurity decreases are
        summed by feature and weighted like the shrub. They sum to one unless all are zero.
        """
        n_classes = None if self._regression else len(self._classes)
        return feature_importances(self._require_engine(), n_classes)

    def members(self) -> list[tuple[int, float]]:
        """When each shrub was born and its weight now, oldest first."""
        return [] if self._engine is None else self._engine.members()

    def text_features(self) -> list[Hashable]:
        """The features whose categories are texts."""
        tables = self._features.categories
        names = self._features.columns or range(len(tables))
        return [name for name, table in zip(names, tables, strict=True) if table is not None]

    def snapshot(self) -> Snapshot:
        """An immutable predictor that another thread can use while learning goes on."""
        self._parameters_in_force()
        classes = None if self._regression else self._classes
        return Snapshot(self._require_engine().snapshot(), self._features, classes)

    # -- saving ----------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The byte state: parameters, window, shrubs, weights, names and labels."""
        if self._engine is None:
            engine, parameters = self._new_engine(self._features, self._classes)
        else:
            engine, parameters = self._engine, self._parameters
        described = {name: getattr(parameters, name) for name in self.get_params()}
        tables = saving.encode_tables(type(self).__name__, described, self._features, self._classes)
        return engine.to_state(tables)

    @classmethod
    def from_bytes(cls, state: bytes, *, max_bytes: int = saving.DEFAULT_MAX_BYTES) -> Self:
        """The learner of a byte state; it goes on as if it had never stopped.

        Raises ValueError for bytes that are no state, are damaged, come from a newer version, or
        would need more than ``max_bytes`` once loaded.
        """
        tables = saving.read_tables(state, max_bytes)
        if tables.get("learner") != cls.__name__:
            raise ValueError(
                f"this is a saved {tables.get('learner')!r}, not a {cls.__name__!r}; shrubs.load "
                "takes either"
            )
        engine = _core.load_state(state)
        params, features, classes = saving.decode_tables(tables, engine)
        try:
            learner = cls(**params)
            parameters = learner._check_parameters()
        except TypeError:
            raise saving.invalid("its parameters are unknown") from None
        if not parameters.describes(engine):
            raise saving.invalid("its parameters do not fit its shrubs")
        if engine.examples_seen or features != Features() or classes != Classes():
            learner._parameters = parameters
            learner._install(engine, features, classes)
        return learner

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the byte state to a file, atomically."""
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, max_bytes: int = saving.DEFAULT_MAX_BYTES
    ) -> Self:
        """The learner of a saved file; see `from_bytes`."""
        return cls.from_bytes(Path(path).read_bytes(), max_bytes=max_bytes)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._engine is not None:
            state["_engine"] = self._engine.to_state(b"{}")
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(state.get("_engine"), bytes):
            self._install(_core.load_state(state["_engine"]), self._features, self._classes)

    # -- scikit-learn ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        return _sklearn.build_tags(regression=self._regression)

    def __sklearn_is_fitted__(self) -> bool:
        return self._engine is not None
