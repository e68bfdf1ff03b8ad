"""Answers on their way out: at once, and never so that nobody knows whether one has left."""

from __future__ import annotations

import os
import select
import sys

from shrubs.interrupts import Stop

__all__ = ["Output", "StoppedError"]

_TICK = 0.2  # seconds between two looks
_PIPE_BYTES = getattr(select, "PIPE_BUF", 512)  # as many as there is room for when there is room


class StoppedError(Exception):
    """An answer that could not leave before it was time to stop."""


class Output:
    """A descriptor that texts go to. A reader may keep it waiting, but not from stopping."""

    def __init__(self, descriptor: int, stop: Stop) -> None:
        self._descriptor = descriptor
        self._stop = stop

    def write(self, text: str) -> None:
        """Hand a text on; raises StoppedError if it is time to stop and there is no room for it."""
        data = text.encode(errors="backslashreplace")
        while data:
            if self._has_room():
                data = data[os.write(self._descriptor, data[:_PIPE_BYTES]) :]
            elif self._stop.asked:
                raise StoppedError

    def _has_room(self) -> bool:
        if sys.platform == "win32":  # only sockets can be waited for there
            return True
        return bool(select.select([], [self._descriptor], [], _TICK)[1])
