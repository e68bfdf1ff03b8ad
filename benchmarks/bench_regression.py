"""Race ShrubRegressor without tuning against its paper version and regressors of River and MOA.

Prequential mean absolute error with default settings, on streams that come with River. Smaller is
better; the last column is the cost of an example of the first learner. MOA's learners need capymoa
and Java, and are left out without them.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from river import datasets, forest, linear_model, preprocessing, tree
from river.datasets import synth

from shrubs import PaperShrubRegressor, ShrubRegressor
from shrubs.experiments.registry import LEARNERS as REGISTERED
from shrubs.experiments.registry import make_learner
from shrubs.protocols import Block, Feature, Schema

STREAMS: dict[str, Callable[[], Iterable[Any]]] = {
    "Friedman": lambda: synth.Friedman(seed=1).take(10_000),
    "Friedman, drifts": lambda: synth.FriedmanDrift(
        drift_type="gra", position=(3000, 7000), seed=1
    ).take(10_000),
    "Planes2D": lambda: synth.Planes2D(seed=1).take(10_000),
    "TrumpApproval": datasets.TrumpApproval,
    "ChickWeights": datasets.ChickWeights,
}


def _linear() -> Any:
    return preprocessing.StandardScaler() | linear_model.LinearRegression()


LEARNERS: dict[str, Callable[[], Any]] = {
    "ShrubRegressor()": ShrubRegressor,
    "64 KB": lambda: ShrubRegressor(memory_limit="64KB"),
    "the paper's": PaperShrubRegressor,
    "River ARF": lambda: forest.ARFRegressor(seed=1),
    "River AMF": lambda: forest.AMFRegressor(seed=1),
    "River HAT": lambda: tree.HoeffdingAdaptiveTreeRegressor(seed=1),
    "River scaled linear": _linear,
}
MOA = [
    name
    for name in ("moa:adaptive-random-forest", "moa:soknl", "moa:sgbr")
    if REGISTERED[name].is_installed
]


def error(learner: Any, stream: Iterable[Any]) -> tuple[float, float]:
    """The mean absolute error, and the microseconds per example."""
    total, n = 0.0, 0
    start = time.process_time()
    for x, y in stream:
        total += abs((learner.predict_one(x) or 0.0) - float(y))
        learner.learn_one(x, float(y))
        n += 1
    return total / n, 1e6 * (time.process_time() - start) / n


def moa_error(name: str, examples: Sequence[Any]) -> float:
    """The mean absolute error of a learner of MOA, in Java; texts count as missing."""
    features = tuple(Feature(str(feature)) for feature in examples[0][0])
    rows = [[v if isinstance(v, float | int) else np.nan for v in x.values()] for x, _ in examples]
    block = Block(np.array(rows, dtype=np.float32), np.array([float(y) for _, y in examples]))
    learner: Any = make_learner(name, Schema(features, None), {}, 1)
    learner.prepare(Schema(features, None))
    return float(np.mean(np.abs(learner.interleave(block, block).predicted - block.y)))


def main() -> None:
    """Print one row per stream."""
    labels = [*LEARNERS, *(f"MOA {REGISTERED[name].label}" for name in MOA)]
    print("| stream | " + " | ".join(labels) + " | µs |")
    print("|---|" + "---:|" * (len(labels) + 1))
    for name, make_stream in STREAMS.items():
        cells = []
        cost = 0.0
        examples = list(itertools.islice(make_stream(), 10_000))
        for label, make in LEARNERS.items():
            mae, us = error(make(), examples)
            cost = us if label == "ShrubRegressor()" else cost
            cells.append(f"{mae:.3f}")
        cells += [f"{moa_error(name, examples):.3f}" for name in MOA]
        print(f"| {name} | {' | '.join(cells)} | {cost:.0f} |", flush=True)


if __name__ == "__main__":
    main()
