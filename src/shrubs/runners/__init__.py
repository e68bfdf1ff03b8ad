"""Where runs are done: this machine, or an existing distributed engine."""

from shrubs.runners.local import Listener, Progress, run_all

__all__ = ["Listener", "Progress", "run_all"]
