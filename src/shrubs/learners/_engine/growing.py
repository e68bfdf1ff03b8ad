"""A learner that grows with the stream: features, categories and classes may come at any time."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from shrubs import _core
from shrubs.learners import _sklearn
from shrubs.learners._engine.checks import check_integer
from shrubs.learners._engine.class_weights import check_weights_of, weigh_classes
from shrubs.learners._engine.estimator import Estimator
from shrubs.learners._engine.parameters import Engine, Parameters, Shape
from shrubs.learners._memory import GivenUp, MemoryReport, size_of
from shrubs.learners._tables import Everybody, add_positions, all_or_nothing
from shrubs.protocols import Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["GrowingLearner"]

_MAX_FEATURES = 16_384
_MAX_CLASSES = 65_535
# What the allocator and the interpreter take beside a learner's own bytes, whatever its size.
_BOOKKEEPING = 472
_BYTES_PER_WEIGHT = 12  # of a class, and how many of its examples are in the window


class GrowingLearner(Estimator, ABC):
    """An engine of the core with its tables, made at the first example and enlarged when needed.

    The owner keeps both. ``with self._owner as owner`` is the only way to them: it lets in one
    caller at a time, and whoever is in finds engine, tables and parameters in step.
    """

    _regression: ClassVar[bool]

    # Slots beside the dictionary of parameters. The features and classes of a stream that is
    # evaluated are its own; a learner looks at them while it has no room for all.
    __slots__ = ("_owner", "_stream")
    _owner: _core.Owner
    _stream: Schema | None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """A learner that has learned nothing; its constructor stores parameters only."""
        learner = super().__new__(cls)
        learner._owner = _core.Owner()
        learner._stream = None
        return learner

    @property
    def _engine(self) -> Engine | None:
        """The engine, for a look at it while nobody learns."""
        with self._owner as owner:
            return owner.engine

    @abstractmethod
    def _check_parameters(self) -> Parameters:
        """The parameters as they are now; raises for a wrong one."""

    def _parameters_in_force(self, owner: _core.Owner) -> Parameters:
        """Those that the learner began with, or will begin with."""
        in_force: Parameters | None = owner.parameters
        return in_force or self._check_parameters()

    def _require_engine(self, owner: _core.Owner) -> Engine:
        if owner.engine is None:
            self._check_parameters()
            raise _sklearn.not_fitted(self)
        return owner.engine

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
        owner = _core.Owner()
        admission = parameters.admission(owner)
        add_positions(owner.tables, [()] * n_features, (), admission)
        admission.announce([] if self._regression else range(n_classes))
        plan = parameters.plan(self._shape(owner))
        return _report(plan, self._object_bytes())

    @property
    def memory_bytes(self) -> int:
        """All bytes the learner keeps between two calls."""
        with self._owner as owner:
            engine = 0 if owner.engine is None else sum(owner.engine.report().values())
            return engine + self._table_bytes(owner) + self._object_bytes()

    def memory_report(self) -> MemoryReport:
        """All bytes the learner keeps between two calls, by purpose."""
        with self._owner as owner:
            if owner.engine is None:
                beside = owner.tables.memory_bytes + self._object_bytes()
                return MemoryReport(0, 0, 0, 0, 0, beside)
            beside = self._table_bytes(owner) + self._object_bytes()
            return _report(owner.engine.report(), beside, _given_up(owner.tables))

    def __sizeof__(self) -> int:
        return self.memory_bytes

    def _object_bytes(self) -> int:
        """Bytes of Python's objects: the learner, its parameters, the owner."""
        params = self.get_params()
        has_slots = all(hasattr(type(self), name) for name in params)
        own = object.__sizeof__(self) + _core.Owner.object_bytes
        # To look at a dictionary that is not needed would make one.
        own += 0 if has_slots else sys.getsizeof(self.__dict__)
        return own + size_of(*params.values()) + _BOOKKEEPING

    # -- growth ----------------------------------------------------------------------------------

    def _admission(self, owner: _core.Owner) -> Everybody:
        """Who decides what is let in."""
        return self._parameters_in_force(owner).admission(owner)

    def _grow(
        self, owner: _core.Owner, admission: Everybody, numbers: Sequence[int] | None = None
    ) -> Engine:
        """The engine for what the tables hold now, made or enlarged; raises if there is no room.

        What gave way for it is forgotten. Classes may have other ``numbers`` from now on.
        """
        in_force = self._parameters_in_force(owner)
        if in_force.class_weight is not None:
            check_weights_of(in_force.class_weight, owner.tables.labels())
        shape = replace(self._shape(owner), numbers=numbers)
        if owner.engine is None:
            parameters = in_force.with_seed()
            engine = parameters.new_engine(shape)
            owner.parameters = parameters
        else:
            parameters = owner.parameters
            engine = parameters.grown(owner.engine, shape)
        if engine is not owner.engine:
            owner.tables.set_full_until(0)  # in a shorter window a column may be free sooner
        owner.engine = engine
        admission.forget(engine)
        weigh_classes(owner)
        return engine

    def _let_idle_go(self, owner: _core.Owner, admission: Everybody) -> Sequence[int] | None:
        """Let classes go that are of no use; the numbers of all of them, None if none goes."""
        idle = admission.idle_classes()
        if not idle:
            return None
        with all_or_nothing(owner.tables):
            numbers = owner.tables.remove_labels(idle)
            self._grow(owner, admission, numbers)
        return numbers

    def _check_room(self, owner: _core.Owner) -> None:
        """Refuse what cannot fit before anything is learned."""
        self._parameters_in_force(owner).check_room(self._shape(owner))

    def _table_bytes(self, owner: _core.Owner) -> int:
        """Bytes of the tables and of the weights of classes."""
        is_weighed = self._parameters_in_force(owner).class_weight is not None
        n_weights = owner.tables.n_classes if is_weighed else 0
        return int(owner.tables.memory_bytes) + _BYTES_PER_WEIGHT * n_weights

    def _shape(self, owner: _core.Owner) -> Shape:
        tables = owner.tables
        if len(tables) > _MAX_FEATURES or tables.n_classes > _MAX_CLASSES:
            raise ValueError(
                f"a learner takes at most {_MAX_FEATURES} features and {_MAX_CLASSES} classes, "
                f"got {len(tables)} and {tables.n_classes}"
            )
        return Shape(
            tables.nominal, tables.n_classes, self._table_bytes(owner), self._object_bytes()
        )

    def _nominal(self, owner: _core.Owner) -> Sequence[Hashable]:
        """The features that were declared nominal."""
        return tuple(self._parameters_in_force(owner).nominal_features or ())


def _report(plan: dict[str, int], beside: int, given_up: GivenUp | None = None) -> MemoryReport:
    parts = {name: size for name, size in plan.items() if name != "object"}
    tables = plan["object"] + beside
    return MemoryReport(**parts, tables=tables, given_up=given_up or GivenUp())


def _given_up(tables: _core.Tables) -> GivenUp:
    counts = tables.given_up
    return GivenUp(
        features_left_out=counts.left_out,
        features_passed_over=counts.passed_over,
        features_forgotten=counts.forgotten_features,
        classes_forgotten=counts.forgotten_classes,
        features_without_texts=len(tables.crowd()[0]),
    )
