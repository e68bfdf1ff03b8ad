"""How far one piece of work is: a line that changes, or a line now and then."""

from __future__ import annotations

import time

from shrubs.cli.console import say

__all__ = ["SECONDS_BETWEEN_LINES", "Progress"]

SECONDS_BETWEEN_LINES = 30.0
"""Where there is no terminal, lest a log fill up."""


class Progress:
    """A terminal shows what was told last; elsewhere it is one line now and then."""

    def __init__(self, beginning: str) -> None:
        self._status = say.status(beginning)
        self._said = time.monotonic()

    def __enter__(self) -> Progress:
        if say.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._status.stop()

    def tell(self, line: str) -> None:
        """Say how far it is."""
        if say.is_terminal:
            self._status.update(line)
        elif time.monotonic() - self._said >= SECONDS_BETWEEN_LINES:
            self._said = time.monotonic()
            say.print(line, soft_wrap=True)
