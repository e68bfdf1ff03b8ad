"""The process of `shrubs.runners.process.child`, seen from the one that starts it."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import Any

import psutil

from shrubs.runners.process.child import EndEarly, Order, Ready

__all__ = ["ChildProcess", "Gone", "Usage"]

# The first place on the path would be this directory, before the packages.
_PROGRAM = """
import sys
sys.path[:], sys.argv[1:] = sys.argv[1:], []
from shrubs.runners.process.child import main
main()
"""
_SECONDS_TO_START = 120.0
_SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_COUNTS = 1.0


class Gone(Exception):  # noqa: N818
    """The process has ended by itself."""


@dataclass(frozen=True)
class Usage:
    """The time by the clock, seconds of computing so far, and resident memory."""

    clock: float
    seconds: float
    resident_bytes: int


class ChildProcess:
    """A process that waits for orders; it takes half a second to start.

    It finds the modules that this one finds now, at the same places.
    """

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *map(str, sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # a group of its own: killed as one, and deaf to Ctrl-C
        )
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._family: list[psutil.Process] = []
        self._counted = 0.0
        self._said_before = 0
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            started = isinstance(self.receive(_SECONDS_TO_START), Ready)
        except Gone as error:
            self.kill()
            raise RuntimeError(f"a process for runs did not start: {error}") from None
        if not started:
            self.kill()
            raise RuntimeError("a process for runs did not start in time")
        self._first_bytes = self.usage().resident_bytes

    def _listen(self) -> None:
        assert self._process.stdout is not None
        # A process that is killed may leave half a message.
        with self._process.stdout as answers, contextlib.suppress(EOFError, pickle.PickleError):
            while True:
                self._messages.put(pickle.load(answers))
        self._messages.put(None)

    def send(self, order: Order | EndEarly) -> None:
        """Order a run, or its early end."""
        assert self._process.stdin is not None
        self._said_before = os.fstat(self._errors.fileno()).st_size
        try:
            pickle.dump(order, self._process.stdin)
            self._process.stdin.flush()
        except OSError:
            raise Gone(self._last_words()) from None

    def receive(self, seconds: float) -> Any:
        """The next message, or None if none comes in time."""
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if message is None:
            raise Gone(self._last_words())
        return message

    def _last_words(self) -> str:
        try:
            code = self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return "the process does not answer any more"
        names = {number.value: number.name for number in signal.Signals}
        how = f"signal {names.get(-code, -code)}" if code < 0 else f"exit code {code}"
        self._errors.seek(self._said_before)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"the process ended with {how}" + (f": {said[-1]}" if said else "")

    def usage(self) -> Usage:
        """What the process and all that it started have taken."""
        if time.monotonic() - self._counted > _SECONDS_BETWEEN_COUNTS:
            self._count_family()
        seconds, resident = 0.0, 0
        for each in self._family:
            with contextlib.suppress(psutil.Error), each.oneshot():
                times = each.cpu_times()
                seconds += times.user + times.system
                resident += each.memory_info().rss
        return Usage(time.monotonic(), seconds, resident)

    def _count_family(self) -> None:
        """Looking for children goes through all processes of the machine, so it is rare."""
        self._family = []
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            self._family = [process, *process.children(recursive=True)]
        self._counted = time.monotonic()

    def kept_bytes(self) -> int:
        """What it has grown by since it started."""
        return self.usage().resident_bytes - self._first_bytes

    def kill(self) -> None:
        """End it at once, with all that it started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._errors.close()
