"""Little memory, and many classes in it: docs/no-tuning.md.

Plain accuracies of `ShrubClassifier` in percent, mean of three seeds: on random RBF streams with
four centroids per class, which do not move, and on elec, whose eight features come by name.

    SHRUBS_DATA=... python benchmarks/bench_small.py
"""

from __future__ import annotations

import statistics

import numpy as np

from shrubs import ShrubClassifier
from shrubs.streams import real_stream

N = 20_000
LIMITS = ("1MB", "64KB", "16KB")
ELEC_LIMITS = ("4KB", "8KB", "16KB", "1MB")
SEEDS = (1, 2, 3)


def rbf(n_classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Examples around centroids in ten dimensions."""
    draw = np.random.default_rng(seed)
    n_centroids = 4 * n_classes
    centres, spread = draw.random((n_centroids, 10)), 0.1 * draw.random(n_centroids)
    weights = draw.random(n_centroids)
    chosen = draw.choice(n_centroids, N, p=weights / weights.sum())
    directions = draw.normal(size=(N, 10))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    X = centres[chosen] + directions * (spread[chosen] * draw.normal(size=N))[:, None]
    return X, chosen % n_classes


def print_elec() -> None:
    """One row per limit: accuracy, and bytes taken."""
    stream = real_stream("elec")
    assert stream.schema.classes is not None
    names = [feature.name for feature in stream.schema.features]
    block = next(iter(stream.blocks(N)))
    rows = [dict(zip(names, x, strict=True)) for x in block.X.tolist()]
    y = [stream.schema.classes[label] for label in block.y]
    for limit in ELEC_LIMITS:
        rights = []
        for seed in SEEDS:
            learner = ShrubClassifier(memory_limit=limit, seed=seed)
            for x, label in zip(rows, y, strict=True):
                rights.append(learner.predict_one(x) == label)
                learner.learn_one(x, label)
        print(f"elec {limit:>4} {100 * np.mean(rights):6.2f} {learner.memory_bytes:9,}", flush=True)


def main() -> None:
    """One row per limit, then one per number of classes."""
    print_elec()
    print("classes " + " ".join(f"{limit:>6}" for limit in LIMITS))
    for n_classes in (2, 5, 11, 18, 26):
        row = []
        for limit in LIMITS:
            values = []
            for seed in SEEDS:
                X, y = rbf(n_classes, seed)
                learner = ShrubClassifier(memory_limit=limit)
                values.append(100 * np.mean(learner.prequential(X, y, classes=y) == y))
            row.append(statistics.mean(values))
        print(f"{n_classes:7} " + " ".join(f"{value:6.2f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
