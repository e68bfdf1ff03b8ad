"""Stop in the middle of a stream, load the learner, go on: nothing is different."""

import tempfile
from pathlib import Path

import numpy as np

import shrubs

X = np.random.default_rng(0).uniform(size=(3000, 4))
y = 2.0 * X[:, 0] + X[:, 1]

never_stopped = shrubs.ShrubRegressor(memory_limit="64KB").partial_fit(X, y)

first_half = shrubs.ShrubRegressor(memory_limit="64KB").partial_fit(X[:1500], y[:1500])
with tempfile.TemporaryDirectory() as directory:
    path = Path(directory) / "model.shrubs"
    first_half.save(path)
    print(f"saved {path.stat().st_size:,} bytes after {first_half.examples_seen} examples")
    resumed = shrubs.load(path)
resumed.partial_fit(X[1500:], y[1500:])

print(f"resumed learner has seen {resumed.examples_seen} examples")
print(f"same bytes as the one that never stopped: {resumed.to_bytes() == never_stopped.to_bytes()}")
