"""Measure what a Python user meets: speed next to River, cost per call, and memory.

Competitors take turns block by block on the same stream; times are CPU time, and where several
repeats are made, the best of each block counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import process_time
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from river import forest
from rotating_stream import RotatingStream

from shrubs import PaperShrubClassifier

N_FEATURES = 8
BLOCK_SIZE = 250
LEAST_RATIO = 5.0
MOST_OVERHEAD = 2e-6  # seconds
MOST_BYTES = 32 * 1024

Block: TypeAlias = tuple[NDArray[np.float32], NDArray[np.int64]]
Rows: TypeAlias = tuple[list[dict[str, float]], list[int]]


def make_blocks(n_examples: int) -> list[Block]:
    """Return the stream in blocks."""
    stream = RotatingStream(n_features=N_FEATURES)
    return [stream.next_block(BLOCK_SIZE) for _ in range(n_examples // BLOCK_SIZE)]


def as_rows(block: Block) -> Rows:
    """Return a block as one dict of Python numbers per example, and its labels."""
    names = [f"x{i}" for i in range(N_FEATURES)]
    X, y = block
    return [dict(zip(names, row, strict=True)) for row in X.tolist()], y.tolist()


def clock(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the CPU seconds of `work` and what it returned."""
    start = process_time()
    returned = work(*arguments)
    return process_time() - start, returned


def predict_and_learn(learner: Any, rows: Rows) -> list[Any]:
    """Do one block example by example, as a River user would."""
    predicted = []
    for x, y in zip(*rows, strict=True):
        predicted.append(learner.predict_one(x))
        learner.learn_one(x, y)
    return predicted


def make_learner(max_shrubs: int, window_size: int, max_depth: int) -> PaperShrubClassifier:
    """Return a classifier with the other parameters at their defaults."""
    return PaperShrubClassifier(max_shrubs=max_shrubs, window_size=window_size, max_depth=max_depth)


def accuracy(predicted: list[Any], blocks: list[Block]) -> float:
    """Return the share of right predictions."""
    y = np.concatenate([labels for _, labels in blocks])
    return float(np.mean([a == b for a, b in zip(predicted, y.tolist(), strict=True)]))


def race_river(n_examples: int) -> bool:
    """Compare `prequential` with River's adaptive random forest of ten trees."""
    blocks = make_blocks(n_examples)
    ours = make_learner(32, 256, 8)
    peer = forest.ARFClassifier(n_models=10, seed=1)
    seconds = {"shrubs": 0.0, "river": 0.0}
    predicted: dict[str, list[Any]] = {"shrubs": [], "river": []}
    for block in blocks:
        rows = as_rows(block)
        spent, out = clock(ours.prequential, *block)
        seconds["shrubs"] += spent
        predicted["shrubs"].extend(out.tolist())
        spent, out = clock(predict_and_learn, peer, rows)
        seconds["river"] += spent
        predicted["river"].extend(out)
    n = len(blocks) * BLOCK_SIZE
    ratio = seconds["river"] / seconds["shrubs"]
    print(f"prequential against River, {n} examples, d={N_FEATURES}, two classes")
    for name, label in (
        ("shrubs", "PaperShrubClassifier, M=32 B=256 depth 8"),
        ("river", "ARF, 10"),
    ):
        print(
            f"  {label:<41} {1e6 * seconds[name] / n:>9.1f} us per example, "
            f"accuracy {accuracy(predicted[name], blocks):.3f}"
        )
    print(f"  ratio {ratio:.1f} (target: at least {LEAST_RATIO:.0f})")
    return ratio >= LEAST_RATIO


def measure_overhead(n_examples: int, n_repeats: int) -> bool:
    """Compare predict_one and learn_one on dicts with the same work in `prequential`."""
    blocks = make_blocks(n_examples)
    rows = [as_rows(block) for block in blocks]
    print("predict_one + learn_one with a dict, minus the same work in prequential")
    held = True
    for max_shrubs, window_size, max_depth in ((8, 64, 5), (32, 64, 6), (32, 256, 8)):
        one = np.full(len(blocks), np.inf)
        many = np.full(len(blocks), np.inf)
        for _ in range(n_repeats):
            by_row = make_learner(max_shrubs, window_size, max_depth)
            by_block = make_learner(max_shrubs, window_size, max_depth)
            for i, block in enumerate(blocks):
                one[i] = min(one[i], clock(predict_and_learn, by_row, rows[i])[0])
                many[i] = min(many[i], clock(by_block.prequential, *block)[0])
        # The first block meets the features and classes for the first time.
        n = (len(blocks) - 1) * BLOCK_SIZE
        overhead = float((one[1:] - many[1:]).sum()) / n
        held = held and overhead <= MOST_OVERHEAD
        print(
            f"  M={max_shrubs:<3} B={window_size:<4} depth {max_depth}: "
            f"{1e6 * one[1:].sum() / n:>6.2f} - {1e6 * many[1:].sum() / n:>6.2f} = "
            f"{1e6 * overhead:.2f} us per example (target: at most {1e6 * MOST_OVERHEAD:.0f})"
        )
    return held


def measure_memory() -> bool:
    """Print the bytes of a small model after it has learned, without and with feature names."""
    by_block = make_learner(32, 64, 6)
    by_row = make_learner(32, 64, 6)
    for block in make_blocks(2000):
        by_block.prequential(*block)
        predict_and_learn(by_row, as_rows(block))
    print("memory, M=32 B=64 depth 6 d=8, two classes")
    print(
        f"  {by_block.memory_bytes} bytes from arrays, {by_row.memory_bytes} from dicts "
        f"(target: at most {MOST_BYTES})"
    )
    return max(by_block.memory_bytes, by_row.memory_bytes) <= MOST_BYTES


def main() -> None:
    """Run all three; fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=5000, help="length of the streams")
    parser.add_argument("--repeats", type=int, default=5, help="repeats of the overhead")
    options = parser.parse_args()
    held = [
        race_river(options.examples),
        measure_overhead(options.examples, options.repeats),
        measure_memory(),
    ]
    sys.exit(0 if all(held) else "a target is missed")


if __name__ == "__main__":
    main()
