"""What is kept of a run."""

from shrubs.results.record import Failure, Record
from shrubs.results.store import append, mend, read, to_frame

__all__ = ["Failure", "Record", "append", "mend", "read", "to_frame"]
