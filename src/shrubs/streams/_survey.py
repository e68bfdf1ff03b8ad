"""Looks through a file before it is read as a stream: its categories, classes and length."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from shrubs.messages import shown
from shrubs.streams._coding import date_parts, decode, distinct_labels, is_missing
from shrubs.streams.formats.limits import MAX_CLASSES, CategoryRoom
from shrubs.streams.formats.table import Batch, Column, Table, Texts
from shrubs.streams.formats.values import guess_kind, in_order

__all__ = ["MAX_GUESSED_CLASSES", "Survey", "Task", "survey"]

Task: TypeAlias = Literal["auto", "classes", "targets"]

MAX_GUESSED_CLASSES = 20
"""With ``task="auto"``, whole numbers with more distinct values than this are targets."""


@dataclass(frozen=True)
class Survey:
    """What was found: categories by column, classes (None: a regression), number of rows.

    ``date_parts`` are by column of dates those parts that some date has.

    ``table`` is the one that was looked through, with the kinds that its columns turned out to
    have. ``n_unlabelled`` of its rows have no label or target.
    """

    table: Table
    categories: dict[int, tuple[Hashable, ...]]
    classes: tuple[Hashable, ...] | None
    n_rows: int
    n_unlabelled: int
    date_parts: dict[int, tuple[int, ...]]


def survey(table: Table, target: int, task: Task) -> Survey:
    """Reads a file once, or the first rows of a pipe; only what is not declared.

    Kinds of columns that were guessed from the first rows must hold for all: where they do not,
    all rows decide, and the file is read again.
    """
    if table.read_once or not table.guessed:
        return _look_through(table, target, task, frozenset())
    problem = None
    try:
        found = _look_through(table, target, task, table.guessed)
        if not any(_is_doubtful(found.categories.get(i)) for i in table.guessed - {target}):
            return found
    except ValueError as error:
        problem = error
    settled = table.settled()
    if settled.columns != table.columns:
        return _look_through(settled, target, task, table.guessed)
    if problem is not None:
        raise problem
    return found


def _is_doubtful(categories: tuple[Hashable, ...] | None) -> bool:
    return categories is not None and guess_kind(map(str, categories)) != "nominal"


def _look_through(table: Table, target: int, task: Task, guessed: frozenset[int]) -> Survey:
    nominal = {i for i, column in enumerate(table.columns) if column.kind == "nominal"} - {target}
    found: dict[int, set[Hashable]] = {
        i: set() for i in nominal if table.columns[i].categories is None
    }
    dates = {
        i: np.zeros(3, dtype=bool)
        for i, column in enumerate(table.columns)
        if column.kind == "date" and i != target
    }
    labels = _Labels(table.columns[target], task)
    room = CategoryRoom(table.label)
    n_rows = n_unlabelled = 0
    for batch in table.preview({target, *found, *dates, *guessed}):
        n_rows += batch.n_rows
        n_unlabelled += int(is_missing(decode(batch, target, table.columns[target])).sum())
        labels.see(batch, target, room)
        for i, has_part in dates.items():
            has_part |= ~np.isnan(date_parts(batch, i, table.columns[i])).all(axis=1)
        for i in guessed - dates.keys():
            decode(batch, i, table.columns[i])  # raises for a value of another kind
        for i, values in found.items():
            new = _categories(batch, i, table.columns[i]) - values
            room.take(new)
            values |= new
    if n_rows == 0:
        raise ValueError(f"{table.label}: there are no examples")
    if n_rows == n_unlabelled and not table.read_once:
        name = shown(table.columns[target].name)
        raise ValueError(f"{table.label}: no row has a value of the target {name}")
    categories = {i: table.columns[i].categories or in_order(found[i]) for i in nominal}
    classes = labels.classes()
    if classes is not None and len(classes) > MAX_CLASSES:
        found_classes = f"the target {shown(table.columns[target].name)} has {len(classes)}"
        problem = f"a learner takes at most {MAX_CLASSES} classes, {found_classes}"
        raise ValueError(f"{table.label}: {problem}")
    parts = {
        i: tuple(
            np.flatnonzero(has_part).tolist() if not table.read_once and any(has_part) else range(3)
        )
        for i, has_part in dates.items()
    }
    return Survey(table, categories, classes, n_rows, n_unlabelled, parts)


def _categories(batch: Batch, i: int, column: Column) -> set[str]:
    texts = decode(batch, i, column)
    assert isinstance(texts, Texts)
    present = set(texts.codes.tolist()) - {-1}
    return {texts.values[code] for code in present}


class _Labels:
    """The labels seen so far, given up as soon as they can only be targets of a regression."""

    def __init__(self, column: Column, task: Task) -> None:
        if task == "targets" and column.kind == "nominal":
            problem = f"the target {shown(column.name)} holds categories, not numbers"
            raise ValueError(f"task cannot be 'targets': {problem}")
        self._column = column
        self._may_be_regression = task == "auto" and column.kind in ("number", "date")
        self._is_regression = task == "targets"
        self._seen: set[Hashable] = set()

    def see(self, batch: Batch, i: int, room: CategoryRoom) -> None:
        if self._is_regression or self._column.categories is not None:
            return
        new = set(distinct_labels(batch, i, self._column).used()) - self._seen
        room.take(new)
        self._seen |= new
        if self._may_be_regression and not self._look_like_classes():
            self._is_regression = True
            self._seen.clear()

    def _look_like_classes(self) -> bool:
        few = len(self._seen) <= MAX_GUESSED_CLASSES
        return few and all(isinstance(label, int) for label in self._seen)

    def classes(self) -> tuple[Hashable, ...] | None:
        if self._is_regression:
            return None
        return self._column.categories or in_order(self._seen)
