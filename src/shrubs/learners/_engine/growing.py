"""A learner that grows with the stream: features, categories and classes may come at any time."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import ClassVar

from shrubs.learners import _sklearn
from shrubs.learners._engine.checks import check_integer
from shrubs.learners._engine.estimator import Estimator
from shrubs.learners._engine.parameters import Engine, Parameters, Shape
from shrubs.learners._memory import MemoryReport, size_of
from shrubs.learners._tables import Classes, Features

__all__ = ["GrowingLearner"]

_MAX_FEATURES = 16_384
_MAX_CLASSES = 65_535


class GrowingLearner(Estimator, ABC):
    """An engine of the core with its tables, made at the first example and enlarged when needed."""

    _regression: ClassVar[bool]

    # Class attributes, so that a new learner has its parameters and nothing else.
    _engine: Engine | None = None
    _parameters: Parameters  # those that the learner began with
    _features: Features = Features()
    _classes: Classes = Classes()

    @abstractmethod
    def _check_parameters(self) -> Parameters:
        """The parameters as they are now; raises for a wrong one."""

    def _parameters_in_force(self) -> Parameters:
        """Those that the learner began with, or will begin with."""
        return self._check_parameters() if self._engine is None else self._parameters

    def _require_engine(self) -> Engine:
        if self._engine is None:
            raise _sklearn.not_fitted(self)
        return self._engine

    # -- memory ----------------------------------------------------------------------------------

    def plan(self, *, n_features: int, n_classes: int = 2) -> MemoryReport:
        """The most bytes this configuration will ever take, known before the first example.

        Names of features, categories and labels come on top; they are yours, not ours to foresee.

        Args:
            n_features: the number of features, at least 0.
            n_classes: the number of classes (ignored by a regression), at least 1.
        """
        parameters = self._check_parameters()
        check_integer("n_features", n_features, 0, _MAX_FEATURES)
        check_integer("n_classes", n_classes, 1, _MAX_CLASSES)
        features = Features(None, bytes(n_features), (None,) * n_features)
        classes = Classes() if self._regression else Classes(tuple(range(n_classes)))
        plan = parameters.plan(self._shape(parameters, features, classes))
        return _report(plan, self._table_bytes(Features(), Classes()))

    @property
    def memory_bytes(self) -> int:
        """All bytes the learner keeps between two calls."""
        return self.memory_report().total

    def memory_report(self) -> MemoryReport:
        """All bytes the learner keeps between two calls, by purpose."""
        tables = self._table_bytes(self._features, self._classes)
        if self._engine is None:
            return MemoryReport(0, 0, 0, 0, 0, tables)
        return _report(self._engine.report(), tables)

    def __sizeof__(self) -> int:
        return self.memory_bytes

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

    # -- growth ----------------------------------------------------------------------------------

    def _adopt(self, features: Features, classes: Classes) -> Engine:
        """Go on with these features and classes; the engine grows if there are more of them."""
        engine = self._engine
        if engine is None:
            engine, self._parameters = self._new_engine(features, classes)
        elif features is not self._features or len(classes) != engine.n_classes:
            shape = self._shape(self._parameters, features, classes)
            engine = self._parameters.grown(engine, shape)
        self._install(engine, features, classes)
        return engine

    def _new_engine(self, features: Features, classes: Classes) -> tuple[Engine, Parameters]:
        parameters = self._check_parameters().with_seed()
        return parameters.new_engine(self._shape(parameters, features, classes)), parameters

    def _install(self, engine: Engine, features: Features, classes: Classes) -> None:
        engine.set_tables(
            features.columns, list(features.categories), classes.indices, list(classes.labels)
        )
        self._engine, self._features, self._classes = engine, features, classes

    def _check_room(self, features: Features, classes: Classes) -> None:
        """Refuse what cannot fit before anything is learned."""
        begun = self._engine is not None
        if begun and features is self._features and classes is self._classes:
            return  # It fitted before.
        parameters = self._parameters_in_force()
        parameters.check_room(self._shape(parameters, features, classes))

    def _shape(self, parameters: Parameters, features: Features, classes: Classes) -> Shape:
        if len(features) > _MAX_FEATURES or len(classes) > _MAX_CLASSES:
            raise ValueError(
                f"a learner takes at most {_MAX_FEATURES} features and {_MAX_CLASSES} classes, "
                f"got {len(features)} and {len(classes)}"
            )
        table_bytes = self._table_bytes(features, classes)
        room = parameters.table_room(features, classes, table_bytes)
        return Shape(features.nominal, len(classes), room)

    @property
    def _known_features(self) -> Features | None:
        """None before the first example, which decides whether features have names."""
        return None if self._engine is None else self._features

    def _nominal(self) -> Sequence[Hashable]:
        """The features that were declared nominal."""
        return tuple(self._parameters_in_force().nominal_features or ())


def _report(plan: dict[str, int], tables: int) -> MemoryReport:
    parts = {name: size for name, size in plan.items() if name != "object"}
    return MemoryReport(**parts, tables=plan["object"] + tables)
