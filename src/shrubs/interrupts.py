"""Lets Ctrl-C wait for the end of something that must not be left half done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

__all__ = ["uninterrupted"]


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
