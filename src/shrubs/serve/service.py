"""A model that is served: one thread learns, everybody else reads snapshots.

Labels that come while others are learned and written go together: they are learned one after the
other, appended to the log at once, and share one sync and one snapshot. Then, and not before, those
who sent them are told.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from shrubs.live import Model, only_one
from shrubs.serve.block import are_known, last_line, read_rows
from shrubs.serve.course import Course
from shrubs.serve.kept import Kept
from shrubs.serve.ledger import Bounds, Ledger
from shrubs.serve.model_per_key import ModelPerKey
from shrubs.serve.one_model import OneModel
from shrubs.serve.requests import (
    Lesson,
    Question,
    parse_lines,
    read_all,
    read_body,
    read_question,
)
from shrubs.serve.taught import HalfLearnedError, Taught, numbered, of_line
from shrubs.streams.formats.alike_rows import AlikeRows

__all__ = ["Counts", "Explanation", "Made", "Service", "UnavailableError"]

_GROUP = 512  # requests that share a sync; a few more may come at once
_TICK = 1.0  # seconds between two looks
_NOTED_EVERY = 0.25  # seconds between two looks at the outcomes; few take as long as many
_NOTED_AT_ONCE = 1000  # outcomes that wait for it
_SHOWN = 12  # predictions that the page shows


class UnavailableError(RuntimeError):
    """Nothing can be learned now: the disk is full, say, or the service ends."""


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


class _Task(NamedTuple):
    """Something for the learner's thread, and who waits for it."""

    work: Callable[[], Any]
    done: asyncio.Future[Any]


class _Answer(NamedTuple):
    """What becomes of a task."""

    done: asyncio.Future[Any]
    found: Any
    error: BaseException | None = None


