"""Many classes in little memory: docs/no-tuning.md.

Random RBF streams with four centroids per class, which do not move: plain accuracies of
`ShrubClassifier` in percent in 1 MB, 64 KB and 16 KB, mean of three seeds.

    python benchmarks/bench_small.py
"""

from __future__ import annotations

import statistics

import numpy as np

from shrubs import ShrubClassifier

N = 20_000
LIMITS = ("1MB", "64KB", "16KB")


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


def main() -> None:
    """One row per number of classes."""
    print("classes " + " ".join(f"{limit:>6}" for limit in LIMITS))
    for n_classes in (2, 5, 11, 18, 26):
        row = []
        for limit in LIMITS:
            values = []
            for seed in (1, 2, 3):
                X, y = rbf(n_classes, seed)
                learner = ShrubClassifier(memory_limit=limit)
                values.append(100 * np.mean(learner.prequential(X, y, classes=y) == y))
            row.append(statistics.mean(values))
        print(f"{n_classes:7} " + " ".join(f"{value:6.2f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
