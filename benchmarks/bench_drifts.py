"""When did it drift? The learner without tuning beside detectors that watch its errors.

ADWIN, HDDM-A, HDDM-W and Page-Hinkley of River (their defaults) see the errors of the same learner
in the same run. Streams with abrupt changes of concept give delays, streams without any give false
alarms: docs/no-tuning.md. The method was chosen with seeds 1 to 3; say others.

    python benchmarks/bench_drifts.py [seeds ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base, drift

from shrubs import ShrubClassifier, ShrubRegressor
from shrubs.protocols import Stream
from shrubs.streams import LED, SEA, Agrawal, Hyperplane, RandomRBF, Sine, join

N = 100_000
APART = 20_000
WIDTH = 50
LATEST = 2_000  # a later alarm is not about the change
Array = NDArray[np.float64]
Detector = base.DriftDetector | base.BinaryDriftDetector
DETECTORS: dict[str, Callable[[], Detector]] = {
    "ADWIN": drift.ADWIN,
    "HDDM-A": drift.binary.HDDMA,
    "HDDM-W": drift.binary.HDDMW,
    "Page-Hinkley": drift.PageHinkley,
}
BINARY = ("HDDM-A", "HDDM-W")


@dataclass(frozen=True)
class Case:
    """Examples, and where their concept changes; nothing is nominal unless it says so."""

    name: str
    X: Array
    y: NDArray[np.generic]
    changes: tuple[int, ...] = ()
    nominal: tuple[int, ...] = ()


def of_stream(name: str, stream: Stream, changes: tuple[int, ...] = ()) -> Case:
    """A case of our generators."""
    blocks = list(stream.blocks())
    kinds = stream.schema.features
    return Case(
        name,
        np.concatenate([block.X for block in blocks]),
        np.concatenate([block.y for block in blocks]).astype(int),
        changes,
        tuple(i for i, kind in enumerate(kinds) if kind.nominal),
    )


def abrupt(name: str, concepts: Sequence[Stream], seed: int) -> Case:
    """One concept after the other, as the paper joins them."""
    stream = concepts[-1]
    for concept in concepts[-2::-1]:
        stream = join(concept, stream, position=APART, width=WIDTH, seed=seed)
    n = len(concepts)
    limited = join(stream, stream, position=n * APART, n_examples=n * APART)
    return of_stream(name, limited, tuple(APART * i for i in range(1, n)))


def friedman(X: Array) -> Array:
    """The target of five features."""
    return (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
    )


def changing(seed: int) -> Iterator[Case]:
    """Streams whose concept changes."""
    n = 4 * APART
    agrawal = [Agrawal(n_examples=n, seed=seed, function=f) for f in (1, 2, 1, 4)]
    led = [LED(n_examples=n, seed=seed, n_drift_features=d) for d in (1, 3, 5, 7)]
    sine = [Sine(n_examples=n, seed=seed, function=f) for f in (1, 2, 3, 4)]
    rbf = [
        RandomRBF(n_examples=n, seed=seed, model_seed=10 * seed + m, n_classes=5) for m in range(4)
    ]
    yield abrupt("agrawal_a: 1, 2, 1, 4", agrawal, seed)
    yield abrupt("led_a: 1, 3, 5 drifting", led[:3], seed)
    yield abrupt("led_a: 5, 7 drifting", led[2:], seed)
    yield abrupt("sine: 1, 2, 3, 4", sine, seed)
    yield abrupt("rbf: other centroids", rbf, seed)
    draw = np.random.default_rng(seed)
    runs = in_runs(draw, n, 5, 300)
    means = np.eye(6)[(runs + np.arange(n) // APART) % 5]
    changes = (APART, 2 * APART, 3 * APART)
    yield Case("classes in runs: exchanged", draw.normal(size=(n, 6)) + 1.5 * means, runs, changes)
    draw = np.random.default_rng(seed)
    X = draw.random((n, 10))
    columns = [X, X[:, ::-1], X[:, [3, 4, 0, 1, 2]], X[:, [7, 8, 9, 5, 6]]]
    y = np.concatenate([friedman(c)[APART * i : APART * (i + 1)] for i, c in enumerate(columns)])
    yield Case("friedman: other features", X, y + draw.normal(size=n), changes)


def in_runs(draw: np.random.Generator, n: int, n_classes: int, longest: int) -> NDArray[np.int64]:
    """Labels that stay for a while: below `longest` examples."""
    return np.repeat(draw.integers(0, n_classes, n), draw.integers(1, longest, n))[:n]


def drifting_level(draw: np.random.Generator, keeps: float, width: int) -> Array:
    """Numbers that depend on those before them, of variance 1."""
    level, noise = np.zeros((N, width)), draw.normal(size=(N, width)) * np.sqrt(1 - keeps**2)
    for t in range(1, N):
        level[t] = keeps * level[t - 1] + noise[t]
    return level


def steady(seed: int) -> Iterator[Case]:
    """Streams whose concept stays."""
    for function in (1, 2, 5, 7, 9):
        yield of_stream(f"agrawal {function}", Agrawal(n_examples=N, seed=seed, function=function))
    yield of_stream("led", LED(n_examples=N, seed=seed))
    yield of_stream("rbf", RandomRBF(n_examples=N, seed=seed, model_seed=seed, n_classes=5))
    yield of_stream("sea", SEA(n_examples=N, seed=seed, function=3))
    yield of_stream("hyperplane", Hyperplane(n_examples=N, seed=seed))
    yield of_stream("sine", Sine(n_examples=N, seed=seed, function=2))
    yield from steady_labels(np.random.default_rng(seed))
    yield from steady_targets(np.random.default_rng(seed + 1000))


def steady_labels(draw: np.random.Generator) -> Iterator[Case]:
    """Labels or errors that depend on those before them, rare classes, noise."""
    x, u = draw.normal(size=(N, 6)), draw.random(N)
    stays = np.cumsum(u > 0.95) % 2
    yield Case("labels that stay", x + np.outer(stays, [1, 0, 0, 0, 0, 0]), stays)
    runs = in_runs(draw, N, 5, 300)
    yield Case("classes in runs", x + 1.5 * np.eye(6)[runs], runs)
    slow = drifting_level(draw, 0.995, 5)
    flipped = u < 0.1
    yield Case("slow features", slow, ((slow[:, 0] * slow[:, 1] + slow[:, 2] > 0) ^ flipped) * 1)
    noisy = u < np.where(slow[:, 3] > 0, 0.3, 0.02)
    yield Case("errors come in runs", slow, ((slow[:, 0] + slow[:, 1] > 0) ^ noisy) * 1)
    yield Case("one class of 2 percent", x, ((x[:, 0] + x[:, 1] > 2.8) ^ (u < 0.005)) * 1)
    yield Case("nothing but noise", x, draw.integers(0, 2, N))
    more = u < np.where(np.arange(N) // 25_000 % 2, 0.25, 0.05)
    yield Case("noise that rises twice", x, ((x[:, 0] + x[:, 1] * x[:, 2] > 0) ^ more) * 1)
    for n_classes, longest in ((2, 1000), (12, 1000), (12, 100)):
        runs = in_runs(draw, N, n_classes, longest)
        means = 1.5 * np.eye(12)[runs]
        name = f"{n_classes} classes in runs of up to {longest:,}"
        yield Case(name, draw.normal(size=(N, 12)) + means, runs)


def steady_targets(draw: np.random.Generator) -> Iterator[Case]:
    """Targets with noise of all kinds."""
    X, e = draw.random((N, 10)), draw.normal(size=N)
    yield Case("friedman", X, friedman(X) + e)
    yield Case("heavy tails", X, friedman(X) + 2 * draw.standard_t(2, N))
    yield Case("volatile noise", X, 10 * X[:, 0] + np.exp(drifting_level(draw, 0.995, 1)[:, 0]) * e)
    slow = drifting_level(draw, 0.99, 5)
    yield Case("slow features, targets", slow, slow[:, 0] * slow[:, 1] + slow[:, 2] + 0.3 * e)
    yield Case("random walk", X, np.cumsum(e))


def alarms(case: Case, seed: int) -> dict[str, list[int]]:
    """Where each one raised the alarm."""
    is_label = case.y.dtype.kind == "i"
    learner: ShrubClassifier | ShrubRegressor
    start = time.perf_counter()
    if is_label:
        learner = classifier = ShrubClassifier(nominal_features=case.nominal, seed=seed)
        said = classifier.prequential(case.X, case.y, classes=range(int(case.y.max()) + 1))
    else:
        learner = ShrubRegressor(seed=seed)
        said = learner.prequential(case.X, case.y)
    spent = time.perf_counter() - start
    found = {"ours": [each.noticed for each in learner.drifts or ()]}
    errors = ((said != case.y) * 1 if is_label else np.abs(said - case.y)).tolist()
    for name, make in DETECTORS.items():
        if is_label or name not in BINARY:
            found[name] = watched(make(), errors)
    counts = {name: len(at) for name, at in found.items()}
    print(case.name, seed, f"{1e6 * spent / len(case.y):.0f} us", counts, file=sys.stderr)
    return found


def watched(detector: Detector, errors: list[Any]) -> list[int]:
    """Where a detector of River raises the alarm."""
    found = []
    for t, error in enumerate(errors, 1):
        detector.update(error)
        if detector.drift_detected:
            found.append(t)
    return found


def delays(found: list[int], changes: Sequence[int]) -> list[float]:
    """Of each change; infinite if it was not noticed. A change begins before its middle."""
    return [
        min((at - change for at in found if change - WIDTH <= at < change + LATEST), default=np.inf)
        for change in changes
    ]


def in_words(waited: list[float]) -> str:
    """Median and largest delay, and how many were missed."""
    missed = sum(map(np.isinf, waited))
    known = [delay for delay in waited if not np.isinf(delay)]
    times = f"{np.median(known):.0f} / {max(known):.0f}" if known else "-"
    return f"{times} ({missed} of {len(waited)} missed)" if missed else times


def show(title: str, cases: Callable[[int], Iterator[Case]], seeds: Sequence[int]) -> None:
    """A row per stream: delays where the concept changes, alarms where it stays."""
    rows: dict[str, dict[str, list[float]]] = {}
    changing_cases: set[str] = set()
    for seed in seeds:
        for case in cases(seed):
            row = rows.setdefault(case.name, {name: [] for name in ("ours", *DETECTORS)})
            for name, found in alarms(case, seed).items():
                row[name] += delays(found, case.changes) if case.changes else [len(found)]
            if case.changes:
                changing_cases.add(case.name)
    print(f"\n| {title} | " + " | ".join(("ours", *DETECTORS)) + " |")
    print("|---|" + "---:|" * (1 + len(DETECTORS)))
    for stream, row in rows.items():
        of = in_words if stream in changing_cases else lambda counts: f"{sum(counts):.0f}"
        print(f"| {stream} | " + " | ".join(of(v) if v else "" for v in row.values()) + " |")
    if not changing_cases:
        totals = [sum(sum(row[name]) for row in rows.values()) for name in ("ours", *DETECTORS)]
        print("| all | " + " | ".join(f"{total:.0f}" for total in totals) + " |")


if __name__ == "__main__":
    chosen = [int(seed) for seed in sys.argv[1:]] or [11, 12, 13]
    show("change of concept: median / largest delay", changing, chosen)
    show(f"no change: alarms in {len(chosen)} times {N:,} examples", steady, chosen)
