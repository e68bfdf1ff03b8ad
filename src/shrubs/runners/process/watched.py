"""A run in a process of its own, watched from outside: too slow, too large, or gone.

The process does many runs, since starting one takes longer than a short run. It is killed when a
run exceeds a limit, and then replaced.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from shrubs.experiments.job import Job
from shrubs.experiments.study import Limits
from shrubs.results import Failure, Record
from shrubs.runners.process.child import Broken, EndEarly, Order, Standing
from shrubs.runners.process.child_process import ChildProcess, Gone, Usage

__all__ = ["Stopped", "WatchedProcess"]

_SECONDS_BETWEEN_LOOKS = 0.1
_GRACE_SECONDS = 60.0
_SECONDS_BEFORE_BLAME = 0.5
_MUCH_TO_KEEP_BYTES = 1024**3


class Stopped(Exception):  # noqa: N818
    """The run was given up because nobody wants it any more."""


class _Exceeded(Exception):  # noqa: N818
    def __init__(self, failure: Failure, message: str) -> None:
        super().__init__(message)
        self.failure = failure


class WatchedProcess:
    """Does runs in another process and returns a record of each, whatever happens to it.

    Not for several threads at once.
    """

    def __init__(self) -> None:
        self._child: ChildProcess | None = None

    def do(
        self,
        job: Job,
        limits: Limits,
        *,
        report: Callable[[Standing], None] = lambda standing: None,
        ends_early: Callable[[], bool] = lambda: False,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Record:
        """Do one run within its limits; a failed one gives a record that says why.

        When ``ends_early`` says so, the run is asked to end at its next block. Raises `Stopped`
        soon after ``is_stopped`` says so.
        """
        run = _Run(job, limits, report, ends_early, is_stopped)
        child = self._child = self._child or ChildProcess()
        try:
            record = run.follow(child)
        except (_Exceeded, Gone) as reason:
            self.close()
            if isinstance(reason, Gone):
                # Whoever kills a whole study may kill this process last; then it is no crash.
                time.sleep(_SECONDS_BEFORE_BLAME)
                return run.failed("crash", str(reason))
            return run.failed(reason.failure, str(reason))
        except BaseException:
            self.close()
            raise
        if child.kept_bytes() > min(limits.max_process_bytes / 2, _MUCH_TO_KEEP_BYTES):
            self.close()
        return record

    def close(self) -> None:
        """Kill the process and all that it started."""
        if self._child is not None:
            self._child.kill()
            self._child = None


class _Run:
    """One run, seen from outside."""

    def __init__(
        self,
        job: Job,
        limits: Limits,
        report: Callable[[Standing], None],
        ends_early: Callable[[], bool],
        is_stopped: Callable[[], bool],
    ) -> None:
        self.job = job
        self.limits = limits
        self.report = report
        self.ends_early = ends_early
        self.is_stopped = is_stopped
        self.asked_to_end = False
        self.last: Standing | None = None

    def follow(self, child: ChildProcess) -> Record:
        """Order the run, and watch it until its record comes."""
        before = child.usage()
        last_resort = self.limits.max_wall_seconds + _GRACE_SECONDS
        child.send(Order(self.job, last_resort))
        while True:
            message = child.receive(_SECONDS_BETWEEN_LOOKS)
            if isinstance(message, Broken):
                return self.failed("error", message.message)
            if isinstance(message, Record):
                self._check_model(message.metrics.get("max_memory_bytes"))
                return message
            if isinstance(message, Standing):
                self.last = message
                self.report(message)
                self._check_model(message.metrics.get("max_memory_bytes"))
            self._pass_on_wishes(child)
            self._check_process(before, child.usage())

    def _pass_on_wishes(self, child: ChildProcess) -> None:
        if self.is_stopped():
            raise Stopped
        if self.ends_early() and not self.asked_to_end:
            self.asked_to_end = True
            child.send(EndEarly())

    def failed(self, failure: Failure, message: str) -> Record:
        """The record of the run that failed, with the metrics last heard of."""
        if self.last is None:
            return self.job.failed(failure, message)
        return self.job.failed(
            failure, message, n_examples=self.last.n_examples, metrics=self.last.metrics
        )

    def _check_model(self, model_bytes: float | None) -> None:
        limit = self.limits.max_model_bytes
        if (model_bytes or 0) > limit:
            raise _Exceeded(
                "memory", f"the model has {model_bytes:,.0f} bytes, more than {limit:,}"
            )

    def _check_process(self, before: Usage, now: Usage) -> None:
        limits = self.limits
        if now.seconds - before.seconds > limits.max_seconds:
            raise _Exceeded("time", f"took more than {limits.max_seconds:g} seconds of computing")
        if now.clock - before.clock > limits.max_wall_seconds:
            raise _Exceeded("time", f"took more than {limits.max_wall_seconds:g} seconds")
        grown = now.resident_bytes - before.resident_bytes
        if grown > limits.max_process_bytes:
            raise _Exceeded(
                "memory",
                f"the process has grown by {grown:,} bytes, more than {limits.max_process_bytes:,}",
            )
