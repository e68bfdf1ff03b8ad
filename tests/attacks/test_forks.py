"""Forks while threads work: the child finds every learner between two examples, and free."""

import os
import threading
import time

import numpy as np
import pytest

from shrubs import PaperShrubClassifier, ShrubClassifier, ShrubRegressor
from tests.attacks.budget import rounds

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

X = np.random.default_rng(0).uniform(size=(3000, 4))
Y = (X[:, 0] > 0.5).astype(int)
MAKE = {
    "paper": lambda: PaperShrubClassifier(max_shrubs=8, window_size=64),
    "untuned": lambda: ShrubClassifier(memory_limit="64KB"),
    "regressor": lambda: ShrubRegressor(memory_limit="64KB"),
}


def forked(action, seconds=20.0):
    """Whether a child that runs the action ends well and in time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if action() else 2
        finally:
            os._exit(status)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


class Working:
    """A thread that works again and again until the block ends."""

    def __init__(self, *actions):
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(one,)) for one in actions]

    def _run(self, action):
        while not self._stop.is_set():
            action()

    def __enter__(self):
        for thread in self._threads:
            thread.start()

    def __exit__(self, *args):
        self._stop.set()
        for thread in self._threads:
            thread.join()


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_a_child_can_use_a_learner_that_a_thread_was_using(make):
    learner = make().partial_fit(X, Y)

    def use():
        seen = learner.examples_seen
        whole = learner.from_bytes(learner.to_bytes())  # refuses what contradicts itself
        learner.partial_fit(X[:20], Y[:20])
        whole.partial_fit(X[:20], Y[:20])
        return learner.examples_seen == seen + 20 and learner.to_bytes() == whole.to_bytes()

    with Working(lambda: learner.partial_fit(X, Y), lambda: learner.predict(X)):
        for draw in rounds(8):
            time.sleep(0.02 * draw.random())
            assert forked(use)
    assert learner.examples_seen % len(X) == 0


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_a_child_can_use_a_snapshot_that_a_thread_was_using(make):
    learner = make().partial_fit(X, Y)
    snapshot, expected = learner.snapshot(), learner.predict(X[:20])
    with Working(lambda: snapshot.predict(X), lambda: snapshot.predict_one(X[0])):
        for draw in rounds(8):
            time.sleep(0.01 * draw.random())
            assert forked(lambda: np.array_equal(snapshot.predict(X[:20]), expected))


@pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
def test_a_child_can_use_a_learner_whose_tables_were_growing():
    learner = ShrubClassifier().learn_one({"a": 1.0}, 0)

    def grow():
        i = learner.examples_seen
        learner.learn_one({"a": 1.0, "b": f"text {i % 500}", f"c {i % 40}": 1.0}, f"label {i % 60}")

    def use():
        learner.learn_one({"a": 1.0, "b": "text of the child"}, "label of the child")
        return learner.to_bytes() == learner.from_bytes(learner.to_bytes()).to_bytes()

    with Working(grow):
        for draw in rounds(15):
            time.sleep(0.005 * draw.random())
            assert forked(use)


def test_a_value_may_fork_while_it_is_read():
    class Forking:
        def __float__(self):
            assert forked(lambda: refused(learner))
            return 0.5

    def refused(learner):
        with pytest.raises(RuntimeError, match="in use"):
            learner.learn_one([1.0], 0)
        return True

    learner = ShrubClassifier().learn_one([1.0], 0)
    learner.learn_one([Forking()], 1)
    assert learner.examples_seen == 2
