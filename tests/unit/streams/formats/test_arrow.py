"""Text that pyarrow parses."""

import os
import signal
import threading

import pytest

pytest.importorskip("pyarrow.csv")

from shrubs.streams.formats._arrow import arrow_data
from shrubs.streams.formats.table import Column


@pytest.mark.skipif(os.name == "nt", reason="signals are not for Windows")
def test_a_signal_that_comes_meanwhile_is_heard():
    text = b"".join(b"%d,red\n" % i for i in range(20_000))
    columns = [Column("id", "number"), Column("colour", "nominal")]
    heard = threading.Semaphore(0)
    was_heard = []
    is_over = threading.Event()

    def send():
        while len(was_heard) < 50 and not is_over.is_set():
            os.kill(os.getpid(), signal.SIGTERM)
            was_heard.append(heard.acquire(timeout=2))
        is_over.set()

    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.release())
    sender = threading.Thread(target=send)
    sender.start()
    try:
        while not is_over.is_set():
            arrow_data(text, columns, {0, 1}, ",")
    finally:
        is_over.set()
        sender.join()
        signal.signal(signal.SIGTERM, before)
    assert was_heard == [True] * 50
