"""Who gets a place in a learner without tuning once memory is short, and who gives way."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs import _core
from shrubs.learners._engine.room import AT_ONCE, MANY_CLASSES, MAX_WAITING, Room
from shrubs.learners._tables import Everybody, Newcomer
from shrubs.messages import shown

__all__ = ["Admission", "MemoryFullWarning"]

# Beyond this share of the classes that there is room for, one that came only once gives way to the
# next one that is new.
_NEW_SHARE = 4
# Those that came once and are not in the window go by themselves when they are this share of all,
# and so many to one that is: otherwise others soon take their places.
_IDLE_SHARE = 4
_IDLE_PER_RECENT = 8


class MemoryFullWarning(UserWarning):
    """There was no room for all features, classes or categories; ``memory_report`` has details."""


class Admission(Everybody):
    """Lets in what there is room for, and remembers what the engine has to forget for that.

    A new feature takes the column of one that no example of the window has; where more come at once
    than fit, one that tells something that of the one that tells least. A new class takes the place
    of one that came only once, or of the one that has not come for longest.
    """

    def __init__(self, owner: _core.Owner, room: Room, memory_limit: int | str) -> None:
        super().__init__(owner.tables)
        self._owner = owner
        self._room = room
        self._limit = memory_limit
        self._features: list[int] = []
        self._classes: list[int] = []
        owner.tables.set_room(
            room.name_bytes, room.category_bytes, room.key_bytes, room.n_waiting, room.is_for_few
        )

    def places(
        self, newcomers: Sequence[Newcomer], present: Collection[int]
    ) -> Iterator[tuple[Newcomer, int | None]]:
        """See `Everybody`."""
        if self._tables.kept is not None:
            self.refuse_calls()
        if self._owner.engine is None or len(self._tables) == 0:
            yield from self._first(newcomers)
        elif newcomers:
            yield from self._later(newcomers, present)

    def positions(self, nominal: Sequence[bool]) -> list[int] | None:
        """See `Everybody`."""
        n = len(nominal)
        if n <= self._room.n_at_once:
            return None
        order = self._begin_sieve(nominal)
        self._tables.set_left_out(n - self._room.n_chosen)
        return sorted(order[: self._room.n_chosen])

    def called(self, nominal: Collection[Hashable]) -> Iterator[tuple[int, int, bool]]:
        """See `Everybody`."""
        for position, texts, score in self._tables.calls():
            column = self._column_for(score, nominal=texts or position in nominal)
            self._tables.answer_call(position, column)
            if column is not None:
                self._features.append(column)
                yield position, column, texts

    def refuse_calls(self) -> None:
        """See `Everybody`."""
        for call in self._tables.calls():
            self._tables.answer_call(call[0], None)

    def rows_alike(self, n_new: int) -> int | None:
        """See `Everybody`."""
        engine, tables = self._owner.engine, self._tables
        if engine is None or n_new == 0 or len(tables) + n_new <= AT_ONCE:
            return None
        return max(tables.full_until - engine.examples_seen, 1)

    def rows_sifted(self, names: Sequence[Hashable] | int) -> int | None:
        """See `Everybody`."""
        tables, room = self._tables, self._room
        if tables.n_slots:
            # Who is called by name gets a column with the next row that has it.
            return 1 if tables.calls() and tables.kept is None else tables.n_alike
        if self._owner.engine is not None or not room.n_slots:
            return None
        if isinstance(names, int):
            return tables.n_alike if names > room.n_at_once else None
        chosen = tables.choose(list(names), list(range(len(names))), room.n_at_once)
        return tables.n_alike if len(chosen) < len(names) else None

    @property
    def has_fitting_sieve(self) -> bool:
        """See `Everybody`."""
        return self._tables.n_slots in (0, self._room.n_slots)

    def sift(self, rows: Iterable[Any], outcomes: Sequence[float]) -> None:
        """See `Everybody`."""
        if self._tables.n_slots:
            surprises, n = self._surprises, len(outcomes)
            for i, (row, outcome) in enumerate(zip(rows, outcomes, strict=True)):
                self._tables.sift(row, float(outcome), bool(surprises >> (n - 1 - i) & 1))

    def sift_matrix(self, X: NDArray[Any], outcomes: Sequence[float]) -> None:
        """See `Everybody`."""
        if self._tables.n_slots:
            y = np.asarray(outcomes, dtype=np.float64)
            self._tables.sift_many(X, y, self._surprises)

    @property
    def _surprises(self) -> int:
        engine = self._owner.engine
        return engine.surprises if isinstance(engine, _core.AutoLearner) else 0

    def class_of(self, label: Hashable) -> int:
        """See `Everybody`."""
        tables, engine = self._tables, self._owner.engine
        known = tables.class_of(label)
        if known is not None:
            return known
        comes_again, gives_way = tables.has_given_way(label), None
        if isinstance(engine, _core.AutoLearner):
            gives_way = self._class_that_gives_way(engine, comes_again=comes_again)
        if gives_way is None:
            c = tables.add_label(label)
        else:
            c = gives_way
            tables.replace_label(c, label)
            self._classes.append(c)
        if not comes_again:
            tables.once = sorted({*tables.once, c})
        return c

    def idle_classes(self) -> list[int]:
        """See `Everybody`; classes that came once, long ago, where they are a share of many."""
        engine, n_classes = self._owner.engine, self._tables.n_classes
        if (
            not isinstance(engine, _core.AutoLearner)
            or self.rows_until_look() != engine.window_size
        ):
            return []
        _, counts = engine.since_class()
        idle = [c for c in self._tables.once if counts[c] == 0]
        n_recent = len(self._tables.once) - len(idle)
        are_many = len(idle) >= max(n_classes // _IDLE_SHARE, _IDLE_PER_RECENT * n_recent)
        return idle if are_many else []

    def rows_until_look(self) -> int | None:
        """See `Everybody`; once in a window, where there are many classes."""
        engine = self._owner.engine
        if not isinstance(engine, _core.AutoLearner) or engine.n_classes < MANY_CLASSES:
            return None
        return int(engine.window_size - engine.examples_seen % engine.window_size)

    def announce(self, labels: Sequence[Hashable]) -> None:
        """See `Everybody`; as far as there is room."""
        tables = self._tables
        for label in labels:
            if tables.class_of(label) is None and tables.n_classes < self._room.n_classes:
                tables.add_label(label)

    def check(self, labels: Sequence[Hashable], has_room: Callable[[], None]) -> None:
        """See `Everybody`; there is always room."""

    @property
    def examples_seen(self) -> int:
        """See `Everybody`."""
        return 0 if self._owner.engine is None else int(self._owner.engine.examples_seen)

    def forget(self, engine: _core.AutoLearner) -> None:
        """See `Everybody`."""
        for column in self._features:
            engine.forget_feature(column)
        if self._classes:
            gone = set(self._classes)
            engine.renumber_classes([-1 if c in gone else c for c in range(engine.n_classes)])
            self._tables.set_full_until(0)  # examples go, and a column may be free sooner
        self._features, self._classes = [], []

    def warn(self, *, stacklevel: int) -> None:
        """See `Everybody`; once."""
        owner = self._owner
        if owner.has_warned or not owner.tables.has_given_up():
            return
        owner.has_warned = True
        warnings.warn(
            f"memory_limit={shown(self._limit)} has no room for all that the stream "
            "brings: the least useful gives way. memory_report().given_up says what, and a larger "
            "memory_limit keeps more",
            MemoryFullWarning,
            stacklevel=stacklevel + 1,
        )

    def _class_that_gives_way(self, engine: _core.AutoLearner, *, comes_again: bool) -> int | None:
        """One that came once, long ago as classes go, or was the last that was new.

        Another one only if there must be one: the stalest.
        """
        tables, n_classes, most = self._tables, self._tables.n_classes, self._room.n_classes
        if n_classes < min(MANY_CLASSES, most):
            return None
        since, _ = engine.since_class()
        rare = np.full(n_classes, -1)
        rare[tables.once] = since[tables.once]
        if rare.max() > n_classes:
            return int(np.argmax(rare))
        stalest = int(np.argmax(since)) if n_classes >= most else None
        if n_classes < max(MANY_CLASSES, most // _NEW_SHARE) or comes_again:
            return stalest
        newcomer = tables.newcomer
        if newcomer is not None and rare[newcomer] >= 0:
            return int(newcomer)
        tables.newcomer = n_classes if stalest is None else stalest
        return stalest

    def _first(self, newcomers: Sequence[Newcomer]) -> Iterator[tuple[Newcomer, None]]:
        """As many as there is room for, from all of them."""
        names = [newcomer.name for newcomer in newcomers]
        chosen = self._tables.choose(names, _shuffled(len(names)), self._room.n_at_once)
        if len(chosen) < len(names):
            order = self._begin_sieve([newcomer.nominal for newcomer in newcomers])
            chosen = self._tables.choose(names, order, self._room.n_chosen)
            self._tables.set_left_out(len(names) - len(chosen))
        for i in chosen:
            yield newcomers[i], None

    def _later(
        self, newcomers: Sequence[Newcomer], present: Collection[int]
    ) -> Iterator[tuple[Newcomer, int | None]]:
        engine = self._owner.engine
        assert isinstance(engine, _core.AutoLearner)
        since = engine.since_present()
        free = [c for c in np.flatnonzero(since == engine.window_size).tolist() if c not in present]
        n_left_out = n_waiting = 0
        calls = {call[0]: call for call in self._tables.calls()}
        for newcomer in newcomers:
            column = self._answer(newcomer, calls)
            if column is not None:
                yield newcomer, column
                free = [c for c in free if c != column]
                continue
            is_full = self._is_full() or not self._tables.has_room_for(newcomer.name)
            is_early = len(self._tables) < AT_ONCE
            if not is_full and is_early:
                yield newcomer, None
            elif is_full and not free:
                n_left_out += 1
            elif not (is_early or self._comes_again(newcomer, n_waiting)):
                n_waiting += 1
            else:
                column = self._take(newcomer, free)
                if column is None and is_full:
                    n_left_out += 1
                else:
                    yield newcomer, column
        self._note(n_left_out, engine.examples_seen, engine.window_size - since.max(initial=0))

    def _begin_sieve(self, nominal: Sequence[bool]) -> list[int]:
        """Look at all features from now on; returns them in the order that they get columns.

        Both kinds get half of the columns, or as many as they can use.
        """
        order = _shuffled(len(nominal))
        if not self._room.n_slots:
            return order
        self._tables.begin_sieve(self._room.n_slots, self._room.n_columns)
        kinds = [[i for i in order if nominal[i] == kind] for kind in (False, True)]
        n_chosen = self._room.n_columns
        n_numeric = max(n_chosen // 2, n_chosen - len(kinds[True]))
        first = kinds[False][:n_numeric]
        first += kinds[True][: n_chosen - len(first)]
        chosen = set(first)
        return first + [i for i in order if i not in chosen]

    def _answer(
        self, newcomer: Newcomer, calls: Mapping[int, tuple[int, bool, float]]
    ) -> int | None:
        """The column of a feature that was called, if it gets one."""
        digest = _core.digest_of_name(newcomer.name) if calls else 0
        if digest not in calls:
            return None
        column = self._column_for(calls[digest][2], nominal=newcomer.nominal)
        if column is not None and not self._tables.has_room_for(newcomer.name, column):
            column = None
        self._tables.answer_call(digest, column)
        if column is not None:
            self._features.append(column)
        return column

    def _column_for(self, score: float, *, nominal: bool) -> int | None:
        """That of the feature that tells least, of this kind, if it tells less."""
        tables = self._tables
        alike = [c for c, kind in enumerate(tables.nominal) if bool(kind) == nominal]
        column = min(alike, key=tables.standing, default=None)
        return None if column is None or tables.standing(column) >= score else column

    def _take(self, newcomer: Newcomer, free: list[int]) -> int | None:
        """A free column of the same kind, which is not free any more."""
        kinds = self._tables.nominal
        for column in free:
            is_fit = bool(kinds[column]) == newcomer.nominal
            if is_fit and self._tables.has_room_for(newcomer.name, column):
                free.remove(column)
                self._features.append(column)
                return column
        return None

    def _note(self, n_left_out: int, examples_seen: int, soonest: int) -> None:
        """How many were left out, and when the next column can become free."""
        if n_left_out:
            self._tables.set_left_out(n_left_out)
        if self._is_full():
            self._tables.set_full_until(examples_seen + max(int(soonest), 1))

    def _is_full(self) -> bool:
        tables = self._tables
        return len(tables) >= self._max_columns or tables.is_full_of_names()

    @property
    def _max_columns(self) -> int:
        return self._room.n_columns if self._tables.n_slots else self._room.n_features

    def _comes_again(self, newcomer: Newcomer, n_waiting: int) -> bool:
        if n_waiting >= MAX_WAITING:
            return False
        return self._tables.has_waited(newcomer.name)


def _shuffled(n: int) -> list[int]:
    """The numbers below n, always in the same order, which looks like none."""
    with np.errstate(over="ignore"):
        key = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    order: list[int] = np.argsort(key ^ (key >> np.uint64(29)), kind="stable").tolist()
    return order
