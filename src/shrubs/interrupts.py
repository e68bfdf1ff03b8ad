"""Signals that wait for the end of something that must not be left half done, or end it well."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

__all__ = ["Stop", "ended_by_signal", "uninterrupted"]

_TERMINATED = 128 + signal.SIGTERM


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Raise KeyboardInterrupt after the body, if Ctrl-C came meanwhile; a second one at once.

    Only the main thread hears of Ctrl-C, so elsewhere there is nothing to do.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def remember(number: int, frame: object) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


@contextlib.contextmanager
def ended_by_signal() -> Iterator[None]:
    """Let SIGTERM raise SystemExit, so that what is kept at the end is kept."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(_TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Stop:
    """Notes SIGTERM and SIGINT for a loop that looks at it between two steps.

    ``asked`` says whether one came. A second SIGINT raises KeyboardInterrupt at once.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Stop:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _note(self, number: int, frame: object) -> None:
        again, self.asked = self.asked, True
        if again and number == signal.SIGINT:
            raise KeyboardInterrupt
