"""How long one example takes to learn, and how evenly: docs/performance.md.

Prints, per stream, microseconds of CPU time of `learn_one` (median, 99.9th percentile, longest) and
the ratio of the last two to the median. The first half, while the window fills, is left out. Real
streams need SHRUBS_DATA.

    python benchmarks/bench_pause.py [memory limit] [examples] [streams]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import thread_time_ns

import numpy as np

from shrubs import ShrubClassifier, ShrubRegressor
from shrubs.experiments.registry import make_stream

STREAMS = ("agrawal_a", "led_a", "rbf_f", "targets")


def examples(name: str, n_examples: int) -> Iterator[tuple[list[float], float]]:
    """The stream, or targets that depend on five of ten features."""
    if name != "targets":
        for block in make_stream(name, n_examples=n_examples, seed=1).blocks():
            yield from zip(block.X.tolist(), block.y.tolist(), strict=True)
        return
    draw = np.random.default_rng(1)
    for x in draw.random((n_examples, 10)):
        curves = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2
        yield x.tolist(), float(curves + 10 * x[3] + 5 * x[4] + draw.normal())


def measure(name: str, memory_limit: str, n_examples: int) -> None:
    """Print one line."""
    make = ShrubRegressor if name == "targets" else ShrubClassifier
    learner = make(memory_limit=memory_limit, seed=1)
    times = []
    for x, y in examples(name, n_examples):
        start = thread_time_ns()
        learner.learn_one(x, y)
        times.append(thread_time_ns() - start)
    late = np.array(times[len(times) // 2 :]) / 1000.0
    median, high, longest = np.median(late), np.percentile(late, 99.9), late.max()
    print(
        f"{name:10} {median:8.1f} {high:8.1f} {longest:8.1f} {high / median:8.1f} "
        f"{longest / median:8.1f}"
    )


if __name__ == "__main__":
    limit = sys.argv[1] if len(sys.argv) > 1 else "1MB"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40_000
    print(f"{limit:10} {'median':>8} {'99.9 %':>8} {'longest':>8} {'ratio':>8} {'ratio':>8}")
    for stream_name in sys.argv[3:] or STREAMS:
        measure(stream_name, limit, count)
