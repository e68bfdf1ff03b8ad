"""Where runs are done: this machine, or an existing distributed engine."""

from shrubs.runners.local import Job, Listener, Progress, do_job, run_all

__all__ = ["Job", "Listener", "Progress", "do_job", "run_all"]
