"""Race `ShrubClassifier()` against MOA's adaptive random forest of ten trees: docs/performance.md.

Both take turns block by block, test-then-train, in 1 MB and in whatever MOA takes. MOA's time is
what predicting and learning take inside Java, without the bridge; the fastest block of the second
half counts, when Java has compiled what it will.

    python benchmarks/bench_arf.py [examples]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from shrubs.adapters.moa_peers import MoaPeer
from shrubs.experiments.registry import make_learner, make_stream

RACES = (
    ("agrawal_a", False),
    ("agrawal_a", True),
    ("led_a", False),
    ("led_a", True),
    ("rbf_f", False),
)


def race(name: str, one_hot: bool, n_examples: int) -> None:
    """Print one line."""
    stream = make_stream(name, n_examples=n_examples, one_hot=one_hot, seed=1)
    racers: list[Any] = [
        make_learner("shrubs", stream.schema, {}, 1),
        MoaPeer("meta.AdaptiveRandomForest", options="-s 10", seed=1),
    ]
    seconds: list[list[float]] = []
    right = np.zeros(2)
    for racer in racers:
        racer.prepare(stream.schema)
    for block in stream.blocks():
        outcomes = [racer.interleave(block, block) for racer in racers]
        seconds.append([(o.predict_seconds + o.learn_seconds) / len(block) for o in outcomes])
        right += [np.count_nonzero(o.predicted == block.y) for o in outcomes]
    ours, theirs = np.min(seconds[len(seconds) // 2 :], axis=0) * 1e6
    shares = 100 * right / n_examples
    label = f"{name} one-hot" if one_hot else name
    print(
        f"{label:18} {ours:8.1f} {theirs:8.1f} {theirs / ours:6.1f} {shares[0]:8.2f} "
        f"{shares[1]:8.2f}",
        flush=True,
    )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    print(f"{'':18} {'ours us':>8} {'ARF us':>8} {'ratio':>6} {'ours %':>8} {'ARF %':>8}")
    for stream_name, is_one_hot in RACES:
        race(stream_name, is_one_hot, count)
