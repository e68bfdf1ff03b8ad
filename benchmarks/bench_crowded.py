"""What the learner without tuning does with more than fits: speed, bytes and accuracy.

Every case adds something that is always new to streams of RandomRBF and Agrawal; accuracies are
those of runs of at most 20,000 examples, with it and without. `python bench_crowded.py 0.01` is a
quick look.
"""

from __future__ import annotations

import itertools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shrubs import ShrubClassifier
from shrubs.streams import Agrawal, RandomRBF

LIMITS = ("64KB", "1MB")
SEEDS = 3

# name: (examples, what row i has beside the features of the stream, its label)
Case = tuple[int, Callable[[int], dict[str, Any]], Callable[[int, int], Any]]
CASES: dict[str, Case] = {
    "1,000,000 strings": (1_000_000, lambda i: {"id": f"customer {i}"}, lambda i, y: y),
    "100,000 names": (100_000, lambda i: {f"feature {i}": 1.0}, lambda i, y: y),
    "1,000 names, 100 rows each": (
        100_000,
        lambda i: {f"feature {i // 100}": 1.0},
        lambda i, y: y,
    ),
    "5,000 classes": (20_000, lambda i: {}, lambda i, y: y if i % 4 else f"class {i // 4}"),
}
WIDE = {"5,000 numbers at once": (5000, False), "2,000 texts at once": (2000, True)}


def rows(n: int, seed: int) -> Iterator[tuple[dict[str, float], int]]:
    """Examples of two streams, one after the other."""
    n_each = n // 2 + 1
    streams = (RandomRBF(n_examples=n_each, seed=seed), Agrawal(n_examples=n_each, seed=seed))
    for stream in streams:
        names = [f"{stream.name} {feature.name}" for feature in stream.schema.features]
        for block in stream.blocks():
            for x, y in zip(block.X.tolist(), block.y.tolist(), strict=True):
                yield dict(zip(names, x, strict=True)), y


def run(limit: str, case: Case, n: int, seed: int) -> tuple[float, list[float], Any]:
    """The accuracy on labels of the stream, rows per second by tenths, the learner."""
    _, more, label = case
    learner = ShrubClassifier(memory_limit=limit, seed=seed)
    right, seconds = [], []
    for i, (x, y) in enumerate(itertools.islice(rows(n, seed), n)):
        if i % (n // 10) == 0:
            seconds.append(time.process_time())
        x.update(more(i))
        if label(i, y) == y:
            right.append(learner.predict_one(x) == y)
        learner.learn_one(x, label(i, y))
    seconds.append(time.process_time())
    speeds = [n / 10 / passed for passed in np.diff(seconds)]
    return float(np.mean(right)), speeds, learner


def print_case(name: str, case: Case, scale: float) -> None:
    """One line per limit."""
    n = max(int(case[0] * scale), 1000)
    alone: Case = (n, lambda i: {}, lambda i, y: y)
    n_compared = min(n, 20_000)
    for limit in LIMITS:
        _, speeds, learner = run(limit, case, n, 0)
        accuracies = [
            [run(limit, each, n_compared, seed)[0] for seed in range(SEEDS)]
            for each in (case, alone)
        ]
        with_it, without = (100 * np.mean(each) for each in accuracies)
        print(
            f"| {name} | {limit} | {speeds[0]:,.0f} | {speeds[-1]:,.0f} | "
            f"{learner.memory_bytes:,} | {with_it:.2f} | {without:.2f} | "
            f"{learner.memory_report().given_up} |",
            flush=True,
        )


def print_wide(name: str, n_features: int, texts: bool, scale: float) -> None:
    """The same where everything comes at once: 8 features tell the class, all others are noise."""
    n = max(int(20_000 * scale), 300)
    draw = np.random.default_rng(0)
    for limit in LIMITS:
        learner = ShrubClassifier(memory_limit=limit)
        seconds = []
        for i in range(n):
            if i % (n // 10) == 0:
                seconds.append(time.process_time())
            x = draw.integers(0, 3, n_features) if texts else draw.random(n_features)
            row: list[Any] = [f"text {value}" for value in x] if texts else x.tolist()
            learner.learn_one(row, int(x[0] > x[1]))
        seconds.append(time.process_time())
        speeds = [n / 10 / passed for passed in np.diff(seconds)]
        print(
            f"| {name} | {limit} | {speeds[0]:,.0f} | {speeds[-1]:,.0f} | "
            f"{learner.memory_bytes:,} | | | {learner.memory_report().given_up} |",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    print("| case | memory | rows/s, first tenth | last | bytes | right, % | without | given up |")
    print("|---|---|---:|---:|---:|---:|---:|---|")
    for name, case in CASES.items():
        print_case(name, case, scale)
    for name, (n_features, texts) in WIDE.items():
        print_wide(name, n_features, texts, scale)


if __name__ == "__main__":
    main()
