"""The process in which runs are done, one after the other.

It is watched, and killed if need be, by `shrubs.runners.process.watched`. Orders come in as pickles
through standard input, `EndEarly` among them. Through standard output go a `Standing` now and then
while a run goes on, then its record, or `Broken`. The process ends when its input does, so it never
outlives who started it.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import math
import os
import pickle
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from shrubs.evaluation import Evaluation
from shrubs.experiments.job import Job, do_job_on
from shrubs.experiments.registry import make_stream
from shrubs.protocols import Stream
from shrubs.results import Record

__all__ = ["Broken", "EndEarly", "Order", "Ready", "Standing", "main"]

_SECONDS_BETWEEN_REPORTS = 0.1


@dataclass(frozen=True)
class Order:
    """A run to do. After ``last_resort_seconds`` the process ends itself, watched or not."""

    job: Job
    last_resort_seconds: float


@dataclass(frozen=True)
class EndEarly:
    """The run under way is to end at its next block, with a record of what it has until then."""


@dataclass(frozen=True)
class Ready:
    """The process waits for orders."""


@dataclass(frozen=True)
class Standing:
    """How far a run is, and all metrics so far."""

    n_examples: int
    length: int | None
    metrics: dict[str, float | None]


@dataclass(frozen=True)
class Broken:
    """The run raised an exception."""

    message: str


def main() -> None:
    """Do the runs that are ordered, until there are no more orders."""
    orders, answers = _take_channels()
    _leave_no_core_dump()
    send = functools.partial(_send, answers)
    todo: queue.SimpleQueue[Order] = queue.SimpleQueue()
    ending = threading.Event()
    threading.Thread(target=_listen, args=(orders, todo, ending), daemon=True).start()
    send(Ready())
    while True:
        send(_do(todo.get(), _reporter(send, ending)))


def _take_channels() -> tuple[IO[bytes], IO[bytes]]:
    """Keep standard input and output for the messages; what learners print goes nowhere."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return orders, answers


def _leave_no_core_dump() -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _listen(orders: IO[bytes], todo: queue.SimpleQueue[Order], ending: threading.Event) -> None:
    """Pass orders on; when they end, by intent or by the death of who gave them, end at once."""
    try:
        while True:
            message = pickle.load(orders)
            if isinstance(message, EndEarly):
                ending.set()
            else:
                ending.clear()
                todo.put(message)
    finally:
        os._exit(0)


def _send(answers: IO[bytes], message: Any) -> None:
    pickle.dump(message, answers)
    answers.flush()


_Report = Callable[[Evaluation, int | None], None]


def _do(order: Order, report: _Report) -> Record | Broken:
    # This watch needs no Python, so it also ends a run that never lets go of the interpreter.
    if math.isfinite(order.last_resort_seconds):
        faulthandler.dump_traceback_later(order.last_resort_seconds, exit=True)
    job = order.job
    try:
        stream = _open(job.stream, job.file, job.seed, json.dumps(dict(job.stream_options)))
        return do_job_on(stream, job, report)
    except Exception as error:  # whatever a learner raises
        return Broken(f"{type(error).__name__}: {error}".strip().removesuffix(":"))
    finally:
        faulthandler.cancel_dump_traceback_later()


@functools.lru_cache(maxsize=1)
def _open(name: str, file: str | None, seed: int, options: str) -> Stream:
    """The stream of the last run is often that of the next, and some take a second to open."""
    return make_stream(name, file=file, seed=seed, **json.loads(options))


def _reporter(send: Callable[[Any], None], ending: threading.Event) -> _Report:
    last = 0.0

    def report(evaluation: Evaluation, length: int | None) -> None:
        nonlocal last
        if ending.is_set():
            raise KeyboardInterrupt
        if time.monotonic() - last >= _SECONDS_BETWEEN_REPORTS:
            last = time.monotonic()
            send(Standing(evaluation.n_examples, length, evaluation.values()))

    return report
