"""Does the runs of a study or a race, wherever they are done."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Protocol

from shrubs.experiments.job import Job
from shrubs.experiments.study import Limits
from shrubs.interrupts import uninterrupted
from shrubs.results import Record
from shrubs.runners.process.child import Standing

__all__ = ["Listener", "Place", "Running", "run_study"]

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

    def end_early(self) -> None:
        """Have the runs under way end early, if they can be asked, and begin no others."""

    def close(self) -> None:
        """Give up all runs that are not done."""


class Listener(Protocol):
    """Hears of the runs as they go on, in one thread."""

    def on_record(self, job: Job, record: Record) -> None:
        """Hear that a run has ended, well or badly."""

    def on_lost(self, job: Job, message: str) -> None:
        """Hear that the place of a run failed, not the run: it is to be done another time."""

    def on_tick(self, running: Sequence[Running] | int) -> None:
        """Hear what is running."""

    def on_interrupt(self) -> None:
        """Hear that Ctrl-C came, and that the runs under way are about to end early."""


def run_study(jobs: Sequence[Job], limits: Limits, place: Place, listener: Listener) -> None:
    """Do all runs.

    Ctrl-C lets the runs under way end early: their records come with ``finished=False``, and runs
    that do not end within seconds leave none. A second Ctrl-C gives them up at once. Then
    KeyboardInterrupt is raised.
    """
    waiting: dict[Future[Record], Job] = {}
    ended: queue.SimpleQueue[Future[Record]] = queue.SimpleQueue()
    try:
        for job in jobs:
            future = place.submit(job, limits)
            waiting[future] = job
            future.add_done_callback(ended.put)
        while waiting:
            with contextlib.suppress(queue.Empty):
                future = ended.get(timeout=_SECONDS_BETWEEN_TICKS)
                with uninterrupted():
                    _tell(listener, waiting.pop(future), future)
            listener.on_tick(place.running())
    except KeyboardInterrupt:
        listener.on_interrupt()
        place.end_early()
        for future, job in waiting.items():
            if future.done() and not future.cancelled():
                _tell(listener, job, future)
        raise
    finally:
        place.close()


def _tell(listener: Listener, job: Job, future: Future[Record]) -> None:
    try:
        record = future.result()
    except CancelledError:
        listener.on_lost(job, "the cluster gave it up")
    except Exception as error:  # whatever the place ran into
        listener.on_lost(job, str(error) or type(error).__name__)
    else:
        listener.on_record(job, record)
