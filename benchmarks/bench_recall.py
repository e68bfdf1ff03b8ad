"""Labels and targets that follow each other: docs/no-tuning.md.

The learner without tuning, with and without the last outcomes, beside those who know nothing else:
no-change, and a table of which label follows which (it keeps 0.999 of its counts per example); for
targets, no-change and the line through the last two. Prints accuracies in percent, and mean
absolute errors as shares of the better of those two.

    [SHRUBS_DATA=...] python benchmarks/bench_recall.py [memory limits ...]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shrubs import ShrubClassifier, ShrubRegressor
from shrubs.analysis.paper_numbers import STREAMS
from shrubs.experiments.registry import make_stream

N = 20_000
Array = NDArray[np.float64]


def label_streams(draw: np.random.Generator) -> Iterator[tuple[str, Array, NDArray[np.int64]]]:
    """Name, features and labels: random features, and features that tell of the label."""
    noise = draw.normal(size=(N, 5))
    for stay in (0.5, 0.7, 0.9, 0.99, 0.999):
        y = draw.integers(0, 5, N)
        for t in range(1, N):
            if draw.random() < stay:
                y[t] = y[t - 1]
        yield f"stays with {stay}", noise, y
        yield f"stays with {stay}, features tell", noise + 1.5 * np.outer(y, [1, 0, 0, 0, 0]), y
    for period in (2, 5, 12, 30):
        for share in (0.0, 0.1):
            y = np.arange(N) % period
            y = np.where(draw.random(N) < share, draw.integers(0, period, N), y)
            yield f"cycle of {period}, {share:.0%} noise", noise, y
    y = draw.integers(0, 3, N)
    yield "independent, features tell", noise + np.outer(y, [1, 0, 0, 0, 0]), y


def target_streams(draw: np.random.Generator) -> Iterator[tuple[str, Array, Array]]:
    """Name, features and targets."""
    x, e, t = draw.normal(size=(N, 5)), draw.normal(size=N), np.arange(N)
    yield "random walk", x, np.cumsum(e)
    yield "random walk, features tell", x, np.cumsum(x[:, 0] + 0.3 * e)
    yield "wave of 24", x, np.sin(2 * np.pi * t / 24) + 0.1 * e
    yield "wave of 200", x, 10 * np.sin(2 * np.pi * t / 200) + 0.1 * e
    yield "wave of 24, features tell", x, np.sin(2 * np.pi * t / 24) + 0.5 * x[:, 0] + 0.1 * e
    yield "line", x, 0.01 * t + 0.1 * e
    yield "independent", x, e


def catalogue() -> Iterator[tuple[str, Array, NDArray[np.int64], list[int]]]:
    """The paper's streams that are here, with their nominal features."""
    for name in STREAMS:
        try:
            stream = make_stream(name, n_examples=N, seed=1)
        except (OSError, ValueError):
            continue
        blocks = list(stream.blocks())
        X, y = (np.concatenate([getattr(b, part) for b in blocks])[:N] for part in "Xy")
        kinds = stream.schema.features
        yield name, X, y.astype(int), [i for i, kind in enumerate(kinds) if kind.nominal]


def follows(y: NDArray[np.int64]) -> float:
    """Accuracy of the table."""
    table, right = np.zeros((y.max() + 1, y.max() + 1)), 0
    for last, label in itertools.pairwise(y):
        right += int(np.argmax(table[last])) == label
        table *= 0.999
        table[last, label] += 1
    return 100 * right / len(y)


def show_labels(limit: str) -> None:
    """One row per stream."""
    streams = [(n, X, y, []) for n, X, y in label_streams(np.random.default_rng(11))]
    print(f"\n{limit:34}  ours  without  no-change  table")
    for name, X, y, nominal in [*streams, *catalogue()]:
        ours = [
            100 * np.mean(
                ShrubClassifier(memory_limit=limit, nominal_features=nominal, last_outcomes=last)
                .prequential(X, y, classes=range(int(y.max()) + 1)) == y
            )
            for last in (True, False)
        ]  # fmt: skip
        same = 100 * np.mean(y[1:] == y[:-1])
        print(f"{name:34} {ours[0]:6.2f} {ours[1]:6.2f} {same:6.2f} {follows(y):6.2f}", flush=True)


def show_targets(limit: str) -> None:
    """One row per stream; errors as shares of the better of no-change and the line."""
    print(f"\n{limit:34}  ours  without")
    for name, X, y in target_streams(np.random.default_rng(12)):
        line = 2 * y[1:-1] - y[:-2]
        simple = min(np.mean(np.abs(y[1:] - y[:-1])), np.mean(np.abs(y[2:] - line)))
        errors = [
            np.mean(np.abs(ShrubRegressor(memory_limit=limit, last_outcomes=last)
                           .prequential(X, y) - y))
            for last in (True, False)
        ]  # fmt: skip
        print(f"{name:34} {errors[0] / simple:6.3f} {errors[1] / simple:6.3f}", flush=True)


if __name__ == "__main__":
    for limit in sys.argv[1:] or ["1MB", "64KB"]:
        show_labels(limit)
        show_targets(limit)
