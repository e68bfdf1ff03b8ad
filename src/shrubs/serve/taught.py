"""Lessons that are learned: all of a request, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from shrubs.live import Model
from shrubs.messages import shown
from shrubs.serve.block import are_known, columns_of
from shrubs.serve.kept import kinds_of
from shrubs.serve.ledger import ConflictError, Label, Ledger
from shrubs.serve.log import to_text
from shrubs.serve.requests import LARGEST, Lesson, parse_lines, read_all, read_lesson
from shrubs.streams.formats.alike_rows import AlikeRows

__all__ = ["HalfLearnedError", "Learned", "Taught", "numbered", "of_line"]


class HalfLearnedError(Exception):
    """A request of which something was learned that cannot be learned whole."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


class _Row(NamedTuple):
    """What a lesson is about; ``predicted`` is what was answered, if it was remembered."""

    x: dict[str, Any]
    is_remembered: bool = False
    predicted: Any = None


class Learned(NamedTuple):
    """What was learned, in this order.

    Args:
        texts: for the log, as JSON.
        rows: those that were learned one by one.
        outcomes: (label, prediction) of each.
    """

    texts: list[bytes]
    rows: list[dict[str, Any]]
    outcomes: list[tuple[Any, Any]]


class Taught:
    """What a model has learned and the log does not have yet; for the learner's thread.

    Args:
        model: learns.
        ledger: knows the rows that wait, and what was learned under which id.
    """

    def __init__(self, model: Model, ledger: Ledger) -> None:
        self._model, self._ledger = model, ledger
        self._learned = Learned([], [], [])

    def take(self) -> Learned:
        """What was learned since this was asked last."""
        taken, self._learned = self._learned, Learned([], [], [])
        return taken

    def learn(self, lessons: Sequence[Lesson]) -> list[bool]:
        """Learn those that are new; returns which were.

        What is wrong is found before anything is learned, and raises ValueError, TypeError or
        LookupError. What only the learner finds after that raises HalfLearnedError.
        """
        rows, known = self._rows(lessons), self._model.known
        prepared = self._prepared(lessons, rows)
        labels: list[Label] = []
        for line, lesson, row, (x, y) in prepared:
            try:
                self._learn_one(row, x, y)
            except (ValueError, TypeError) as error:
                self._model.known = known
                reason = of_line(error, line)
                raise HalfLearnedError(reason) if labels else reason from None
            labels.append(Label(self._model.examples_seen, row.x, lesson.y, lesson.id))
        self._ledger.mark(labels)
        self._learned.texts.extend(to_text(label.record()) for label in labels)
        self._learned.rows.extend(label.x for label in labels)
        return [row is not None for row in rows]

    def learn_lines(self, body: bytes, read: AlikeRows | list[Any]) -> list[bool]:
        """The same for JSON Lines; in one call of the learner, if nothing in them is new.

        Args:
            body: the lines.
            read: what is in them, as columns or line by line.
        """
        if isinstance(read, AlikeRows):
            outcomes = self._outcomes_of(read)
            if outcomes is not None and self._learn_block(read, outcomes, body):
                return [True] * len(outcomes)
            read = parse_lines(body)
        return self.learn(read_all(read, read_lesson))

    def _outcomes_of(self, rows: AlikeRows) -> list[Any] | None:
        """The outcomes of rows of numbers, if the learner has met all that is in them."""
        learner: Any = self._model.learner
        if not learner.examples_seen or rows.texts or rows.labels is None:
            return None
        names, kinds = {*learner.feature_names_in_}, kinds_of(self._model)
        if not are_known(rows, {name: kind for name, kind in kinds.items() if name in names}):
            return None
        labels = [(type(y), y) for y in rows.labels]  # 1 is not True
        try:
            found = {label: self._outcome(label[1]) for label in {*labels}}
        except ValueError:
            return None
        classes = learner.classes_.tolist() if self._model.task == "classes" else ()
        known = {(type(label), label) for label in classes}
        if known and not {(type(y), y) for y in found.values()} <= known:
            return None
        return [found[label] for label in labels]

    def _outcome(self, y: Any) -> Any:
        if type(y) is int and abs(y) >= LARGEST:
            raise ValueError("too large")
        return self._model.outcome({str(self._model.target): y})

    def _learn_block(self, rows: AlikeRows, outcomes: list[Any], body: bytes) -> bool:
        """Learn a block; False, with nothing learned, if the learner does not take it."""
        learner: Any = self._model.learner
        n_before = learner.examples_seen
        try:
            y = np.array(outcomes, dtype=object)
            predicted = learner.prequential(columns_of(rows), y).tolist()
        except (ValueError, TypeError) as error:
            if learner.examples_seen == n_before:
                return False
            raise HalfLearnedError(error) from None
        lines = enumerate(body.split(b"\n", len(outcomes))[: len(outcomes)], n_before + 1)
        # What was said is JSON already: it becomes a record with the number of the example.
        self._learned.texts.extend(b'{"n":%d,%b' % (n, line.strip()[1:]) for n, line in lines)
        self._learned.outcomes.extend(zip(outcomes, predicted, strict=True))
        return True

    def _prepared(self, lessons: Sequence[Lesson], rows: Sequence[_Row | None]) -> list[Any]:
        """What the learner gets, if it is right: line, lesson, row, (features, label) of each."""
        target, known = str(self._model.target), self._model.known
        prepared = []
        for (line, lesson), row in zip(numbered(lessons), rows, strict=True):
            if row is None:
                continue
            try:
                example = self._model.prepare({**row.x, target: lesson.y})
            except (ValueError, TypeError) as error:
                self._model.known = known
                raise of_line(error, line) from None
            prepared.append((line, lesson, row, example))
        return prepared

    def _learn_one(self, row: _Row, x: dict[str, Any], y: Any) -> None:
        learner = self._model.learner_of(row.x)
        predicted = row.predicted if row.is_remembered else learner.predict_one(x)
        learner.learn_one(x, y)
        self._learned.outcomes.append((y, predicted))

    def _rows(self, lessons: Sequence[Lesson]) -> list[_Row | None]:
        """The row of each lesson; None where it was learned before."""
        rows: list[_Row | None] = []
        taken: dict[str, Any] = {}
        for line, lesson in numbered(lessons):
            try:
                rows.append(self._row(lesson, taken))
            except (ValueError, LookupError) as error:
                raise of_line(error, line) from None
        return rows

    def _row(self, lesson: Lesson, taken: dict[str, Any]) -> _Row | None:
        if lesson.id is None:
            return _Row(lesson.x or {})
        if taken.setdefault(lesson.id, lesson) is not lesson:
            if taken[lesson.id] != lesson:
                raise ConflictError(f"two labels come under id {shown(lesson.id)}")
            return None
        if self._ledger.has_learned(lesson.id, lesson.y):
            return None
        waiting = self._ledger.waiting(lesson.id, required=lesson.x is None)
        if waiting is None:
            return _Row(lesson.x or {})
        if lesson.x not in (None, waiting.x):
            raise ConflictError(f"another row waits under id {shown(lesson.id)}")
        return _Row(waiting.x, True, waiting.predicted)


def numbered(requests: Sequence[Any]) -> list[tuple[int | None, Any]]:
    """With the numbers of their lines, where there are several."""
    return [(line if len(requests) > 1 else None, each) for line, each in enumerate(requests, 1)]


def of_line(error: Exception, line: int | None) -> Exception:
    """An error that says in which line it is."""
    return error if line is None else type(error)(f"line {line}: {error}")
