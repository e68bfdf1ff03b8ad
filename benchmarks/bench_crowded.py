"""What the learner without tuning does with more than fits: speed, bytes and accuracy.

Every case adds something that is always new to agrawal_a and elec. Accuracies, on the examples that
are not added, are those of runs of at most 20,000 examples of each stream, with it and without;
speeds and bytes those of agrawal_a at full length. `python bench_crowded.py 0.01` is a quick look.

    SHRUBS_DATA=... python benchmarks/bench_crowded.py [scale [case]]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shrubs import ShrubClassifier
from shrubs.experiments.registry import make_stream

LIMITS = ("64KB", "1MB")
STREAMS = ("agrawal_a", "elec")
SEEDS = (1, 2, 3)
N_COMPARED = 20_000
PHASE = 5000

# What comes in place of example i, and whether each is the stream's own.
Case = Callable[[int, dict[str, float], Any], Iterator[tuple[Any, Any, bool]]]


def feature(make: Callable[[int], dict[str, Any]]) -> Case:
    """More features in every row."""
    return lambda i, x, y: iter([({**x, **make(i)}, y, True)])


def some_classes(i: int, x: dict[str, float], y: Any) -> Iterator[tuple[Any, Any, bool]]:
    """Every twentieth label is one that never comes again."""
    yield (x, y, True) if i % 20 else (x, f"class {i}", False)


def many_classes(i: int, x: dict[str, float], y: Any) -> Iterator[tuple[Any, Any, bool]]:
    """So does every label of a while."""
    if i == PHASE:
        yield from ((x, f"class {c}", False) for c in range(PHASE))
    yield x, y, True


def wide(n: int, *, texts: bool = False) -> Case:
    """All but a few of n values are noise; which ones they are looks like chance."""
    draw = np.random.default_rng(0)
    order = draw.permutation(n)

    def rows(_: int, x: dict[str, float], y: Any) -> Iterator[tuple[Any, Any, bool]]:
        noise = draw.integers(0, 3, n - len(x)).tolist()
        values = [*x.values(), *(f"text {value}" if texts else value for value in noise)]
        yield [values[i] for i in order], y, True

    return rows


# name: examples, and the case
CASES: dict[str, tuple[int, Case]] = {
    "1,000,000 texts in a column": (1_000_000, feature(lambda i: {"id": f"customer {i}"})),
    "100,000 names, each once": (100_000, feature(lambda i: {f"feature {i}": i % 7 / 7})),
    "10,000 names, 10 rows each": (100_000, feature(lambda i: {f"feature {i // 10}": i % 7 / 7})),
    "1,000 names, 100 rows each": (100_000, feature(lambda i: {f"feature {i // 100}": i % 7 / 7})),
    "one label in 20 never again": (100_000, some_classes),
    "5,000 labels, each once": (N_COMPARED, many_classes),
    "40 numbers at once": (N_COMPARED, wide(40)),
    "150 numbers at once": (N_COMPARED, wide(150)),
    "5,000 numbers at once": (N_COMPARED, wide(5000)),
    "2,000 texts at once": (N_COMPARED, wide(2000, texts=True)),
}


def own_rows(name: str, n: int, seed: int) -> Iterator[tuple[dict[str, float], Any]]:
    """The first examples of a stream, by name."""
    stream = make_stream(name, n_examples=n if name != "elec" else None, seed=seed)
    names = [each.name for each in stream.schema.features]
    left = n
    for block in stream.blocks():
        for x, y in zip(block.X.tolist()[:left], block.y.tolist(), strict=False):
            yield dict(zip(names, x, strict=True)), y
        left -= min(left, len(block))


def run(
    limit: str, stream: str, n: int, seed: int, case: Case, *, alone: bool = False
) -> tuple[float, list[float], ShrubClassifier]:
    """The accuracy on the stream's own examples, alone or not; seconds by tenths; the learner."""
    learner = ShrubClassifier(memory_limit=limit, seed=seed)
    right, seconds = [], []
    for i, (x, y) in enumerate(own_rows(stream, n, seed)):
        if i % (n // 10) == 0:
            seconds.append(time.process_time())
        for row, label, own in case(i, x, y):
            if own:
                right.append(learner.predict_one(x if alone else row) == label)
            if own or not alone:
                learner.learn_one(x if alone else row, label)
    seconds.append(time.process_time())
    return 100 * float(np.mean(right)), np.diff(seconds).tolist(), learner


def print_case(name: str, scale: float) -> None:
    """One line per limit."""
    full, case = CASES[name]
    n = max(int(full * scale), 1000)
    for limit in LIMITS:
        _, seconds, learner = run(limit, STREAMS[0], n, 0, case)
        cells = []
        for stream in STREAMS:
            n_compared = min(n, N_COMPARED)
            found = [
                [run(limit, stream, n_compared, seed, case, alone=alone)[0] for seed in SEEDS]
                for alone in (False, True)
            ]
            cells.append(" | ".join(f"{np.mean(values):.2f}" for values in found))
        given_up = learner.memory_report().given_up
        print(
            f"| {name} | {limit} | {seconds[1] * 1e7 / n:,.0f} | {seconds[-1] * 1e7 / n:,.0f} | "
            f"{learner.memory_bytes:,} | {' | '.join(cells)} | {given_up} |",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    beside = " | ".join(f"{stream}, % | without" for stream in STREAMS)
    print(f"| case | memory | us per example, second tenth | last | bytes | {beside} | given up |")
    print("|---|---|" + "---:|" * 7 + "---|")
    for name in sys.argv[2:] or CASES:
        print_case(name, scale)


if __name__ == "__main__":
    main()