class Service:
    """A model file that is learned into and asked, until `stop`.

    Args:
        path: the model; it must be there. Nobody else may learn into it meanwhile.
        key: the column of the keys, of a file that keeps a model for each.
        memory_budget: for the models in memory, if there is a key.
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
        key: str | None = None,
        memory_budget: int | str = "256MB",
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
        self._trouble = ""  # why nothing can be learned until the service is started again
        self._refused = ""  # why the last labels were not learned
        self._expected = target, task
        self._key = key, memory_budget
        self._bounds = bounds or Bounds()
        self._save_every, self._max_log = save_every, max_log
        self._asked: list[_Task] = []
        self._tasks: queue.SimpleQueue[list[_Task] | None] = queue.SimpleQueue()
        self._outcomes: list[tuple[Any, Any]] = []
        self._note_at = 0.0
        with contextlib.ExitStack() as held:
            held.enter_context(only_one(path))
            self._open()
            self._held = held.pop_all()
        self.course = Course(self.kept.watched, self.kind, regression=self.is_regression)
        self._thread = threading.Thread(target=self._work, name="learner")

    def _open(self) -> None:
        """The model of the file, with everything that the log has beyond it."""
        key, memory_budget = self._key
        self.kept: Kept = (
            OneModel(self.path) if key is None else ModelPerKey(self.path, key, memory_budget)
        )
        try:
            self._replay()
        except BaseException:
            self.kept.close()
            raise
        self._taught = Taught(self.kept.model, self.ledger)
        self._save_at = time.monotonic() + self._save_every
        self._n_saved = -1
        self._publish()

    def _replay(self) -> None:
        model = self.kept.model
        target, task = self._expected
        model.expect(target or (None if model.target else "target"), task)
        self.ledger = Ledger(self.path, self.kept.digest, self._bounds)
        for label in self.ledger.labels:
            if label.n > model.examples_seen:
                model.learn({**label.x, str(model.target): label.y})
            if label.n > model.examples_seen:
                raise ValueError(
                    f"{self.ledger.log.path}: example {model.examples_seen + 1} is missing"
                )
        self.ledger.labels.clear()

    # -- for readers, in any thread --------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model, or what all models of keys have in common."""
        return self.kept.model

    @property
    def trouble(self) -> str:
        """Why nothing can be learned; empty if it can."""
        return self._trouble or self._refused

    @property
    def kind(self) -> str:
        """The learner's."""
        return type(self.model.learner).__name__

    @property
    def is_regression(self) -> bool:
        """Whether the model has targets, not labels."""
        return self.model.task == "targets"

    def can_predict(self, question: Question) -> bool:
        """Whether a prediction waits for nobody."""
        return self.kept.view(question.x) is not None

    def predict(
        self, questions: Sequence[Question], *, probabilities: bool = False
    ) -> list[dict[str, Any]]:
        """Answers, by the snapshots of now; those with an id are remembered, all or none."""
        answers, n_examples = [], 0
        for line, question in numbered(questions):
            try:
                answer, n_examples = self._predict(question.x, probabilities)
                answers.append(answer)
            except (ValueError, TypeError) as error:
                raise of_line(error, line) from None
        asked = list(zip(questions, answers, strict=True))
        named = [(q, a) for q, a in asked if q.id]
        if named:
            rows = [(str(q.id), q.x, a["prediction"]) for q, a in named]
            for (_, answer), first in zip(named, self._remember(rows), strict=True):
                answer["prediction"] = first
        with self._counting:
            self.counts.predicted += len(questions)
            for question, answer in asked[-_SHOWN:]:
                self.made.append(Made(question.x, answer["prediction"], question.id, n_examples))
        return answers

    def _remember(self, named: Sequence[tuple[str, dict[str, Any], Any]]) -> list[Any]:
        try:
            return self.ledger.remember(named)
        except OSError as error:
            raise UnavailableError(f"nothing was remembered: {error}") from None

    def predict_lines(self, body: bytes) -> list[Any]:
        """Predictions for JSON Lines; many rows at once, where they are alike."""
        rows, predicted = read_rows(body), None
        if rows is not None and rows.labels is None and are_known(rows, self.kept.kinds):
            predicted = self.kept.predict_alike(rows)
        if predicted is None:
            questions = read_all(parse_lines(body), read_question)
            return [answer["prediction"] for answer in self.predict(questions)]
        last = read_body(last_line(body), read_question)
        with self._counting:
            self.counts.predicted += len(predicted)
            self.made.append(Made(last.x, predicted[-1], None, self.n_examples))
        return predicted

    def _predict(self, x: dict[str, Any], probabilities: bool) -> tuple[dict[str, Any], int]:
        """An answer, and after how many examples it was made."""
        row = self.model.features(x)
        view = self.kept.find_view(x)
        if probabilities and self.is_regression:
            raise ValueError("a regression has no probabilities")
        if view.snapshot is None:
            answer: dict[str, Any] = {"prediction": 0.0 if self.is_regression else None}
            return {**answer, "probabilities": {}} if probabilities else answer, view.n_examples
        answer = {"prediction": view.snapshot.predict_one(row)}
        if probabilities:
            found = view.snapshot.predict_proba_one(row).items()
            answer["probabilities"] = {str(label): share for label, share in found}
        return answer, view.n_examples

    def explain(self, x: dict[str, Any]) -> Explanation:
        """Why a row is predicted as it is, by a model that is at most about a second old."""
        model = self.kept.copy(x)
        votes = model.learner.explain_one(model.features(x))
        return Explanation(model.predict(x), votes, model.examples_seen)

    # -- for the event loop ----------------------------------------------------------------------

    async def learn(self, lessons: Sequence[Lesson]) -> list[bool]:
        """Learn, all or none; returns when it cannot be lost any more: which ones were new."""
        return await self._learn(lambda: self._taught.learn(lessons))

    async def learn_lines(self, body: bytes) -> list[bool]:
        """The same for JSON Lines; many rows at once, where they are alike."""
        read = await asyncio.to_thread(_read_lines, body)
        return await self._learn(lambda: self._taught.learn_lines(body, read))

    async def _learn(self, work: Callable[[], list[bool]]) -> list[bool]:
        learned: list[bool] = await self._ask(work)
        self.counts.repeated += learned.count(False)
        return learned

    async def state(self, key: str | None) -> bytes:
        """The byte state of the model, or of a key's, with every label that was acknowledged."""
        state: bytes = await self._ask(lambda: self.kept.state(key))
        return state

    async def _ask(self, work: Callable[[], Any]) -> Any:
        if self._trouble:
            raise UnavailableError(self._trouble)
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        if not self._asked:  # whoever asks before it is the loop's turn goes along
            loop.call_soon(self._hand_over)
        self._asked.append(_Task(work, done))
        return await done

    def _hand_over(self) -> None:
        self._tasks.put(self._asked)
        self._asked = []

    def start(self) -> None:
        """Begin to learn."""
        self._thread.start()

    def stop(self) -> None:
        """Learn what has come, save the model and let others have it."""
        self._tasks.put(None)
        self._thread.join()
        self.ledger.close()
        self.kept.close()
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
            if self._refused and not self._trouble:
                with contextlib.suppress(OSError):
                    self.ledger.log.check_room()
                    self._refused = ""
        self._trouble = "the service ends"

    def _next_group(self) -> tuple[list[_Task], bool]:
        """What has come, and whether this is the end."""
        group: list[_Task] = []
        with contextlib.suppress(queue.Empty):
            tasks = self._tasks.get(timeout=_NOTED_EVERY if self._outcomes else _TICK)
            while tasks is not None:
                group += tasks
                if len(group) >= _GROUP:
                    return group, False
                tasks = self._tasks.get_nowait()
            return group, True
        return group, False

    def _do(self, group: Sequence[_Task]) -> None:
        answers: list[_Answer] = []
        try:
            for task in group:
                try:
                    answers.append(_Answer(task.done, task.work()))
                except (ValueError, TypeError, LookupError) as error:
                    answers.append(_Answer(task.done, None, error))
            self._commit()
        except HalfLearnedError as spoilt:
            self._recover(spoilt)
            answers = [_Answer(group[len(answers)].done, None, spoilt.reason)]
            self._do([task for task in group if task.done is not answers[0].done])
        except Exception as error:
            self._recover(error)
            self._refused = f"not acknowledged: {error}"
            refused = UnavailableError(self._refused)
            answers = [_Answer(task.done, None, refused) for task in group]
        if answers:
            with contextlib.suppress(RuntimeError):  # nobody is there any more
                group[0].done.get_loop().call_soon_threadsafe(_resolve, answers)

    def _commit(self) -> None:
        """Make safe what was learned, then show it to readers."""
        learned = self._taught.take()
        if learned.texts:
            self.ledger.log.append_texts(learned.texts)
            start = time.perf_counter()
            self.ledger.log.sync()
            self.counts.sync_seconds += time.perf_counter() - start
            self.counts.synced += 1
            self.counts.learned += len(learned.texts)
            self._outcomes += learned.outcomes
            self._publish(learned.rows)
        if len(self._outcomes) >= _NOTED_AT_ONCE or time.monotonic() >= self._note_at:
            self._note_at = time.monotonic() + _NOTED_EVERY
            outcomes, self._outcomes = self._outcomes, []
            self.course.note(outcomes, self.kept.watched)
        self.kept.refresh()

    def _publish(self, rows: Sequence[dict[str, Any]] = ()) -> None:
        self.kept.publish(rows)
        watched = self.kept.watched
        self.n_examples = watched.examples_seen
        self.memory_bytes, self.n_shrubs = watched.memory_bytes, watched.n_shrubs

    def _recover(self, error: Exception) -> None:
        """Go back to what the files say, as after a kill."""
        try:
            self.ledger.close()
            self.kept.close()
            self._open()
        except Exception as again:
            self._trouble = f"{error}, and then: {again}"

    def _save(self, *, compact: bool) -> None:
        self._save_at = time.monotonic() + self._save_every
        compact = compact or self.ledger.log.n_bytes > self._max_log
        if self._trouble or (self.n_examples == self._n_saved and not compact):
            return
        self.kept.save(self.ledger.announce)
        if compact:
            self.ledger.begin(self.kept.digest)
        self._n_saved = self.n_examples
        self.counts.saved += 1


def _read_lines(body: bytes) -> AlikeRows | list[Any]:
    """What is in lines: as columns, if they are alike. Raises ValueError."""
    rows = read_rows(body)
    return parse_lines(body) if rows is None else rows


def _resolve(answers: Sequence[_Answer]) -> None:
    for answer in answers:
        if answer.done.cancelled():
            continue
        if answer.error is None:
            answer.done.set_result(answer.found)
        else:
            answer.done.set_exception(answer.error)
