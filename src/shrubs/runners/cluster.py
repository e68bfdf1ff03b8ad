"""Runs on many machines, by the workers of a Dask cluster (extra ``shrubs[dask]``).

Every task watches the process of its run on the machine where it is done. A task whose worker dies
is done again on another one.
"""

from __future__ import annotations

import contextlib
import math
import time
from concurrent.futures import Future

from shrubs.experiments.job import Job
from shrubs.experiments.study import Limits
from shrubs.messages import shown
from shrubs.results import Record
from shrubs.runners.process.watched import WatchedProcess

__all__ = ["Cluster"]

_SECONDS_BETWEEN_QUESTIONS = 5.0


class Cluster:
    """The workers behind the scheduler at ``address``, such as ``tcp://10.0.0.1:8786``.

    Every thread of a worker does one run at a time. The workers need the same version of shrubs,
    the same extras, and the data of the streams. ``timeout`` is how long the scheduler may take to
    answer, in seconds.
    """

    def __init__(self, address: str, *, timeout: float = 30.0) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise ImportError(
                "a study on a cluster needs Dask; install it with: pip install 'shrubs[dask]'"
            ) from None
        try:
            self._client = Client(address, name="shrubs-study", timeout=timeout)
        except (OSError, ValueError, TypeError) as error:
            raise ValueError(f"no Dask scheduler answers at {shown(address)}: {error}") from None
        self._executor = self._client.get_executor(pure=False)
        self._n_threads = 0
        self._asked = -math.inf

    def submit(self, job: Job, limits: Limits) -> Future[Record]:
        """Have a run done by a worker."""
        future: Future[Record] = self._executor.submit(_do_on_worker, job, limits)
        return future

    def running(self) -> int:
        """How many runs the workers do at a time; workers come and go, so it asks now and then."""
        if time.monotonic() - self._asked > _SECONDS_BETWEEN_QUESTIONS:
            with contextlib.suppress(OSError):  # a scheduler that is gone loses its runs anyway
                self._n_threads = sum(self._client.nthreads().values())
            self._asked = time.monotonic()
        return self._n_threads

    def end_early(self) -> None:
        """Do nothing: the workers cannot be asked, so their runs leave no record."""

    def close(self) -> None:
        """Give up all runs that are not done."""
        self._executor.shutdown(wait=False)
        self._client.close()


def _do_on_worker(job: Job, limits: Limits) -> Record:
    """Do one run, in a thread of a worker, in a process that ends with it."""
    from distributed import get_worker

    worker = get_worker()
    key, tasks = worker.get_current_task(), worker.state.tasks

    def is_stopped() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled"

    process = WatchedProcess()
    try:
        return process.do(job, limits, is_stopped=is_stopped)
    finally:
        process.close()
