"""Learners by key that are killed at any moment end as those of a plain loop.

What was acknowledged is there after every kill, and nothing is learned twice.
"""

import os
import random
import signal
import sys
import time

import pytest

from shrubs import PaperShrubClassifier
from shrubs.keyed import KeyedLearners, SQLiteStore
from tests.attacks.budget import rounds
from tests.reference.keyed import PlainKeyedLearners

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there are no forks"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

N_EXAMPLES = 4000
N_KEYS = 30


def make():
    return PaperShrubClassifier(max_shrubs=2, window_size=8)


def example(i):
    draw = random.Random(i)
    x = [draw.random(), draw.random()]
    return draw.randrange(N_KEYS), x, x[0] > 0.5


def learn(path, said):
    """Learn from where the store stands, and say how far that is after each flush."""
    with KeyedLearners(make, SQLiteStore(path), memory_budget="30KB") as learners:
        done = int(learners.progress or 0)
        while done < N_EXAMPLES:
            end = min(done + 1 + done % 97, N_EXAMPLES)
            for i in range(done, end):
                learners.learn_one(*example(i))
            learners.flush(str(end))
            done = end
            os.write(said, b"%d\n" % done)


def run_and_kill(path, draw):
    """What a process had acknowledged when it was killed, or ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            learn(path, writer)
        finally:
            os._exit(0)
    os.close(writer)
    time.sleep(draw.random() * draw.choice((0.02, 0.3)))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as file:
        said = file.read().split()
    return int(said[-1]) if said else 0


def test_kills_lose_nothing_that_was_acknowledged_and_repeat_nothing(tmp_path):
    path = tmp_path / "learners.db"
    for draw in rounds(25):
        acknowledged = run_and_kill(path, draw)
        store = SQLiteStore(path)
        assert int(store.progress() or 0) >= acknowledged
        store.close()
    with KeyedLearners(make, SQLiteStore(path)) as learners:
        done = int(learners.progress or 0)
        expected = PlainKeyedLearners(make)
        for i in range(done):
            expected.learn_one(*example(i))
        assert done > 0
        assert {key: learners.learner(key).to_bytes() for key in learners} == expected.states()
