"""A model that is served: one thread learns, everybody else reads snapshots.

Labels that come while others are learned and written go together: they are learned one after the
other, appended to the log at once, and share one sync and one snapshot. Then, and not before, those
who sent them are told.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shrubs.atomic_file import write_atomically
from shrubs.live import Model, only_one
from shrubs.messages import shown
from shrubs.protocols import Kind
from shrubs.serve.block import columns_of
from shrubs.serve.course import Course
from shrubs.serve.ledger import Bounds, ConflictError, Label, Ledger
from shrubs.serve.requests import Lesson, Question, parse_lines, read_all, read_question

__all__ = ["Counts", "Explanation", "Made", "Service", "UnavailableError"]

_GROUP = 512  # requests that share a sync
_SECONDS_OLD = 1.0  # the state that explanations are made of
_ROWS_AT_ONCE = 512  # that others wait for, who use the same snapshot
_SHOWN = 12  # predictions that the page shows


class UnavailableError(RuntimeError):
    """Nothing can be learned now: the disk is full, say, or the service ends."""


@dataclass(frozen=True)
class View:
    """What readers use: a snapshot, and after how many examples it was taken."""

    snapshot: Any
    n_examples: int


@dataclass(frozen=True, eq=False)
class Made:
    """A prediction that was made; no two are the same."""

    x: dict[str, Any]
    predicted: Any
    id: str | None
    n_examples: int


@dataclass(frozen=True)
class Explanation:
    """A prediction, the votes behind it, and after how many examples."""

    predicted: Any
    votes: list[Any]
    n_examples: int


@dataclass
class Counts:
    """What a service has done since it was started."""

    predicted: int = 0
    learned: int = 0
    repeated: int = 0
    saved: int = 0
    not_saved: int = 0
    synced: int = 0
    sync_seconds: float = 0.0


@dataclass(frozen=True)
class _Task:
    """Something for the learner's thread, and who waits for it."""

    work: Callable[[], Any]
    done: asyncio.Future[Any]


@dataclass(frozen=True)
class _Row:
    """What a lesson is about; ``predicted`` is what was answered, if it was remembered."""

    x: dict[str, Any]
    is_remembered: bool = False
    predicted: Any = None


