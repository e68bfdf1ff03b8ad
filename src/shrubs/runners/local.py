"""Runs on this machine, one process each, as many at a time as there are cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from queue import Empty
from typing import Any, Protocol

from shrubs.evaluation import Evaluation
from shrubs.experiments.job import Job, do_job
from shrubs.interrupts import uninterrupted
from shrubs.results import Record

__all__ = ["Listener", "Progress", "run_all"]

_SECONDS_BETWEEN_REPORTS = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a run is; ``score`` is its accuracy, or R² for a regression."""

    job: int
    n_examples: int
    length: int | None
    score: float
    memory_bytes: int
    seconds: float


class Listener(Protocol):
    """Hears of every run as it goes on, ends or fails; ``job`` is the position of its job."""

    def on_progress(self, progress: Progress) -> None:
        """Hear how far a run is."""

    def on_record(self, job: int, record: Record) -> None:
        """Hear that a run has ended."""

    def on_failure(self, job: int, message: str) -> None:
        """Hear that a run has failed."""


def run_all(jobs: Sequence[Job], listener: Listener, *, workers: int | None = None) -> None:
    """Do all runs.

    Ctrl-C ends the runs under way early: their records come with ``finished=False``. Runs that
    have not begun are left out. Then KeyboardInterrupt is raised.
    """
    context = multiprocessing.get_context("spawn")
    n_workers = min(workers or os.cpu_count() or 1, len(jobs))
    with (
        context.Manager() as manager,
        ProcessPoolExecutor(n_workers, mp_context=context, initializer=_ignore_interrupts) as pool,
    ):
        queue, stop = manager.Queue(), manager.Event()
        futures = {
            pool.submit(_work, index, job, queue, stop): index for index, job in enumerate(jobs)
        }
        waiting = set(futures)
        try:
            _follow(waiting, futures, queue, listener)
        except KeyboardInterrupt:
            stop.set()
            waiting -= {future for future in waiting if future.cancel()}
            _follow(waiting, futures, queue, listener)
            raise


def _follow(
    waiting: set[Future[Any]], jobs: Mapping[Future[Any], int], queue: Any, listener: Listener
) -> None:
    """Tell the listener of every run that is waited for; those told of are waited for no more."""
    while waiting:
        with uninterrupted():  # half a message would upset the queue for good
            done, _ = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            for progress in _drain(queue):
                listener.on_progress(progress)
            for future in done:
                waiting.discard(future)
                _tell(listener, jobs[future], future)


def _tell(listener: Listener, job: int, future: Future[Any]) -> None:
    error = future.exception()
    if error is not None:
        listener.on_failure(job, str(error) or type(error).__name__)
        return
    record = future.result()
    if record is not None:
        listener.on_record(job, record)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, which tells the runs to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _drain(queue: Any) -> list[Progress]:
    found = []
    while True:
        try:
            found.append(queue.get_nowait())
        except Empty:
            return found


def _work(index: int, job: Job, queue: Any, stop: Any) -> Record | None:
    """Do a run in a process of its own; None if it was stopped before it began."""
    if stop.is_set():
        return None
    last = 0.0

    def report(evaluation: Evaluation, length: int | None) -> None:
        nonlocal last
        if time.monotonic() - last < _SECONDS_BETWEEN_REPORTS:
            return
        last = time.monotonic()
        if stop.is_set():
            raise KeyboardInterrupt
        values = evaluation.metrics.values()
        memory = evaluation.trace[-1].memory_bytes if evaluation.trace else 0
        queue.put(
            Progress(
                index,
                evaluation.n_examples,
                length,
                values.get("accuracy", values.get("r2")) or 0.0,
                memory,
                evaluation.predict_seconds + evaluation.learn_seconds,
            )
        )

    return do_job(job, report)
