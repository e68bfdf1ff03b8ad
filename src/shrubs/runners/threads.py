"""Runs on this machine, by threads that each watch one process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from shrubs.experiments.job import Job
from shrubs.experiments.study import Limits
from shrubs.results import Record
from shrubs.runners.process.child import Standing
from shrubs.runners.process.watched import WatchedProcess
from shrubs.runners.study import Running

__all__ = ["Threads"]

_SECONDS_TO_END_EARLY = 10.0


class Threads:
    """As many runs at a time as there are workers; by default one per core."""

    def __init__(self, workers: int | None = None) -> None:
        self._executor = ThreadPoolExecutor(workers or os.cpu_count() or 1)
        self._own = threading.local()
        self._processes: list[WatchedProcess] = []
        self._running: dict[int, tuple[Job, float, Standing | None]] = {}
        self._futures: list[Future[Record]] = []
        self._ending = threading.Event()
        self._stopped = threading.Event()

    def submit(self, job: Job, limits: Limits) -> Future[Record]:
        """Have a run done as soon as a thread is free."""
        future = self._executor.submit(self._do, job, limits)
        self._futures.append(future)
        return future

    def running(self) -> Sequence[Running]:
        """The runs under way, oldest first."""
        now = time.monotonic()
        states = sorted(self._running.copy().values(), key=lambda state: state[1])
        return [Running(job, now - start, standing) for job, start, standing in states]

    def end_early(self) -> None:
        """Have the runs under way end at their next block, and wait a little for their records."""
        self._ending.set()
        self._executor.shutdown(wait=False, cancel_futures=True)
        wait([f for f in self._futures if not f.cancelled()], _SECONDS_TO_END_EARLY)

    def close(self) -> None:
        """Give up all runs that are not done, and end the processes."""
        self._stopped.set()
        self._executor.shutdown(cancel_futures=True)
        for process in self._processes:
            process.close()

    def _do(self, job: Job, limits: Limits) -> Record:
        thread = threading.get_ident()
        start = time.monotonic()
        self._running[thread] = (job, start, None)

        def report(standing: Standing) -> None:
            self._running[thread] = (job, start, standing)

        try:
            return self._process().do(
                job,
                limits,
                report=report,
                ends_early=self._ending.is_set,
                is_stopped=self._stopped.is_set,
            )
        finally:
            del self._running[thread]

    def _process(self) -> WatchedProcess:
        """The process of this thread."""
        if not hasattr(self._own, "process"):
            self._own.process = WatchedProcess()
            self._processes.append(self._own.process)
        process: WatchedProcess = self._own.process
        return process
