"""Learners that go wrong, each in its own way, once they have learned some examples."""

import ctypes
import os
import signal
import time

_ENOUGH = 600


class Learner:
    """Predicts one class; goes wrong in ``go_wrong``."""

    memory_bytes = 100

    def __init__(self):
        self.n_examples = 0
        self.kept = []

    def predict_one(self, x):
        return None

    def learn_one(self, x, y):
        self.n_examples += 1
        if self.n_examples > _ENOUGH:
            self.go_wrong()
        return self


class Sleeps(Learner):
    def go_wrong(self):
        time.sleep(3600)


class Computes(Learner):
    def go_wrong(self):
        while True:
            pass


class HoldsTheInterpreter(Learner):
    """Never lets another thread of its process run."""

    def go_wrong(self):
        ctypes.PyDLL(None).pause()


class Leaks(Learner):
    """Keeps 300 MB, which is enough, and never ends by itself."""

    def go_wrong(self):
        self.kept = [b"x" * 10_000_000 for _ in range(30)]
        time.sleep(3600)


class LeaksInAChild(Leaks):
    def go_wrong(self):
        if os.fork() == 0:
            super().go_wrong()
        time.sleep(3600)


class Grows(Learner):
    """Its own count of bytes is too large at the first look, and it never ends by itself."""

    @property
    def memory_bytes(self):
        return 2000 * self.n_examples

    def go_wrong(self):
        time.sleep(3600)


class GrowsAtOnce(Learner):
    """Its own count of bytes jumps at the last example, too late for a look from outside."""

    @property
    def memory_bytes(self):
        return 2_000_000 if self.n_examples >= 2000 else 1000

    def go_wrong(self):
        pass


class Segfaults(Learner):
    def go_wrong(self):
        ctypes.string_at(0)


class Exits(Learner):
    def go_wrong(self):
        os.write(2, b"no more\n")
        os._exit(7)


class HaltsJava(Learner):
    def go_wrong(self):
        from shrubs.adapters.moa_jvm import java_class

        java_class("java.lang.Runtime").getRuntime().halt(3)


class Raises(Learner):
    def go_wrong(self):
        raise RuntimeError("out of luck")


class Prints(Learner):
    """Writes to where messages are expected."""

    def go_wrong(self):
        print("hello")
        os.write(1, b"hello\n")


class Notes(Learner):
    """Writes a line when it begins: to see which runs were begun.

    It goes on once the number in the file ``gate`` is above its ``name``.
    """

    def __init__(self, file, name=0, gate=None):
        super().__init__()
        self.file = file
        self.name = name
        self.gate = gate

    def learn_one(self, x, y):
        if self.n_examples == 0:
            with open(self.file, "a") as notes:
                notes.write(f"{self.name}\n")
        return super().learn_one(x, y)

    def predict_one(self, x):
        return "groupA"

    def go_wrong(self):
        while self.gate is not None and self._must_wait():
            time.sleep(0.01)
        self.gate = None

    def _must_wait(self):
        with open(self.gate) as gate:
            return int(gate.read() or 0) <= self.name


class Interrupts(Learner):
    """Presses Ctrl-C at one example, once."""

    def __init__(self, at):
        super().__init__()
        self.at = at

    def predict_one(self, x):
        return "groupA" if self.n_examples % 3 else "groupB"

    def to_bytes(self):
        return f"{self.at} {self.n_examples}".encode()

    @classmethod
    def from_bytes(cls, state):
        at, n_examples = map(int, state.split())
        learner = cls(at)
        learner.n_examples = n_examples
        return learner

    def go_wrong(self):
        if self.n_examples == self.at:
            os.kill(os.getpid(), signal.SIGINT)
