"""Race `prequential` against MOA's learners, which run inside the Java machine.

The rotating stream with d=8 and two classes. Both take turns block by block. MOA's time is what
predicting and learning take inside Java, without the bridge, of the last blocks, when Java has
compiled what it will; ours is the CPU time of `prequential`. The least of each counts.
"""

from __future__ import annotations

import importlib.util
import sys
import time

import numpy as np
from results_file import write_results
from rotating_stream import RotatingStream

from shrubs import PaperShrubClassifier
from shrubs.adapters import moa_jvm
from shrubs.adapters.moa_peers import MoaPeer
from shrubs.protocols import Block, Feature, Schema

N_FEATURES = 8
BLOCK_SIZE = 5000
N_BLOCKS = 24
LAST_BLOCKS = 12

RACES = (
    ("M=32, B=256, depth 8, best splits", (32, 256, 8), "ARF 10", "meta.AdaptiveRandomForest",
     "-s 10", 15.0),
    ("M=8, B=64, depth 5, best splits", (8, 64, 5), "HT", "trees.HoeffdingTree", "", 1.0),
)  # fmt: skip


def race(shape: tuple[int, int, int], moa_class: str, options: str) -> tuple[float, float]:
    """Return seconds per example of ours and of MOA's learner."""
    max_shrubs, window_size, max_depth = shape
    ours = PaperShrubClassifier(
        max_shrubs=max_shrubs,
        window_size=window_size,
        max_depth=max_depth,
        splitter="best",
        step_size=0.1,
    )
    features = tuple(Feature(f"x{i}") for i in range(N_FEATURES))
    peer = MoaPeer(moa_class, options=options)
    peer.prepare(Schema(features=features, classes=(0, 1)))
    stream = RotatingStream(n_features=N_FEATURES)
    our_seconds, moa_seconds = [], []
    for _ in range(N_BLOCKS):
        X, y = stream.next_block(BLOCK_SIZE)
        start = time.process_time()
        ours.prequential(X, y, classes=[0, 1])
        our_seconds.append(time.process_time() - start)
        block = Block(X, y.astype(np.int64))
        outcome = peer.interleave(block, block)
        moa_seconds.append(outcome.predict_seconds + outcome.learn_seconds)
    return min(our_seconds[-LAST_BLOCKS:]) / BLOCK_SIZE, min(
        moa_seconds[-LAST_BLOCKS:]
    ) / BLOCK_SIZE


def main() -> None:
    """Print one row per race; fail if a target is missed."""
    print(f"{'setting':<36} {'ours us':>8} {'peer':<8} {'peer us':>8} {'ratio':>6} {'target':>6}")
    rows = []
    for name, shape, label, moa_class, options, target in RACES:
        ours, theirs = race(shape, moa_class, options)
        rows.append(
            {"setting": name, "peer": label, "us": 1e6 * ours, "peer_us": 1e6 * theirs,
             "ratio": theirs / ours, "target": target}
        )  # fmt: skip
        print(
            f"{name:<36} {1e6 * ours:>8.2f} {label:<8} {1e6 * theirs:>8.2f} "
            f"{theirs / ours:>6.1f} {target:>6.0f}",
            flush=True,
        )
    write_results("moa_peers", rows)
    sys.exit(0 if all(row["ratio"] >= row["target"] for row in rows) else "a target is missed")


if __name__ == "__main__":
    if importlib.util.find_spec("capymoa") is None or not moa_jvm.has_java():
        sys.exit("MOA needs capymoa and Java: pip install 'shrubs[moa]'")
    main()
