"""Which runs to do, and how to do one."""
