"""What `ShrubClassifier` and `ShrubRegressor` have in common: one core, two thin fronts."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners import _persistence, _sklearn
from shrubs.learners._auto_parameters import AutoParameters
from shrubs.learners._importances import impurity_decreases
from shrubs.learners._inputs import dense_blocks, encode, is_sparse, read_frame
from shrubs.learners._memory import MemoryReport, size_of
from shrubs.learners._parameters import PAPER_DEFAULTS, Parameters, check_integer
from shrubs.learners._table_room import room_for_tables
from shrubs.learners._tables import Classes, Features
from shrubs.learners.shrub import Shrub, Vote, build_shrub, follow
from shrubs.learners.snapshot import Snapshot, matrices, plain_row
from shrubs.protocols import Block, Outcome, Row, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FrozenEnsembleWarning", "ShrubEnsemble"]


class FrozenEnsembleWarning(UserWarning):
    """The step size is too small for any new shrub to enter the ensemble."""


class ShrubEnsemble:
    """The common part of the two learners; use those."""

    _regression: ClassVar[bool]

    # Class attributes, so that a new learner has its parameters and nothing else.
    _engine: Any = None  # _core.Learner or _core.AutoLearner: the same methods
    _parameters: Parameters | AutoParameters
    _features: Features = Features()
    _classes: Classes = Classes()

    # -- parameters ------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in _sklearn.parameter_names(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a learner that has begun takes them up at the next ``fit``."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for {type(self).__name__}; it has "
                    f"{', '.join(known)}"
                )
        self._check_parameters({**known, **params})
        for name, value in params.items():
            setattr(self, name, value)
        return self

    @classmethod
    def paper(cls, **params: Any) -> Self:
        """The algorithm of the paper: fixed values for all hyperparameters that are not given."""
        return cls(**{**PAPER_DEFAULTS, **params})

    def _check_parameters(self, params: Mapping[str, Any]) -> Parameters | AutoParameters:
        values = {"method": "shrub_ensemble", "target_scaling": True, "cache": "auto", **params}
        left_open = frozenset(
            name
            for name in PAPER_DEFAULTS
            if isinstance(values[name], str) and values[name] == "auto"
        )
        if len(left_open) == len(PAPER_DEFAULTS) and values["target_scaling"]:
            names = ("cache", "memory_limit", "nominal_features", "target_scaling", "seed")
            return AutoParameters(self._regression, **{name: values[name] for name in names})
        values |= {name: PAPER_DEFAULTS[name] for name in left_open}
        return Parameters(regression=self._regression, left_open=left_open, **values)

    def _describe(self, parameters: Parameters | AutoParameters) -> dict[str, Any]:
        """The constructor's parameters that these were checked from."""
        names = _sklearn.parameter_names(type(self))
        return {
            name: "auto" if name in parameters.left_open else getattr(parameters, name)
            for name in names
        }

    def plan(self, *, n_features: int, n_classes: int = 2) -> MemoryReport:
        """The most bytes this configuration will ever take, known before the first example.

        Names of features, categories and labels come on top; they are yours, not ours to foresee.

        Args:
            n_features: the number of features, at least 0.
            n_classes: the number of classes (ignored by a regression), at least 1.
        """
        parameters = self._check_parameters(self.get_params())
        check_integer("n_features", n_features, 0, _MOST_FEATURES)
        check_integer("n_classes", n_classes, 1, _MOST_CLASSES)
        features = Features(None, bytes(n_features), (None,) * n_features)
        classes = Classes() if self._regression else Classes(tuple(range(n_classes)))
        plan = parameters.plan(
            n_features=n_features,
            n_classes=len(classes),
            table_bytes=self._table_room(parameters, features, classes),
        )
        return self._report(plan, self._table_bytes(Features(), Classes()))

    # -- state -----------------------------------------------------------------------------------

    @property
    def n_shrubs(self) -> int:
        """The number of shrubs in the ensemble, at most ``max_shrubs`` where that is given."""
        return 0 if self._engine is None else int(self._engine.n_shrubs)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the shrubs, oldest first, ``(n_shrubs,)``.

        They sum to one, together with those of the ``companions``.
        """
        return np.array([] if self._engine is None else self._engine.weights(), dtype=np.float64)

    @property
    def companions(self) -> dict[str, float]:
        """The weights of the experts that are no shrubs; only an "auto" learner has them."""
        auto = isinstance(self._engine, _core.AutoLearner)
        return self._engine.companions() if auto else {}

    @property
    def examples_seen(self) -> int:
        """How many examples have been learned."""
        return 0 if self._engine is None else int(self._engine.examples_seen)

    @property
    def n_features_in_(self) -> int:
        """The number of features known so far."""
        self._require_start()
        return len(self._features)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the features, where they have names."""
        self._require_start()
        if self._features.names is None:
            raise AttributeError("the features of this learner have no names")
        return np.array(self._features.names, dtype=object)

    @property
    def memory_bytes(self) -> int:
        """All bytes the learner keeps between two calls."""
        return self.memory_report().total

    def memory_report(self) -> MemoryReport:
        """All bytes the learner keeps between two calls, by purpose."""
        tables = self._table_bytes(self._features, self._classes)
        if self._engine is None:
            return MemoryReport(0, 0, 0, 0, 0, tables)
        return self._report(self._engine.report(), tables)

    @staticmethod
    def _report(plan: dict[str, int], tables: int) -> MemoryReport:
        parts = {name: size for name, size in plan.items() if name != "object"}
        return MemoryReport(**parts, tables=plan["object"] + tables)

    def _table_bytes(self, features: Features, classes: Classes) -> int:
        own = object.__sizeof__(self) + sys.getsizeof(self.__dict__)
        return own + size_of(
            *self.get_params().values(),
            features.nominal,
            features.categories,
            features.columns,
            classes.labels,
            classes.indices,
        )

    def _table_room(
        self, parameters: Parameters | AutoParameters, features: Features, classes: Classes
    ) -> int:
        """Bytes to plan with; an "auto" learner must not depend on how Python keeps tables."""
        if isinstance(parameters, AutoParameters):
            return room_for_tables(features, classes)
        return self._table_bytes(features, classes)

    def __sizeof__(self) -> int:
        return self.memory_bytes

    def members(self) -> list[tuple[int, float]]:
        """When each shrub was born and its weight now, oldest first."""
        return [] if self._engine is None else self._engine.members()

    def text_features(self) -> list[Hashable]:
        """The features whose categories are texts."""
        tables = self._features.categories
        names = self._features.columns or range(len(tables))
        return [name for name, table in zip(names, tables, strict=True) if table is not None]

    # -- shrubs ----------------------------------------------------------------------------------

    @property
    def shrubs(self) -> list[Shrub]:
        """The shrubs as plain data, oldest first."""
        if self._engine is None:
            return []
        labels = None if self._regression else self._classes.labels
        return [
            build_shrub(weight, born, nodes, self._features, labels)
            for weight, born, nodes in self._engine.shrubs()
        ]

    def explain_one(self, x: Row) -> list[Vote]:
        """The rule by which each shrub votes on ``x``, the heaviest first."""
        if self._engine is None:
            return []
        self.snapshot().predict_one(x)  # refuses what cannot be predicted
        row = plain_row(x, self._features)
        by_name = row if isinstance(row, dict) else dict(enumerate(row))
        if not isinstance(row, dict) and self._features.columns is not None:
            by_name = dict(zip(self._features.columns, row, strict=True))
        votes = [follow(shrub, by_name) for shrub in self.shrubs]
        return sorted(votes, key=lambda vote: -vote.weight)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each feature lowers the impurity of the current window, ``(n_features,)``.

        Every shrub is applied to the window as it is now; its splits' impurity decreases are
        summed by feature and weighted like the shrub. They sum to one unless all are zero.
        """
        self._require_start()
        assert self._engine is not None
        X, y = self._window()
        importances = np.zeros(len(self._features))
        for weight, _, nodes in self._engine.shrubs():
            n_classes = None if self._regression else len(self._classes)
            importances += weight * impurity_decreases(nodes, X, y, n_classes)
        total = importances.sum()
        return importances / total if total > 0 else importances

    def _window(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        assert self._engine is not None
        X = np.empty((self._engine.n_examples, self._engine.n_features), dtype=np.float32)
        y = np.empty(self._engine.n_examples)
        self._engine.copy_window(X, y)
        return X, y

    def snapshot(self) -> Snapshot:
        """An immutable predictor that another thread can use while learning goes on."""
        self._require_start()
        assert self._engine is not None
        classes = None if self._regression else self._classes
        return Snapshot(self._engine.snapshot(), self._features, classes)

    # -- saving ----------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The byte state: parameters, window, shrubs, weights, names and labels."""
        if self._engine is None:
            core, parameters = self._new_core(self._features, self._classes)
        else:
            core, parameters = self._engine, self._parameters
        tables = _persistence.encode_tables(
            type(self).__name__, self._describe(parameters), self._features, self._classes
        )
        return bytes(core.to_state(tables))

    @classmethod
    def from_bytes(cls, state: bytes, *, max_bytes: int = _persistence.DEFAULT_MAX_BYTES) -> Self:
        """The learner of a byte state; it goes on as if it had never stopped.

        Raises ValueError for bytes that are no state, are damaged, come from a newer version, or
        would need more than ``max_bytes`` once loaded.
        """
        tables = _persistence.inspect_state(state, max_bytes)
        if tables.get("learner") != cls.__name__:
            raise ValueError(
                f"this is a saved {tables.get('learner')!r}, not a {cls.__name__!r}; shrubs.load "
                "takes either"
            )
        core = _core.load_state(state)
        params, features, classes = _persistence.decode_tables(tables, core)
        try:
            learner = cls(**params)
        except TypeError:
            raise ValueError("this saved model is invalid: its parameters are unknown") from None
        parameters = learner._check_parameters(learner.get_params())
        _persistence.check_parameters(core, parameters)
        if core.examples_seen or features != Features() or classes != Classes():
            learner._parameters = parameters
            learner._install(core, features, classes)
        return learner

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the byte state to a file, atomically."""
        _persistence.write_atomically(path, self.to_bytes())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, max_bytes: int = _persistence.DEFAULT_MAX_BYTES
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

    # -- growing with the stream -----------------------------------------------------------------

    def _require_start(self) -> None:
        if self._engine is None:
            raise _sklearn.not_fitted(self)

    def _new_core(
        self, features: Features, classes: Classes
    ) -> tuple[Any, Parameters | AutoParameters]:
        parameters = self._check_parameters(self.get_params()).with_seed()
        _check_shape(features, classes)
        tables = self._table_room(parameters, features, classes)
        return parameters.new_core(features.nominal, len(classes), tables), parameters

    def _adopt(self, features: Features, classes: Classes) -> Any:
        """Go on with these features and classes; plan anew if there are more than before."""
        core = self._engine
        if core is None:
            core, self._parameters = self._new_core(features, classes)
        elif features is not self._features or len(classes) != core.n_classes:
            _check_shape(features, classes)
            tables = self._table_room(self._parameters, features, classes)
            core = self._parameters.grown(core, features.nominal, len(classes), tables)
        self._install(core, features, classes)
        return core

    def _install(self, core: Any, features: Features, classes: Classes) -> None:
        core.set_tables(
            features.columns, list(features.categories), classes.indices, list(classes.labels)
        )
        self._engine, self._features, self._classes = core, features, classes

    def _check_room(self, features: Features, classes: Classes) -> None:
        """Refuse what cannot fit before anything is learned."""
        begun = self._engine is not None
        if begun and features is self._features and classes is self._classes:
            return  # It fitted before.
        parameters = self._parameters if begun else self._check_parameters(self.get_params())
        _check_shape(features, classes)
        tables = self._table_room(parameters, features, classes)
        parameters.check_room(features.nominal, len(classes), tables)

    def _nominal(self) -> Sequence[Hashable]:
        params = self.get_params() if self._engine is None else {}
        declared = params.get("nominal_features") if params else self._parameters.nominal_features
        return tuple(declared or ())

    # -- reading examples ------------------------------------------------------------------------

    def _features_of_row(self, row: Any) -> Features:
        """The features known after this row."""
        if isinstance(row, dict):
            if self._engine is None or self._features.columns is not None:
                return self._features.with_row(row, self._nominal())
            plain_row(row, self._features)
        if self._engine is None:
            return self._features.with_positions([[value] for value in row], self._nominal())
        if len(row) != len(self._features):
            raise ValueError(
                f"x has {len(row)} features, but this learner was built for {len(self._features)}"
            )
        return self._features.with_values(row)

    def _read_learning(self, X: Any) -> tuple[Features, list[NDArray[Any]]]:
        """The features known after ``X``, and ``X`` as checked matrices in their order."""
        features, blocks = self._align(X)
        for block in blocks:
            _core.check_matrix(block, features.nominal, True, features.columns, type(self).__name__)
        return features, blocks

    def _align(self, X: Any) -> tuple[Features, list[NDArray[Any]]]:
        if is_sparse(X):
            blocks = list(dense_blocks(X))
            width = X.shape[1]
        else:
            frame = read_frame(X)
            if frame is not None and (self._engine is None or self._features.columns is not None):
                known = {name: column for name, column in frame.items() if column is not None}
                features = self._features.with_columns(known, self._nominal())
                n_rows = X.shape[0]
                columns = [frame.get(name) for name in features.columns or ()]
                return features, [encode(features, columns, n_rows)]
            blocks = list(matrices(X, self._features))
            width = blocks[0].shape[1]
        if self._engine is None:
            return self._features.with_positions([()] * width, self._nominal()), blocks
        return self._features, blocks

    def _predict_matrix(self, X: Any, width: int) -> NDArray[np.float64]:
        self._require_start()
        assert self._engine is not None
        outputs = []
        for block in matrices(X, self._features):
            _core.check_matrix(
                block, self._features.nominal, False, self._features.columns,
                type(self).__name__,
            )  # fmt: skip
            outputs.append(np.empty((len(block), width)))
            self._engine.predict(block, outputs[-1])
        return np.concatenate(outputs) if outputs else np.empty((0, width))

    def _warn_if_frozen(self, was_frozen: bool, stacklevel: int = 3) -> None:
        if not was_frozen and self._engine is not None and self._engine.frozen:
            assert isinstance(self._parameters, Parameters), "only the paper's algorithm can freeze"
            warnings.warn(
                f"step_size={self._parameters.step_size} is so small that for a whole window no "
                "new shrub could enter the full ensemble: it will not follow a drift. Use a larger "
                "step_size or a smaller max_shrubs",
                FrozenEnsembleWarning,
                stacklevel=stacklevel,
            )

    # -- evaluation ------------------------------------------------------------------------------

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes of a stream, or classes that joined it later."""
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

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        self._require_start()
        assert self._engine is not None
        seconds = np.zeros(2)
        p_true = np.full(len(block), np.nan)
        if self._regression:
            predicted: Any = np.empty(len(block))
            self._engine.interleave_targets(block.X, learned.X, learned.y, predicted, seconds)
        else:
            predicted = np.empty(len(block), dtype=np.int64)
            self._engine.interleave_classes(
                block.X, block.y, learned.X, learned.y, predicted, p_true, seconds
            )
        return Outcome(predicted, p_true, float(seconds[0]), float(seconds[1]))

    # -- scikit-learn ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        return _sklearn.build_tags(regression=self._regression)

    def __sklearn_is_fitted__(self) -> bool:
        return self._engine is not None

    def __repr__(self) -> str:
        default = _sklearn.defaults(type(self))
        params = self.get_params()
        changed = [f"{name}={value!r}" for name, value in params.items()
                   if not _same(value, default[name])]  # fmt: skip
        return f"{type(self).__name__}({', '.join(changed)})"


_MOST_FEATURES = 16_384
_MOST_CLASSES = 65_535


def _check_shape(features: Features, classes: Classes) -> None:
    if len(features) > _MOST_FEATURES or len(classes) > _MOST_CLASSES:
        raise ValueError(
            f"a learner takes at most {_MOST_FEATURES} features and {_MOST_CLASSES} classes, "
            f"got {len(features)} and {len(classes)}"
        )


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def row_blocks(blocks: Sequence[NDArray[Any]]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Blocks with the index of their first row."""
    start = 0
    for block in blocks:
        yield start, block
        start += len(block)
