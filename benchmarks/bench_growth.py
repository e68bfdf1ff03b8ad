"""How the cost of an example grows with the window, the shrubs, the features and the classes.

Each is doubled while the others stay at B=256, M=32, d=16, C=4 (depth 8), for both splitters and
two step sizes: 0.1, and 1, with which most newcomers have to be grown. Times are CPU time of
`prequential` per example on the rotating stream, the best of several repeats for each block. Also
the 99th percentile of a single `learn_one` against its median.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from results_file import write_results

from shrubs import PaperShrubClassifier

BASE = {"B": 256, "M": 32, "d": 16, "C": 4}
DOUBLED = {
    "B": (64, 128, 256, 512, 1024),
    "M": (8, 16, 32, 64, 128),
    "d": (4, 8, 16, 32, 64),
    "C": (2, 4, 8, 16, 32),
}
STEP_SIZES = (0.1, 1.0)
BLOCK_SIZE = 100
N_TIMED = 1000
MOST_GROWTH = 2.0
MOST_SPREAD = 20.0


def make_stream(d: int, C: int, n: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the rotating stream of `plain/drifting_stream.hpp` for any number of classes."""
    random = np.random.default_rng(1)
    X = random.uniform(-1.0, 1.0, size=(n, d)).astype(np.float32)
    turn = 2.0 * np.pi * (np.arange(n)[:, None] / 20_000 + np.arange(C) / C)
    score = np.zeros((n, C))
    for i in range(0, d - 1, 2):
        score += (np.cos(turn) * X[:, [i]] + np.sin(turn) * X[:, [i + 1]]) / (i + 1)
    y = score.argmax(axis=1)
    noisy = random.uniform(size=n) < 0.1
    y[noisy] = random.integers(0, C, size=int(noisy.sum()))
    return X, y


def make_learner(
    shape: dict[str, int], splitter: Any, step_size: float = STEP_SIZES[0]
) -> PaperShrubClassifier:
    """Return a learner of this shape."""
    return PaperShrubClassifier(
        window_size=shape["B"],
        max_shrubs=shape["M"],
        max_depth=8,
        step_size=step_size,
        splitter=splitter,
    )


def measure(shape: dict[str, int], splitter: str, step_size: float, n_repeats: int = 2) -> float:
    """Return microseconds per example once the window is full."""
    warm_up = 2 * shape["B"]
    X, y = make_stream(shape["d"], shape["C"], warm_up + N_TIMED)
    best = np.full(N_TIMED // BLOCK_SIZE, np.inf)
    for _ in range(n_repeats):
        learner = make_learner(shape, splitter, step_size)
        learner.prequential(X[:warm_up], y[:warm_up], classes=range(shape["C"]))
        for i in range(len(best)):
            block = slice(warm_up + i * BLOCK_SIZE, warm_up + (i + 1) * BLOCK_SIZE)
            start = time.process_time()
            learner.prequential(X[block], y[block])
            best[i] = min(best[i], time.process_time() - start)
    return float(1e6 * best.sum() / N_TIMED)


def measure_spread(splitter: str) -> tuple[float, float]:
    """Return median and 99th percentile of single `learn_one` calls, in microseconds."""
    X, y = make_stream(BASE["d"], BASE["C"], 3000)
    rows = X.tolist()
    best = np.full(len(rows) - 1000, np.inf)
    for _ in range(3):
        learner = make_learner(BASE, splitter)
        for i, (x, label) in enumerate(zip(rows, y.tolist(), strict=True)):
            start = time.perf_counter()
            learner.learn_one(x, label)
            if i >= 1000:
                best[i - 1000] = min(best[i - 1000], time.perf_counter() - start)
    return 1e6 * float(np.median(best)), 1e6 * float(np.percentile(best, 99))


def main() -> None:
    """Print one line per quantity and splitter; fail if a doubling doubles the cost."""
    results: dict[str, Any] = {"base": BASE, "growth": [], "spread": []}
    held = True
    for splitter in ("best", "random"):
        for step_size, (name, values) in product(STEP_SIZES, DOUBLED.items()):
            us = [measure(BASE | {name: value}, splitter, step_size) for value in values]
            ratios = [b / a for a, b in pairwise(us)]
            held = held and max(ratios) < MOST_GROWTH
            line = {"splitter": splitter, "step_size": step_size, "name": name, "values": values}
            results["growth"].append(line | {"us": us})
            print(
                f"{splitter:<7} step {step_size:<3g} {name} = {', '.join(map(str, values))}: "
                f"{', '.join(f'{u:.1f}' for u in us)} us; "
                f"largest growth {max(ratios):.2f} (below {MOST_GROWTH:.0f})",
                flush=True,
            )
        median, p99 = measure_spread(splitter)
        held = held and p99 <= MOST_SPREAD * median
        results["spread"].append({"splitter": splitter, "median_us": median, "p99_us": p99})
        print(
            f"{splitter:<7} learn_one: median {median:.1f} us, 99th percentile {p99:.1f} us, "
            f"{p99 / median:.1f} times (at most {MOST_SPREAD:.0f})",
            flush=True,
        )
    write_results("growth", results)
    sys.exit(0 if held else "a target is missed")


if __name__ == "__main__":
    main()
