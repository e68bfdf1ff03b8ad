"""A long drifting stream: constant memory, no slowdown.

``SHRUBS_SOAK=10000000 pytest -m slow tests/soak`` learns ten million examples; the default is one
million. The figures are printed with ``-s``.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from shrubs import PaperShrubClassifier, PaperShrubRegressor

N_EXAMPLES = int(os.environ.get("SHRUBS_SOAK", "1000000"))
N_PARTS = 10
BLOCK_SIZE = 1000
STATM = Path("/proc/self/statm")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not STATM.exists(), reason="resident memory is read from /proc"),
]


@dataclass(frozen=True)
class Part:
    """What was seen in one part of the stream."""

    microseconds_per_example: float
    memory_bytes: int
    resident_bytes: int


def resident_bytes():
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def block(rng, t):
    """Examples of a concept that turns all the time: a line through the unit square."""
    X = rng.uniform(size=(BLOCK_SIZE, 8)).astype(np.float32)
    angle = (t + np.arange(BLOCK_SIZE)) / 50_000
    side = np.cos(angle) * (X[:, 0] - 0.5) + np.sin(angle) * (X[:, 1] - 0.5)
    noise = rng.uniform(size=BLOCK_SIZE) < 0.05
    return X, side, (side > 0.0) ^ noise


def soak(learner, label):
    rng = np.random.default_rng(0)
    parts = []
    n_blocks = max(N_EXAMPLES // N_PARTS // BLOCK_SIZE, 1)
    for part in range(N_PARTS):
        seconds = 0.0
        for i in range(n_blocks):
            X, side, labels = block(rng, (part * n_blocks + i) * BLOCK_SIZE)
            y = labels.astype(int) if label == "class" else side
            start = process_time()
            learner.prequential(X, y)
            seconds += process_time() - start
        parts.append(
            Part(seconds / (n_blocks * BLOCK_SIZE) * 1e6, learner.memory_bytes, resident_bytes())
        )
        print(part, parts[-1])
    return parts


LEARNERS = {
    "class": lambda: PaperShrubClassifier(max_shrubs=32, window_size=256, max_depth=8),
    "target": lambda: PaperShrubRegressor(max_shrubs=8, window_size=64, max_depth=6),
}


@pytest.fixture(scope="module", params=LEARNERS)
def parts(request):
    return soak(LEARNERS[request.param](), request.param)


def test_memory_is_the_same_all_along(parts):
    assert len({part.memory_bytes for part in parts}) == 1


def test_resident_memory_does_not_grow(parts):
    # The first part warms up; later the interpreter may breathe by a megabyte.
    assert parts[-1].resident_bytes - parts[1].resident_bytes < 2**20


def test_learning_does_not_slow_down(parts):
    # The median of the last parts, against that of the early ones: other processes may disturb one.
    early = sorted(part.microseconds_per_example for part in parts[1:4])[1]
    late = sorted(part.microseconds_per_example for part in parts[-3:])[1]
    assert late <= 1.2 * early