class Service:
    """A model file that is learned into and asked, until `stop`.

    Args:
        path: the model; it must be there. Nobody else may learn into it meanwhile.
        bounds: of the rows that wait for labels.
        save_every: seconds between two savings of the model. However rarely that happens, nothing
            is lost: the log has the rest.
        max_log: bytes from which on the log is begun again when the model is saved.
        target: what the target is called; a model that knows another one is refused.
        task: "classes" or "targets"; the same.
    """

    def __init__(
        self,
        path: Path,
        *,
        bounds: Bounds | None = None,
        save_every: float = 60.0,
        max_log: int = 16 * 2**20,
        target: str | None = None,
        task: str | None = None,
    ) -> None:
        self.path = path
        self.counts = Counts()
        self.made: deque[Made] = deque(maxlen=_SHOWN)
        self._counting = threading.Lock()
        self.trouble = ""
        """Why nothing can be learned; empty if it can."""
        self._expected = target, task
        self._bounds = bounds or Bounds()
        self._save_every, self._max_log = save_every, max_log
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        with contextlib.ExitStack() as held:
            held.enter_context(only_one(path))
            self._open()
            self._held = held.pop_all()
        self.course = Course(self.model.learner, regression=self.is_regression)
        self._thread = threading.Thread(target=self._work, name="learner")

    def _open(self) -> None:
        """The model of the file, with everything that the log has beyond it."""
        state = self.path.read_bytes()
        model = Model.from_bytes(state)
        target, task = self._expected
        model.expect(target or (None if model.target else "target"), task)
        self.ledger = Ledger(self.path, _digest(state), self._bounds)
        for label in self.ledger.labels:
            if label.n > model.learner.examples_seen:
                _teach(model, label.x, label.y)
            if label.n > model.learner.examples_seen:
                raise ValueError(
                    f"{self.ledger.log.path}: example {model.learner.examples_seen + 1} is missing"
                )
        self.ledger.labels.clear()
        self.model = model
        self._labels: list[Label] = []
        self._outcomes: list[tuple[Any, Any]] = []
        self._save_at = time.monotonic() + self._save_every
        self._n_saved = -1
        self._publish()
        self._copy: tuple[int, Any] = (-1, None)
        self._keep_state()

    # -- for readers, in any thread --------------------------------------------------------------

    @property
    def is_regression(self) -> bool:
        """Whether the model has targets, not labels."""
        return self.model.task == "targets"

    def predict(self, questions: Sequence[Question]) -> list[Any]:
        """Predictions, by the snapshot of now; those with an id are remembered, all or none."""
        view = self.view
        predicted = [
            self._predict(view, question.x, line) for line, question in _numbered(questions)
        ]
        named = [(q.id, q.x, p) for q, p in zip(questions, predicted, strict=True) if q.id]
        if named:
            answers = iter(self._remember(named))
            pairs = zip(questions, predicted, strict=True)
            predicted = [next(answers) if q.id else p for q, p in pairs]
        with self._counting:
            self.counts.predicted += len(questions)
            for question, answer in zip(questions[-_SHOWN:], predicted[-_SHOWN:], strict=True):
                self.made.append(Made(question.x, answer, question.id, view.n_examples))
        return predicted

    def _remember(self, named: Sequence[tuple[str, dict[str, Any], Any]]) -> list[Any]:
        try:
            return self.ledger.remember(named)
        except OSError as error:
            raise UnavailableError(f"nothing was remembered: {error}") from None

    def predict_lines(self, body: bytes) -> list[Any]:
        """The same for JSON Lines; many rows at once, where they are alike."""
        view, requests = self.view, parse_lines(body)
        columns = None if view.snapshot is None else columns_of(requests, self._kinds())
        if columns is None:
            return self.predict(read_all(requests, read_question))
        predicted: list[Any] = []
        for start in range(0, len(requests), _ROWS_AT_ONCE):
            part = {name: each[start : start + _ROWS_AT_ONCE] for name, each in columns.items()}
            predicted += view.snapshot.predict(part).tolist()
        with self._counting:
            self.counts.predicted += len(requests)
            self.made.append(Made(requests[-1]["x"], predicted[-1], None, view.n_examples))
        return predicted

    def _kinds(self) -> Mapping[str, Kind]:
        """What the features hold that the learner gets."""
        beside = {self.model.target, *self.model.ignored}
        return {name: kind for name, kind in self.model.kinds.items() if name not in beside}

    def _predict(self, view: View, x: dict[str, Any], line: int | None) -> Any:
        try:
            row = self.model.features(x)
            if view.snapshot is None:
                return 0.0 if self.is_regression else None
            return view.snapshot.predict_one(row)
        except (ValueError, TypeError) as error:
            raise _of_line(error, line) from None

    def probabilities(self, x: dict[str, Any]) -> dict[str, float]:
        """The probability of each label."""
        if self.is_regression:
            raise ValueError("a regression has no probabilities")
        snapshot = self.view.snapshot
        found = {} if snapshot is None else snapshot.predict_proba_one(self.model.features(x))
        return {str(label): share for label, share in found.items()}

    def explain(self, x: dict[str, Any]) -> Explanation:
        """Why a row is predicted as it is, by a model that is at most about a second old.

        It is made of a state that is kept every second, so it waits for nobody.
        """
        n_examples, state = self._state
        if self._copy[0] != n_examples:
            self._copy = n_examples, Model.from_bytes(state)
        model: Model = self._copy[1]
        return Explanation(
            model.predict(x), model.learner.explain_one(model.features(x)), n_examples
        )

    # -- for the event loop ----------------------------------------------------------------------

    async def learn(self, lessons: Sequence[Lesson]) -> list[bool]:
        """Learn, all or none; returns when it cannot be lost any more: which ones were new."""
        learned: list[bool] = await self._ask(lambda: self._learn(lessons))
        return learned

    async def state(self) -> bytes:
        """The byte state of the model, with every label that was acknowledged."""
        state: bytes = await self._ask(self._to_bytes)
        return state

    async def _ask(self, work: Callable[[], Any]) -> Any:
        if self.trouble:
            raise UnavailableError(self.trouble)
        done = asyncio.get_running_loop().create_future()
        self._tasks.put(_Task(work, done))
        return await done

    def start(self) -> None:
        """Begin to learn."""
        self._thread.start()

    def stop(self) -> None:
        """Learn what has come, save the model and let others have it."""
        self._tasks.put(None)
        self._thread.join()
        self.ledger.close()
        self._held.close()

    # -- the learner's thread --------------------------------------------------------------------

    def _work(self) -> None:
        ends = False
        while not ends:
            group, ends = self._next_group()
            self._do(group)
            try:
                if ends or time.monotonic() >= self._save_at:
                    self._save(compact=ends)
            except Exception:  # tried again later; the log has everything
                self.counts.not_saved += 1
        self.trouble = "the service ends"

    def _next_group(self) -> tuple[list[_Task], bool]:
        """What has come, and whether this is the end."""
        group: list[_Task] = []
        with contextlib.suppress(queue.Empty):
            task = self._tasks.get(timeout=_SECONDS_OLD)
            while task is not None:
                group.append(task)
                if len(group) == _GROUP:
                    return group, False
                task = self._tasks.get_nowait()
            return group, True
        return group, False

    def _do(self, group: Sequence[_Task]) -> None:
        answers: list[tuple[asyncio.Future[Any], Any, BaseException | None]] = []
        try:
            for task in group:
                try:
                    answers.append((task.done, task.work(), None))
                except (ValueError, TypeError, LookupError) as error:
                    answers.append((task.done, None, error))
            self._commit()
        except Exception as error:
            self._recover(error)
            refused = UnavailableError(f"not acknowledged: {error}")
            answers = [(task.done, None, refused) for task in group]
        if answers:
            with contextlib.suppress(RuntimeError):  # nobody is there any more
                group[0].done.get_loop().call_soon_threadsafe(_resolve, answers)

    def _learn(self, lessons: Sequence[Lesson]) -> list[bool]:
        rows = self._rows(lessons)
        before = self.model.to_bytes() if len(rows) > 1 else b""
        labels: list[Label] = []
        for (line, lesson), row in zip(_numbered(lessons), rows, strict=True):
            if row is None:
                continue
            try:
                labels.append(self._learn_one(lesson, row))
            except (ValueError, TypeError) as error:
                if labels:
                    self.model = Model.from_bytes(before)
                    del self._outcomes[-len(labels) :]
                raise _of_line(error, line) from None
        self.ledger.mark(labels)
        self._labels += labels
        self.counts.repeated += rows.count(None)
        return [row is not None for row in rows]

    def _learn_one(self, lesson: Lesson, row: _Row) -> Label:
        predicted = row.predicted if row.is_remembered else self.model.predict(row.x)
        y = _teach(self.model, row.x, lesson.y)
        self._outcomes.append((y, predicted))
        return Label(self.model.learner.examples_seen, row.x, lesson.y, lesson.id)

    def _to_bytes(self) -> bytes:
        return self.model.to_bytes()  # of the model that there is by then

    def _rows(self, lessons: Sequence[Lesson]) -> list[_Row | None]:
        """The row of each lesson; None where it was learned before."""
        rows: list[_Row | None] = []
        taken: dict[str, Any] = {}
        for line, lesson in _numbered(lessons):
            try:
                rows.append(self._row(lesson, taken))
            except (ValueError, LookupError) as error:
                raise _of_line(error, line) from None
        return rows

    def _row(self, lesson: Lesson, taken: dict[str, Any]) -> _Row | None:
        if lesson.id is None:
            return _Row(lesson.x or {})
        if taken.setdefault(lesson.id, lesson) is not lesson:
            if taken[lesson.id] != lesson:
                raise ConflictError(f"two labels come under id {shown(lesson.id)}")
            return None
        if self.ledger.has_learned(lesson.id, lesson.y):
            return None
        waiting = self.ledger.waiting(lesson.id, required=lesson.x is None)
        if waiting is None:
            return _Row(lesson.x or {})
        if lesson.x not in (None, waiting.x):
            raise ConflictError(f"another row waits under id {shown(lesson.id)}")
        return _Row(waiting.x, True, waiting.predicted)

    def _commit(self) -> None:
        """Make safe what was learned, then show it to readers."""
        if self._labels:
            self.ledger.log.append(label.record() for label in self._labels)
            start = time.perf_counter()
            self.ledger.log.sync()
            self.counts.sync_seconds += time.perf_counter() - start
            self.counts.synced += 1
            self.counts.learned += len(self._labels)
            self.course.note(self._outcomes, self.model.learner)
            self._labels, self._outcomes = [], []
            self._publish()
        if time.monotonic() >= self._state_at and self._state[0] != self.view.n_examples:
            self._keep_state()

    def _publish(self) -> None:
        learner = self.model.learner
        n_examples = learner.examples_seen
        self.view = View(learner.snapshot() if n_examples else None, n_examples)
        self.memory_bytes, self.n_shrubs = learner.memory_bytes, learner.n_shrubs

    def _keep_state(self) -> None:
        self._state = self.model.learner.examples_seen, self.model.to_bytes()
        self._state_at = time.monotonic() + _SECONDS_OLD

    def _recover(self, error: Exception) -> None:
        """Go back to what the files say, as after a kill."""
        try:
            self.ledger.close()
            self._open()
        except Exception as again:
            self.trouble = f"{error}, and then: {again}"

    def _save(self, *, compact: bool) -> None:
        self._save_at = time.monotonic() + self._save_every
        n_examples = self.model.learner.examples_seen
        compact = compact or self.ledger.log.n_bytes > self._max_log
        if self.trouble or (n_examples == self._n_saved and not compact):
            return
        state = self.model.to_bytes()
        digest = _digest(state)
        self.ledger.announce(digest)
        write_atomically(self.path, state)
        if compact:
            self.ledger.begin(digest)
        self._n_saved = n_examples
        self.counts.saved += 1


def _teach(model: Model, x: dict[str, Any], y: Any) -> Any:
    """Learn a row; returns its label as the model knows it."""
    row = {**x, str(model.target): y}
    label = model.outcome(row)
    model.learn(row)
    return label


def _numbered(requests: Sequence[Any]) -> list[tuple[int | None, Any]]:
    """With the numbers of their lines, where there are several."""
    return [(line if len(requests) > 1 else None, each) for line, each in enumerate(requests, 1)]


def _of_line(error: Exception, line: int | None) -> Exception:
    return error if line is None else type(error)(f"line {line}: {error}")


def _resolve(answers: Sequence[tuple[asyncio.Future[Any], Any, BaseException | None]]) -> None:
    for done, answer, error in answers:
        if done.cancelled():
            continue
        if error is None:
            done.set_result(answer)
        else:
            done.set_exception(error)


def _digest(state: bytes) -> str:
    return hashlib.sha256(state).hexdigest()[:32]
