"""What is kept of a run."""

from shrubs.results.record import Record
from shrubs.results.store import append, read, to_frame

__all__ = ["Record", "append", "read", "to_frame"]
