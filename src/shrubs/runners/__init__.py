"""Where runs are done: this machine, or an existing distributed engine."""
