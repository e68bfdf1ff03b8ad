"""What is kept of a run."""

from shrubs.results.record import Failure, Record
from shrubs.results.store import Records, append, mend, read, to_frame
from shrubs.results.study_directory import StudyDirectory

__all__ = ["Failure", "Record", "Records", "StudyDirectory", "append", "mend", "read", "to_frame"]
