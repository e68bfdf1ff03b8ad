"""Ctrl-C during a long call: heard at once, between two examples, and nothing is lost."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier, ShrubRegressor
from tests.attacks.budget import sanitized

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(400_000, 8))
Y = (X[:, 0] + X[:, 1] > 1).astype(int)
MAKE = {
    "paper": lambda: PaperShrubClassifier(max_shrubs=32, window_size=256),
    "paper regressor": lambda: PaperShrubRegressor(max_shrubs=32, window_size=256),
    "untuned": ShrubClassifier,
    "untuned regressor": ShrubRegressor,
}
EVERY_KIND = pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)


def interrupted(call, after=0.4):
    """What a call raises that Ctrl-C comes into, and how long that takes."""
    pressed = []

    def press():
        time.sleep(after)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        call()
    except KeyboardInterrupt as error:
        return error, time.monotonic() - pressed[0]
    finally:
        thread.join()
    raise AssertionError("it ended before Ctrl-C came")


def has_learned(learner):
    return learner.examples_seen > 0


def heard_in_time(make, call, has_begun=has_learned):
    """A new learner, the call of which Ctrl-C ended, and what was raised.

    A busy machine gets six attempts, also where Ctrl-C comes before the first example.
    """
    for _ in range(6):
        learner = make()
        error, seconds = interrupted(lambda learner=learner: call(learner))
        if seconds < (1.0 if sanitized else 0.1) and has_begun(learner):
            return learner, error
    raise AssertionError(f"it took {seconds} s, after {learner.examples_seen} examples")


@EVERY_KIND
def test_learning_stops_between_two_examples(make):
    learner, _ = heard_in_time(make, lambda learner: learner.partial_fit(X, Y))
    n = learner.examples_seen
    assert n < len(X)
    assert learner.to_bytes() == make().partial_fit(X[:n], Y[:n]).to_bytes()


@EVERY_KIND
def test_no_prediction_is_lost(make):
    learner, error = heard_in_time(make, lambda learner: learner.prequential(X, Y))
    n = learner.examples_seen
    assert n < len(X)
    assert error.predictions.tolist() == make().prequential(X[:n], Y[:n]).tolist()


@EVERY_KIND
def test_prediction_stops(make):
    def learned():
        return make().partial_fit(X[:2000], Y[:2000])

    many = np.tile(X, (20, 1))
    heard_in_time(learned, lambda learner: learner.predict(many))
    heard_in_time(learned, lambda learner: learner.snapshot().predict(many))


def test_waiting_for_another_thread_stops():
    stop = threading.Event()

    class Waiting:
        def __float__(self):
            stop.wait(30)
            return 0.5

    learner = ShrubClassifier().learn_one([1.0], 0)
    thread = threading.Thread(target=lambda: learner.learn_one([Waiting()], 1))
    thread.start()
    try:
        # Whoever asks the learner anything else waits too.
        heard_in_time(lambda: learner, lambda learner: learner.predict_one([1.0]), lambda _: True)
    finally:
        stop.set()
        thread.join()
    assert learner.examples_seen == 2
