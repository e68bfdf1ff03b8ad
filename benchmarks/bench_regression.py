"""Race ShrubRegressor without tuning against its paper version and regressors of River and MOA.

Prequential mean absolute error with default settings, on streams that come with River. Smaller is
better; the last column is the cost of an example of the first learner. MOA's learners need capymoa
and Java, and are left out without them.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable
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


class MoaRegressor:
    """A learner of MOA, fed example by example as a block of one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._peer: Any = None

    def predict_one(self, x: dict[str, Any]) -> float:
        """The target; nothing is learned."""
        return self._interleave(x, np.zeros(1), learned=False)

    def learn_one(self, x: dict[str, Any], y: float) -> None:
        """Learn one example."""
        self._interleave(x, np.array([y]), learned=True)

    def _interleave(self, x: dict[str, Any], y: Any, *, learned: bool) -> float:
        if self._peer is None:
            schema = Schema(tuple(Feature(str(name)) for name in x), None)
            self._peer = make_learner(self._name, schema, {}, 1)
            self._peer.prepare(schema)
        block = Block(np.array([list(x.values())], dtype=np.float32), y)
        outcome = self._peer.interleave(block, block if learned else Block(block.X[:0], y[:0]))
        return float(outcome.predicted[0])


LEARNERS: dict[str, Callable[[], Any]] = {
    "ShrubRegressor()": ShrubRegressor,
    "64 KB": lambda: ShrubRegressor(memory_limit="64KB"),
    "the paper's": PaperShrubRegressor,
    "River ARF": lambda: forest.ARFRegressor(seed=1),
    "River AMF": lambda: forest.AMFRegressor(seed=1),
    "River HAT": lambda: tree.HoeffdingAdaptiveTreeRegressor(seed=1),
    "River scaled linear": _linear,
    **{
        f"MOA {REGISTERED[name].label}": functools.partial(MoaRegressor, name)
        for name in ("moa:adaptive-random-forest", "moa:soknl", "moa:sgbr")
        if REGISTERED[name].is_installed
    },
}


def error(learner: Any, stream: Iterable[Any]) -> tuple[float, float]:
    """The mean absolute error, and the microseconds per example."""
    total, n = 0.0, 0
    start = time.process_time()
    for x, y in stream:
        total += abs((learner.predict_one(x) or 0.0) - float(y))
        learner.learn_one(x, float(y))
        n += 1
    return total / n, 1e6 * (time.process_time() - start) / n


def main() -> None:
    """Print one row per stream."""
    print("| stream | " + " | ".join(LEARNERS) + " | µs |")
    print("|---|" + "---:|" * (len(LEARNERS) + 1))
    for name, make_stream in STREAMS.items():
        cells = []
        cost = 0.0
        for label, make in LEARNERS.items():
            examples = list(itertools.islice(make_stream(), 10_000))
            mae, us = error(make(), examples)
            cost = us if label == "ShrubRegressor()" else cost
            cells.append(f"{mae:.3f}")
        print(f"| {name} | {' | '.join(cells)} | {cost:.0f} |", flush=True)


if __name__ == "__main__":
    main()
