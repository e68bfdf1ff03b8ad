"""What the prequential loop and reading from files add to learning itself.

Our learners: microseconds per example that `evaluate` adds to `PaperShrubClassifier.prequential` on
the same examples, with the smallest useful model, so that the loop weighs most. River: the share
that `evaluate` adds to a bare loop of `predict_one` and `learn_one`. Files: examples per second of
reading a stream against learning from it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from river import tree

from shrubs import PaperShrubClassifier
from shrubs.adapters.river_peers import RiverPeer
from shrubs.evaluation import evaluate
from shrubs.evaluation.rows import as_rows
from shrubs.protocols import Stream
from shrubs.streams import SEA, Agrawal, open_stream

SMALLEST = {"max_shrubs": 4, "window_size": 32, "max_depth": 4}


def best_of(n: int, *works: Callable[[], object]) -> list[float]:
    """CPU seconds of the fastest of ``n`` repetitions of each, in turns."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(n):
        for work, taken in zip(works, times, strict=True):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in times]


def read(stream: Stream) -> None:
    """Read a stream to its end."""
    for _ in stream.blocks():
        pass


def ours(n: int) -> None:
    """The loop around our learner."""
    stream = SEA(n_examples=n, seed=1)
    blocks = list(stream.blocks(n))
    X, y = blocks[0].X, blocks[0].y
    bare, drawn, loop = best_of(
        5,
        lambda: PaperShrubClassifier(**SMALLEST).prequential(X, y, classes=[0, 1]),
        lambda: read(stream),
        lambda: evaluate(PaperShrubClassifier(**SMALLEST), stream),
    )
    added = 1e6 * (loop - bare - drawn) / n
    print(f"ours: {1e6 * bare / n:.2f} us bare, {1e6 * loop / n:.2f} us in the loop with drawing")
    print(f"      the loop adds {added:.2f} us per example (target: less than 1)")


def river(stream: Stream, n: int) -> None:
    """The loop around a Hoeffding tree of River."""
    block = next(stream.blocks(n))
    rows = as_rows(stream.schema, block)
    labels = [(stream.schema.classes or ())[i] for i in block.y.tolist()]

    def bare_loop() -> None:
        model = tree.HoeffdingTreeClassifier()
        for x, y in zip(rows, labels, strict=True):
            model.predict_one(x)
            model.learn_one(x, y)

    bare, loop = best_of(
        7, bare_loop, lambda: evaluate(RiverPeer(tree.HoeffdingTreeClassifier()), stream)
    )
    print(f"River on {stream.name}: {1e6 * bare / n:.1f} us bare, {1e6 * loop / n:.1f} in the loop")
    print(f"      the loop adds {100 * (loop / bare - 1):.1f}% (target: less than 10%)")


def files(n: int) -> None:
    """Reading against learning with the smallest useful model."""
    block = next(SEA(n_examples=n, seed=1).blocks(n))
    with tempfile.TemporaryDirectory() as directory:
        import pyarrow
        from pyarrow import csv, parquet

        columns = {f"x{i}": block.X[:, i] for i in range(block.X.shape[1])}
        table = pyarrow.table({**columns, "target": block.y})
        csv.write_csv(table, Path(directory, "sea.csv"))
        parquet.write_table(table, Path(directory, "sea.parquet"))
        learner = PaperShrubClassifier(**SMALLEST)
        X = np.ascontiguousarray(block.X)
        (learning,) = best_of(3, lambda: learner.fit(X, block.y))
        for name in ("sea.csv", "sea.parquet"):
            (reading,) = best_of(3, lambda name=name: read(open_stream(Path(directory, name))))
            print(
                f"{name}: {n / reading / 1e6:.2f} million examples/s read (both passes), "
                f"{n / learning / 1e6:.2f} learned; reading is {learning / reading:.1f} times as "
                "fast (target: at least 1)"
            )


if __name__ == "__main__":
    ours(200_000)
    river(SEA(n_examples=50_000, seed=1), 50_000)
    river(Agrawal(n_examples=50_000, seed=1), 50_000)
    files(200_000)
