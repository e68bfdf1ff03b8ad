"""Does the runs of a study, wherever they are done."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Protocol

from shrubs.experiments.job import Job
from shrubs.experiments.study import Limits
from shrubs.results import Record
from shrubs.runners.child import Standing

__all__ = ["Place", "Running", "StudyListener", "run_study"]

_SECONDS_BETWEEN_TICKS = 0.25


@dataclass(frozen=True)
class Running:
    """A run under way, and how it stands if that is known."""

    job: Job
    seconds: float
    standing: Standing | None


class Place(Protocol):
    """Where runs are done: a standard executor, and a task that does a run under watch."""

    def submit(self, job: Job, limits: Limits) -> Future[Record]:
        """Have a run done."""

    def running(self) -> Sequence[Running] | int:
        """The runs under way, or how many there are at most."""

    def close(self) -> None:
        """Give up all runs that are not done."""


class StudyListener(Protocol):
    """Hears of the study as it goes on, in one thread."""

    def on_record(self, job: Job, record: Record) -> None:
        """Hear that a run has ended, well or badly."""

    def on_lost(self, job: Job, message: str) -> None:
        """Hear that the place of a run failed, not the run: it is to be done another time."""

    def on_tick(self, running: Sequence[Running] | int) -> None:
        """Hear what is running."""


def run_study(jobs: Sequence[Job], limits: Limits, place: Place, listener: StudyListener) -> None:
    """Do all runs; Ctrl-C gives up those under way, which leave no trace."""
    ended: queue.SimpleQueue[tuple[Job, Future[Record]]] = queue.SimpleQueue()
    try:
        for job in jobs:
            place.submit(job, limits).add_done_callback(_put(ended, job))
        waiting = len(jobs)
        while waiting:
            try:
                job, future = ended.get(timeout=_SECONDS_BETWEEN_TICKS)
            except queue.Empty:
                pass
            else:
                waiting -= 1
                _tell(listener, job, future)
            listener.on_tick(place.running())
    finally:
        place.close()


def _put(
    ended: queue.SimpleQueue[tuple[Job, Future[Record]]], job: Job
) -> Callable[[Future[Record]], None]:
    return lambda future: ended.put((job, future))


def _tell(listener: StudyListener, job: Job, future: Future[Record]) -> None:
    try:
        record = future.result()
    except CancelledError:
        listener.on_lost(job, "the cluster gave it up")
    except Exception as error:  # whatever the place ran into
        listener.on_lost(job, str(error) or type(error).__name__)
    else:
        listener.on_record(job, record)
