"""A rare class, with and without `class_weight="balanced"`: docs/weights.md.

One class of each stream is thinned out until it has the share named, or is one class against all
others (covtype). Balanced accuracy and macro F1 of a prequential evaluation, mean and standard
deviation over the seeds of drawing and thinning. It fails where balancing raises the balanced
accuracy by fewer than two points in the mean.

    SHRUBS_DATA=data python benchmarks/bench_imbalance.py
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from shrubs import PaperShrubClassifier, ShrubClassifier
from shrubs.evaluation import evaluate
from shrubs.experiments.registry import make_stream
from shrubs.protocols import Block, Schema

N = 20_000
SEEDS = (1, 2, 3, 4, 5)
SYNTHETIC = ("agrawal_a", "rbf_f", "hyperplane")
SHARES = (0.01, 0.05, 0.1)
LEARNERS = {"ShrubClassifier": ShrubClassifier, "PaperShrubClassifier": PaperShrubClassifier}
METRICS = ("balanced_accuracy", "macro_f1")
LEAST_GAIN = 0.02


@dataclass(frozen=True)
class Thinned:
    """Examples that were read before; class 1 is the rare one."""

    name: str
    schema: Schema
    X: np.ndarray
    y: np.ndarray

    @property
    def n_examples(self) -> int:
        """How many examples there are."""
        return len(self.y)

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order."""
        for i in range(0, len(self.y), size):
            yield Block(self.X[i : i + size], self.y[i : i + size])


def thinned(name: str, share: float, seed: int) -> Thinned:
    """The first examples of a stream, of whose rarer class only so many are left."""
    stream = make_stream(name, n_examples=10 * N if name in SYNTHETIC else None, seed=seed)
    draw = np.random.default_rng(seed)
    parts, length = [], 0
    for block in stream.blocks(1000):
        rare = block.y == 0 if name == "nomao" else block.y == 1
        odds = share * np.mean(~rare) / max(np.mean(rare) * (1 - share), 1e-9)
        kept = ~rare | (draw.random(len(rare)) < odds)
        parts.append((block.X[kept], rare[kept].astype(np.int64)))
        length += int(kept.sum())
        if length >= N:
            break
    X, y = (np.concatenate(part)[:N] for part in zip(*parts, strict=True))
    return Thinned(name, Schema(stream.schema.features, (0, 1)), X, y)


def one_of_covtype(share: float, seed: int) -> Thinned:
    """Every 29th example of covtype, each seed beginning at another: krummholz or not."""
    stream = make_stream("covtype")
    blocks = [(block.X[seed::29], block.y[seed::29]) for block in stream.blocks(29_000)]
    X, y = (np.concatenate(part)[:N] for part in zip(*blocks, strict=True))
    return Thinned("covtype", Schema(stream.schema.features, (0, 1)), X, (y == 6).astype(np.int64))


def cases() -> Iterator[tuple[str, Callable[[float, int], Thinned], float]]:
    """The name, how to make it, and the share of the rare class."""
    for name in SYNTHETIC:
        for share in SHARES:
            yield name, lambda share, seed, name=name: thinned(name, share, seed), share
    if "SHRUBS_DATA" in os.environ:
        for name in ("elec", "weather", "nomao"):
            yield name, lambda share, seed, name=name: thinned(name, share, seed), 0.05
        yield "covtype, class 7", one_of_covtype, 0.0


def main() -> None:
    """One row per stream and learner."""
    print("| stream | rare | learner | balanced accuracy % | with | macro F1 | with |")
    print("|---|--:|---|--:|--:|--:|--:|")
    failed = []
    for name, make, share in cases():
        streams = [make(share, seed) for seed in SEEDS]
        rare = statistics.mean(stream.y.mean() for stream in streams)
        for label, kind in LEARNERS.items():
            found = {
                weight: [evaluate(kind(class_weight=weight), s).values() for s in streams]
                for weight in (None, "balanced")
            }
            cells = []
            for metric in METRICS:
                for runs in found.values():
                    values = [run[metric] for run in runs]
                    scale, digits = (100, 1) if metric == METRICS[0] else (1, 3)
                    mean, spread = statistics.mean(values), statistics.stdev(values)
                    cells.append(f"{scale * mean:.{digits}f} ± {scale * spread:.{digits}f}")
            gain = statistics.mean(
                after[METRICS[0]] - before[METRICS[0]]
                for before, after in zip(*found.values(), strict=True)
            )
            if gain < LEAST_GAIN:
                failed.append(f"{name}, {label}: {100 * gain:.1f} points")
            print(
                f"| {name} | {100 * rare:.1f} % | {label} | " + " | ".join(cells) + " |", flush=True
            )
    if failed:
        raise SystemExit("Balancing gains too little on " + "; ".join(failed))


if __name__ == "__main__":
    main()
