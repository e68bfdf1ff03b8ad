"""Waits for what must happen, however busy the machine is."""

import time

import psutil

PATIENCE = 300  # seconds until a test that hangs is given up


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def wait_for_end(processes):
    """Wait until they have ended; whether anybody asks what became of them does not matter."""
    wait_for(lambda: all(map(_has_ended, processes)))


def _has_ended(process):
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def lines(path):
    return path.read_text().count("\n") if path.exists() else 0
