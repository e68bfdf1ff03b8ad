"""What all ensembles of shrubs share, whether they learn labels or targets."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.atomic_file import write_atomically
from shrubs.learners import _sklearn
from shrubs.learners._dates import known_features, spread_row
from shrubs.learners._engine import saving
from shrubs.learners._engine.class_weights import check_weights_of, weigh_classes
from shrubs.learners._engine.drifts import drifts_of
from shrubs.learners._engine.frozen import warn_if_frozen
from shrubs.learners._engine.growing import GrowingLearner
from shrubs.learners._engine.inspection import feature_importances, shrubs_of, votes_on
from shrubs.learners._engine.labels import learn_first
from shrubs.learners._engine.reading import (
    add_input,
    as_rows,
    plain_row,
    sift_part,
    spread_input,
)
from shrubs.learners._engine.sample_weights import SampleWeights
from shrubs.learners._inputs import Frame, Rows, check_lengths, read_input
from shrubs.learners._notebook import classes_in_words, describe
from shrubs.learners._tables import (
    Everybody,
    Newcomer,
    add_row,
    all_or_nothing,
    as_array,
    check_names,
    feature_names,
)
from shrubs.learners.contract import Contract
from shrubs.learners.drift import Drift
from shrubs.learners.shrub import Shrub, Vote
from shrubs.learners.snapshot import Snapshot
from shrubs.messages import shown
from shrubs.notebook import card
from shrubs.protocols import Block, Row, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ShrubEnsemble"]

_UNIT = 1.0


class ShrubEnsemble(GrowingLearner):
    """The part of the learners that does not depend on the task."""

    # -- one example -----------------------------------------------------------------------------

    def learn_one(self, x: Row, y: Any, weight: float = _UNIT) -> Self:
        """Learn one example.

        Args:
            x: the features, by name or by position.
            y: a label: text, number, boolean, bytes, or a tuple or frozenset of those. For a
                regression, a finite number.
            weight: 0 to 1000. The example is learned so many times in turn; a fraction is made up
                for over the examples.
        """
        if weight is not _UNIT and (type(weight) is not float or weight != _UNIT):
            self._learn_weighted(x, y, SampleWeights.of_one(weight))
        elif not self._learn_known(x, y):
            self._learn_new(x, y)
        return self

    def _learn_known(self, x: Row, y: Any) -> bool:
        """Learn an example that brings nothing new; False, with nothing changed, if it does."""
        learned = self._owner.learn_one(x, y)
        if learned > 1:
            with self._owner as owner:
                self._let_idle_go(owner, self._admission(owner))
        return learned > 0

    def _learn_weighted(self, x: Row, y: Any, weight: SampleWeights) -> None:
        with self._owner as owner:
            n_before = owner.n_fractions
        for _ in weight.rows(n_before):
            self.learn_one(x, y)
        with self._owner as owner:
            owner.n_fractions = n_before + weight.n_fractions

    def _learn_new(self, x: Row, y: Any) -> None:
        """Learn an example with a feature, category, class or kind of row not met before."""
        row, outcome = plain_row(x), self._plain_outcome(y)
        with self._owner as owner:
            nominal = self._nominal(owner)
            row = spread_row(owner.tables, row, nominal, learning=True)
            had_dates = owner.tables.has_dates
        if had_dates and self._learn_known(row, outcome):
            return
        with self._owner as owner:
            admission = self._admission(owner)
            warn_if_frozen(owner, stacklevel=3)
            with all_or_nothing(owner.tables):
                add_row(owner.tables, row, nominal, admission)
                is_first = self._is_new(owner.tables, outcome)
                learned = self._add_outcome(admission, outcome)
                features = owner.tables.read(known_features(owner.tables, row))
                admission.warn(stacklevel=3)
                engine = self._grow(owner, admission)
            if is_first:
                learn_first(engine, features, learned)
            else:
                engine.learn_many(features, learned)
            admission.sift([row], learned.tolist())
            self._note(owner, learned, is_first=is_first)
            self._let_idle_go(owner, admission)

    @abstractmethod
    def _plain_outcome(self, y: Any) -> Any:
        """A label or target without any wrapping; raises for a wrong one."""

    def _is_new(self, tables: _core.Tables, outcome: Any) -> bool:
        """Whether it is a label that has no class yet."""
        return False

    def _note(self, owner: _core.Owner, learned: NDArray[Any], *, is_first: bool) -> None:
        """Classes came again."""

    @abstractmethod
    def _add_outcome(self, admission: Everybody, outcome: Any) -> NDArray[Any]:
        """A class index, of a class that may be new, or a target; as the engine takes it."""

    def predict_one(self, x: Row) -> Any:
        """The most likely label, or the target, of one example; before the first, None or 0."""
        found = self._owner.predict_one(x)
        if found is None:
            found = self._predict_plain(x, _core.Owner.predict_one)
        return found[0] if found else 0.0 if self._regression else None

    def _predict_plain(self, x: Row, predict: Callable[[_core.Owner, Any], Any]) -> Any:
        """The prediction for a row that the core could not read; None before the first example."""
        with self._owner as owner:
            if owner.engine is None:
                self._check_parameters()
                return None
        row = plain_row(x)
        with self._owner as owner:
            check_names(owner.tables, row)
            row = spread_row(owner.tables, row, (), learning=False)
        return predict(self._owner, row)

    def explain_one(self, x: Row) -> list[Vote]:
        """The rule by which each shrub votes on ``x``, the heaviest first."""
        self.predict_one(x)  # refuses what cannot be predicted
        row = plain_row(x)
        with self._owner as owner:
            if owner.engine is None:
                return []
            row = spread_row(owner.tables, row, (), learning=False)
            labels = None if self._regression else owner.tables.labels()
            return votes_on(row, owner.engine, owner.tables, labels)

    # -- many examples ---------------------------------------------------------------------------

    @abstractmethod
    def _learn_many(self, X: Any, y: Any, *others: Any) -> None:
        """Learn rows in order."""

    def _learn_weighed(self, X: Any, y: NDArray[Any], sample_weight: Any, *others: Any) -> None:
        """Learn each row as often as its weight says."""
        read = read_input(X)
        check_lengths(read.n_rows, len(y))
        weights = SampleWeights.of_many(sample_weight, len(y))
        with self._owner as owner:
            n_before = owner.n_fractions
        rows = weights.rows(n_before)
        if len(rows) or others[0] is not None:  # classes are announced in any case
            self._learn_many(read.take(rows), y[rows], *others)
        with self._owner as owner:
            owner.n_fractions = n_before + weights.n_fractions

    def _parts(
        self, owner: _core.Owner, X: Frame | Rows, admission: Everybody
    ) -> Iterator[Frame | Rows]:
        """``X`` in parts that bring new features as single rows would; wrong values raise first.

        The caller learns each part before it asks for the next.
        """
        X = spread_input(owner.tables, X, self._nominal(owner), learning=True)
        start = 0
        while isinstance(X, Frame) and X.named and owner.tables.named is not False:
            rest = X.part(start, X.n_rows) if start else X
            n_rows = self._rows_alike(owner, rest, admission)
            if n_rows is None:
                yield rest
                return
            if start == 0:
                self._check_whole(owner, X)
            yield rest.part(0, min(n_rows, rest.n_rows))
            start += n_rows
            if start >= X.n_rows:
                return
        yield from self._sifted_parts(owner, X, admission)

    def _sifted_parts(
        self, owner: _core.Owner, X: Frame | Rows, admission: Everybody
    ) -> Iterator[Frame | Rows]:
        """The same of rows by position, where columns may change from part to part."""
        width = len(X.columns) if isinstance(X, Frame) else X.shape[1]
        start = 0
        while True:
            n_rows = admission.rows_sifted(width)
            if n_rows is None or start + n_rows >= X.n_rows:
                yield X.part(start, X.n_rows) if start else X
                return
            if start == 0:
                self._check_whole(owner, X)
            yield X.part(start, start + n_rows)
            start += n_rows

    def _blocks(
        self,
        owner: _core.Owner,
        rows: tuple[Frame | Rows, Rows],
        parts: Iterator[Frame | Rows],
        lesson: tuple[Everybody, Callable[[slice], Any]],
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Which rows, and they themselves: those of the first part, then of the others.

        Args:
            owner: of the engine.
            rows: the first part, as it came and as it is learned.
            parts: the others.
            lesson: who is let in, and the outcomes of rows that were learned.
        """
        (part, known), (admission, outcomes) = rows, lesson
        start = 0
        while True:
            for where, block in known:
                yield slice(start + where.start, start + where.stop), block
            if owner.tables.n_slots:
                sift_part(admission, part, outcomes(slice(start, start + known.n_rows)))
            start += known.n_rows
            following = next(parts, None)
            if following is None:
                return
            part = following
            with all_or_nothing(owner.tables):
                known = self._add_rows(owner, part, admission)
                admission.warn(stacklevel=5)
                self._grow(owner, admission)

    def _rows_alike(self, owner: _core.Owner, X: Frame, admission: Everybody) -> int | None:
        """How many rows can be learned with the features that there are, or come now."""
        tables = owner.tables
        new = [
            name
            for name, column in X.columns.items()
            if column is not None and tables.column(name) is None
        ]
        n_sifted = admission.rows_sifted(list(X.columns))
        n_rows = admission.rows_alike(len(new))
        if n_rows is None:
            return n_sifted
        n_rows = max(X.first_row_with(new), n_rows)
        return n_rows if n_sifted is None else min(n_rows, n_sifted)

    def _check_whole(self, owner: _core.Owner, X: Frame | Rows) -> None:
        """Raise for what cannot be learned before any part is."""
        before = owner.tables.mark()
        try:
            self._add_rows(owner, X, Everybody(owner.tables))
        finally:
            owner.tables.go_back_to(before)

    def _add_rows(self, owner: _core.Owner, X: Frame | Rows, admission: Everybody) -> Rows:
        """Add the features of ``X`` to the tables; ``X`` in their order, checked for learning."""
        add_input(owner.tables, X, self._nominal(owner), admission)
        rows = as_rows(owner.tables, X, learning=True)
        for _, block in rows:
            _core.check_matrix(block, owner.tables, True, type(self).__name__)
        return rows

    def _predict_matrix(self, X: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """f(x) by row, and the labels of the columns."""
        with self._owner as owner:
            self._require_engine(owner)
        read = read_input(X)
        with self._owner as owner:
            engine = self._require_engine(owner)
            outputs = [np.empty((0, 1 if self._regression else engine.n_classes))]
            read = spread_input(owner.tables, read, learning=False)
            for _, block in as_rows(owner.tables, read, learning=False):
                _core.check_matrix(block, owner.tables, False, type(self).__name__)
                outputs.append(engine.predict_many(block))
            return np.concatenate(outputs), as_array(owner.tables.labels())

    def _read_blocks(self, owner: _core.Owner, *blocks: Block) -> list[NDArray[np.float32]]:
        """The features of blocks of an evaluation; raises for what cannot be learned."""
        matrices = [as_rows(owner.tables, Rows(block.X), learning=True).matrix for block in blocks]
        for matrix in matrices:
            _core.check_matrix(matrix, owner.tables, True, type(self).__name__)
        return matrices

    def _interleaved(
        self, owner: _core.Owner, block: Block, learned: Block
    ) -> Iterator[tuple[slice, NDArray[np.float32], slice, NDArray[np.float32]]]:
        """Which rows to predict, and they themselves; the same of those to learn.

        Where there are more features than columns, these may change from part to part.
        """
        if not owner.tables.n_slots:
            X, X_learned = self._read_blocks(owner, block, learned)
            yield slice(0, len(block)), X, slice(0, len(learned)), X_learned
            return
        n_early, start = len(block) - len(learned), 0
        while start == 0 or start < len(learned):
            stop = min(start + owner.tables.n_alike, len(learned))
            now, then = slice(start + n_early if start else 0, stop + n_early), slice(start, stop)
            parts = (
                Block(all_of.X[rows], all_of.y[rows])
                for all_of, rows in ((block, now), (learned, then))
            )
            X, X_learned = self._read_blocks(owner, *parts)
            yield now, X, then, X_learned
            self._sift_block(owner, learned.X[then], learned.y[then])
            start = max(stop, 1)

    def _sift_block(self, owner: _core.Owner, X: Any, y: NDArray[Any]) -> None:
        """Look at rows of an evaluation that were learned, and give columns to those called."""
        admission, tables = self._admission(owner), owner.tables
        admission.sift_matrix(X, y)
        features = self._stream.features if self._stream else ()
        if tables.calls() and len(features) == tables.width:
            nominal = {i for i, feature in enumerate(features) if feature.nominal}
            with all_or_nothing(tables):
                for position, column, _ in admission.called(nominal):
                    tables.replace_feature(column, features[position].name, False, position)
                self._grow(owner, admission)

    def _replace_by(self, other: Self) -> Self:
        """Forget everything and go on as another learner of the same parameters."""
        self._owner = other._owner
        return self

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes of a stream, or classes that joined it later."""
        with self._owner as owner:
            self._parameters_in_force(owner)
            if (schema.classes is None) != self._regression:
                task = "a regression" if schema.classes is None else "a classification"
                raise ValueError(f"{type(self).__name__} cannot learn {task}")
            admission = self._admission(owner)
            with all_or_nothing(owner.tables):
                if owner.engine is None:
                    self._announce_features(owner.tables, schema, admission)
                self._announce_classes(owner, schema, admission)
                self._grow(owner, admission)
            n_classes = len(schema.classes or ())
            is_crowded = owner.tables.n_slots or owner.tables.n_classes < n_classes
            self._stream = schema if is_crowded else None

    def _announce_classes(self, owner: _core.Owner, schema: Schema, admission: Everybody) -> None:
        """Add the classes of a stream, if it has any."""

    def _announce_features(
        self, tables: _core.Tables, schema: Schema, admission: Everybody
    ) -> None:
        newcomers = [Newcomer(f.name, f.nominal, False) for f in schema.features]
        position_of: dict[Hashable, int] = {f.name: i for i, f in enumerate(schema.features)}
        tables.named = True
        kept = []
        for newcomer, _ in admission.places(newcomers, ()):
            tables.add_feature(newcomer.name, newcomer.nominal, False)
            kept.append(position_of[newcomer.name])
        if len(kept) < len(newcomers):
            tables.keep(len(newcomers), kept)

    # -- what can be seen ------------------------------------------------------------------------

    @property
    def n_shrubs(self) -> int:
        """The number of shrubs in the ensemble."""
        with self._owner as owner:
            return 0 if owner.engine is None else int(owner.engine.n_shrubs)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the shrubs, oldest first, ``(n_shrubs,)``.

        They sum to one, together with those of the ``companions``.
        """
        with self._owner as owner:
            weights = [] if owner.engine is None else owner.engine.weights()
            return np.array(weights, dtype=np.float64)

    @property
    def companions(self) -> dict[str, float]:
        """The weights of the experts that are no shrubs; the paper's algorithm has none."""
        with self._owner as owner:
            engine = owner.engine
            return engine.companions() if isinstance(engine, _core.AutoLearner) else {}

    @property
    def examples_seen(self) -> int:
        """How many examples have been learned."""
        with self._owner as owner:
            return 0 if owner.engine is None else int(owner.engine.examples_seen)

    @property
    def n_features_in_(self) -> int:
        """The number of features known so far."""
        with self._owner as owner:
            self._require_engine(owner)
            return int(owner.tables.width)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the features, where they have names."""
        with self._owner as owner:
            self._require_engine(owner)
            names = owner.tables.names()
        if names is None:
            raise AttributeError("the features of this learner have no names")
        return np.array(names, dtype=object)

    @property
    def shrubs(self) -> list[Shrub]:
        """The shrubs as plain data, oldest first."""
        with self._owner as owner:
            return self._shrubs(owner)

    def _shrubs(self, owner: _core.Owner) -> list[Shrub]:
        labels = None if self._regression else owner.tables.labels()
        return [] if owner.engine is None else shrubs_of(owner.engine, owner.tables, labels)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each feature lowers the impurity of the current window, ``(n_features,)``.

        Every shrub is applied to the window as it is now; its splits' impurity decreases are
        summed by feature and weighted like the shrub. They sum to one unless all are zero.
        """
        with self._owner as owner:
            engine = self._require_engine(owner)
            found = feature_importances(engine, None if self._regression else engine.n_classes)
            importances = np.zeros(owner.tables.width)
            importances[
                np.arange(len(found)) if owner.tables.kept is None else owner.tables.kept
            ] = found
            return importances

    @property
    def drifts(self) -> list[Drift] | None:
        """The changes of concept noticed so far, oldest first; at most the last 16.

        None for a learner that does not watch: the paper's algorithm, or one with little memory.
        """
        with self._owner as owner:
            labels = None if self._regression else owner.tables.labels()
            return None if owner.engine is None else drifts_of(owner.engine, owner.tables, labels)

    def members(self) -> list[tuple[int, float]]:
        """When each shrub was born and its weight now, oldest first."""
        with self._owner as owner:
            return [] if owner.engine is None else owner.engine.members()

    def text_features(self) -> list[Hashable]:
        """The features whose categories are texts."""
        with self._owner as owner:
            names = feature_names(owner.tables)
            return [name for column, name in enumerate(names) if owner.tables.has_texts(column)]

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        title, facts = shown(self), {"bytes": f"{self.memory_bytes:,}"}
        companions = {name: f"{weight:.3f}" for name, weight in self.companions.items()}
        with self._owner as owner:
            if not self._regression:
                facts["classes"] = classes_in_words(owner.tables.labels())
            if owner.engine is None:
                return card(title, {"examples": "0", **facts})
            return describe(title, {**facts, **companions}, owner.engine, self._shrubs(owner))

    def snapshot(self) -> Snapshot:
        """An immutable predictor that another thread can use while learning goes on."""
        with self._owner as owner:
            core = self._require_engine(owner).snapshot(owner.tables)
        return Snapshot(core, regression=self._regression)

    # -- saving ----------------------------------------------------------------------------------

    def to_bytes(self, *, contract: Contract | None = None) -> bytes:
        """The byte state: parameters, window, shrubs, weights, names and labels.

        Args:
            contract: what else to keep, about the rows; `shrubs.live.Model` reads it again.
        """
        with self._owner as owner:
            engine, parameters = owner.engine, owner.parameters
            if engine is None:
                parameters = self._check_parameters().with_seed()
                engine = parameters.new_engine(self._shape(owner))
            described = {name: getattr(parameters, name) for name in self.get_params()}
            tables = saving.encode_tables(type(self).__name__, described, owner, contract)
            return engine.to_state(tables)

    @classmethod
    def from_bytes(cls, state: bytes, *, max_bytes: int = saving.DEFAULT_MAX_BYTES) -> Self:
        """The learner of a byte state; it goes on as if it had never stopped.

        Raises ValueError for bytes that are no state, are damaged, come from a newer version, or
        would need more than ``max_bytes`` once loaded.
        """
        described = saving.read_tables(state, max_bytes)
        saving.decode_contract(described)  # raises for a wrong one
        if described.get("learner") != cls.__name__:
            raise ValueError(
                f"this is a saved {shown(described.get('learner'))}, not a {cls.__name__!r}; "
                "shrubs.load takes either"
            )
        engine = saving.load_engine(state, max_bytes)
        params, tables, n_fractions = saving.decode_tables(described, engine)
        try:
            learner = cls(**params)
            parameters = learner._check_parameters()
        except TypeError:
            raise saving.invalid("its parameters are unknown") from None
        if not parameters.describes(engine):
            raise saving.invalid("its parameters do not fit its shrubs")
        if engine.examples_seen or tables.named or len(tables) or tables.n_classes:
            learner._owner = _core.Owner(engine, parameters, tables)
            if not parameters.admission(learner._owner).has_fitting_sieve:
                raise saving.invalid("it looks at more features than its memory is for")
            check_weights_of(parameters.class_weight, tables.labels())
            weigh_classes(learner._owner)
        learner._owner.n_fractions = n_fractions
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
        """The attributes, and the byte state in place of the owner."""
        with self._owner as owner:
            begun = owner.engine is not None
        kept = {**self.get_params(), **self.__dict__}
        return {**kept, "_learned": self.to_bytes() if begun else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        learned = state.pop("_learned")
        for name, value in state.items():
            setattr(self, name, value)
        if learned is not None:
            self._owner = type(self).from_bytes(learned, max_bytes=saving.NO_LIMIT)._owner

    # -- scikit-learn ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        return _sklearn.build_tags(regression=self._regression)

    def __sklearn_is_fitted__(self) -> bool:
        with self._owner as owner:
            return owner.engine is not None
