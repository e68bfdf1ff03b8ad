"""Measure how much the intervals of ShrubRegressor and the sets of ShrubClassifier cover.

Over every 5,000 examples in a row: how far the share of covered outcomes is from the one asked, at
worst. The fixed window puts the quantile of the last 1,000 distances around the same predictions;
widths are means over the stream, ours as a ratio to its. Fails if an interval is off by more than a
point.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river.datasets import synth

from shrubs import ShrubClassifier, ShrubRegressor
from shrubs.experiments.registry import make_stream

N, STRETCH, WINDOW = 20_000, 5_000, 1_000
COVERAGES = (0.5, 0.8, 0.9, 0.95, 0.99)
SHOWN = 0.9
LABELLED = ("agrawal_a", "led_a", "rbf_f")
T = np.arange(N)

Array = NDArray[np.float64]
Draw = np.random.Generator


def _river(stream: Any) -> tuple[Array, Array]:
    rows = list(islice(stream, N))
    return np.array([list(x.values()) for x, _ in rows], float), np.array([y for _, y in rows])


def _around(noise: Callable[[Draw], Array]) -> Callable[[], tuple[Array, Array]]:
    """Noise of a kind around a rule with an interaction."""

    def examples() -> tuple[Array, Array]:
        rng = np.random.default_rng(11)
        X = rng.normal(size=(N, 5))
        return X, 2 * X[:, 0] + X[:, 1] * X[:, 2] + noise(rng)

    return examples


def _rounded(X: Array, y: Array) -> tuple[Array, Array]:
    return X, np.round(y)


def _volatile(rng: Draw) -> Array:
    """Noise whose variance follows its last square."""
    y, variance = np.zeros(N), 1.0
    for t, draw in enumerate(rng.normal(size=N - 1), start=1):
        variance = 0.02 + 0.1 * y[t - 1] ** 2 + 0.88 * variance
        y[t] = draw * variance**0.5
    return y


def _drifting(kind: str) -> Callable[[], tuple[Array, Array]]:
    where = (5000, 10_000, 15_000) if kind == "lea" else (6000, 14_000)
    return lambda: _river(
        synth.FriedmanDrift(drift_type=kind, position=where, transition_window=2000, seed=1)
    )


STREAMS: dict[str, Callable[[], tuple[Array, Array]]] = {
    "Friedman": lambda: _river(synth.Friedman(seed=1)),
    "Friedman, drifts": _drifting("gra"),
    "Friedman, rules that recur": _drifting("gsg"),
    "Friedman, local drifts": _drifting("lea"),
    "Planes2D": lambda: _river(synth.Planes2D(seed=1)),
    "normal noise": _around(lambda rng: rng.normal(size=N)),
    "heavy tails, t of 2": _around(lambda rng: rng.standard_t(2, N)),
    "Cauchy": _around(lambda rng: rng.standard_cauchy(N)),
    "log-normal": _around(lambda rng: np.exp(1.5 * rng.normal(size=N))),
    "noise of 1 or 10": _around(lambda rng: rng.normal(size=N) * 10.0 ** (T // 3000 % 2)),
    "noise of 1 or 100": _around(lambda rng: rng.normal(size=N) * 100.0 ** (T // 3000 % 2)),
    "noise that grows": _around(lambda rng: rng.normal(size=N) * np.exp(T / 2000)),
    "noise that fades": _around(lambda rng: rng.normal(size=N) * np.exp(5 - T / 2000)),
    "noise in seasons": _around(lambda rng: rng.normal(size=N) * (1.1 + np.sin(T / 80))),
    "volatile": _around(_volatile),
    "random walk": _around(lambda rng: np.cumsum(rng.normal(size=N))),
    "level jumps": _around(lambda rng: np.cumsum(50 * rng.normal(size=N) * (rng.random(N) < 1e-3))),
    "season of 24": _around(lambda rng: 9 * np.sin(T / 24 * 2 * np.pi) + rng.normal(size=N)),
    "whole numbers": lambda: _rounded(*STREAMS["normal noise"]()),
}


def worst(covered: NDArray[np.bool_], coverage: float) -> float:
    """In points, the largest distance of a share over a stretch to the coverage."""
    total = np.concatenate([[0], np.cumsum(covered)])
    shares = (total[STRETCH:] - total[:-STRETCH]) / STRETCH
    return 100 * float(np.max(np.abs(shares - coverage)))


def intervals(X: Array, y: Array) -> tuple[dict[float, float], float, float]:
    """Of ours the worst by coverage and the relative width, of the fixed window the worst."""
    learner, last = ShrubRegressor(memory_limit="64KB"), deque(maxlen=WINDOW)
    bounds, fixed = np.empty((N, len(COVERAGES))), np.empty(N)
    distances = np.empty(N)
    for t, (x, target) in enumerate(zip(X, y, strict=True)):
        found = [learner.predict_interval_one(x, coverage) for coverage in COVERAGES]
        bounds[t] = [(high - low) / 2 for low, high in found]
        distances[t] = abs(learner.predict_one(x) - target)
        if t % 10 == 0:
            quantile = float(np.quantile(last, SHOWN)) if last else np.inf
        fixed[t] = quantile
        last.append(distances[t])
        learner.learn_one(x, target)
    by_coverage = {c: worst(distances <= bounds[:, i], c) for i, c in enumerate(COVERAGES)}
    own, settled = bounds[:, COVERAGES.index(SHOWN)], slice(WINDOW, N)
    ratio = float(own[settled].mean() / fixed[settled].mean())
    return by_coverage, ratio, worst(distances <= fixed, SHOWN)


def sets(name: str) -> str:
    """A row: accuracy, and for two coverages the worst stretch and the mean size."""
    stream = make_stream(name, n_examples=N, seed=1)
    learner, right, cells = ShrubClassifier(memory_limit="64KB"), 0, []
    hits: dict[float, list[bool]] = {0.9: [], 0.95: []}
    sizes = dict.fromkeys(hits, 0)
    for block in stream.blocks():
        for x, label in zip(block.X, block.y.tolist(), strict=True):
            right += learner.predict_one(x) == label
            for coverage, covered in hits.items():
                found = learner.predict_set_one(x, coverage)
                covered.append(label in found)
                sizes[coverage] += len(found)
            learner.learn_one(x, label)
    n = len(hits[0.9])
    for coverage, covered in hits.items():
        share = 100 * sum(covered) / n
        cells.append(f"{share:.2f} | {worst(np.array(covered), coverage):.2f} | ")
        cells[-1] += f"{sizes[coverage] / n:.2f}"
    return f"| {name} | {100 * right / n:.2f} | {' | '.join(cells)} |"


def main() -> int:
    """Print both tables; 1 if an interval is off by more than a point."""
    shown = " | ".join(f"{coverage:.0%}" for coverage in COVERAGES)
    print(f"| stream | {shown} | width | fixed window, {SHOWN:.0%} |")
    print("|---|" + "---:|" * (len(COVERAGES) + 2))
    failed = False
    for name, examples in STREAMS.items():
        by_coverage, ratio, fixed = intervals(*examples())
        cells = " | ".join(f"{points:.2f}" for points in by_coverage.values())
        print(f"| {name} | {cells} | {ratio:.2f} | {fixed:.2f} |", flush=True)
        failed = failed or max(by_coverage.values()) > 1.0
    print("\n| stream | right | 90% | worst | labels | 95% | worst | labels |")
    print("|---|" + "---:|" * 7)
    for name in LABELLED:
        print(sets(name), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
