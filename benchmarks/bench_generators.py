"""How fast the generators draw, as ratios against River and MOA in the same run.

Everything is CPU time, best of several passes. Ours counts all of Python's part: reading a stream
to its end in blocks of 1,024 examples. River counts its iterator. MOA is timed inside the Java
machine by its own task MeasureStreamSpeed, which counts the drawing thread alone and so leaves out
garbage collection in other threads.

    python benchmarks/bench_generators.py [--examples N] [--passes N]
"""

from __future__ import annotations

import argparse
import re
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from shrubs.protocols import Stream
from shrubs.streams import LED, SEA, Agrawal, Hyperplane, RandomRBF, Sine, paper_stream

Speed = Callable[[int], float]  # examples per second over so many examples


@dataclass(frozen=True)
class Case:
    """The same stream in three packages."""

    name: str
    ours: Callable[[int], Stream]
    moa: str
    river: Callable[[Any], Any] | None


def joined_in_moa(concepts: list[str], width: int) -> str:
    """Nest MOA's joins as the paper does."""
    options = concepts[-1]
    for concept in reversed(concepts[:-1]):
        options = f"ConceptDriftStream -s ({concept}) -d ({options}) -p 250000 -w {width}"
    return options


AGRAWAL = [f"generators.AgrawalGenerator -f {f}" for f in (1, 2, 1, 4)]
LEDS = [f"generators.LEDGeneratorDrift -d {d}" for d in (1, 3, 5, 7)]

CASES = [
    Case(
        "agrawal",
        lambda n: Agrawal(n_examples=n),
        "generators.AgrawalGenerator",
        lambda synth: synth.Agrawal(seed=1, perturbation=0.05),
    ),
    Case(
        "led",
        lambda n: LED(n_examples=n, n_drift_features=3),
        "generators.LEDGeneratorDrift -d 3",
        lambda synth: synth.LEDDrift(
            seed=1, noise_percentage=0.1, irrelevant_features=True, n_drift_features=3
        ),
    ),
    Case(
        "random_rbf",
        lambda n: RandomRBF(n_examples=n, n_classes=5, speed=0.001),
        "generators.RandomRBFGeneratorDrift -c 5 -s 0.001",
        lambda synth: synth.RandomRBFDrift(
            seed_model=1,
            seed_sample=1,
            n_classes=5,
            n_features=10,
            n_centroids=50,
            change_speed=0.001,
            n_drift_centroids=50,
        ),
    ),
    Case(
        "sea",
        lambda n: SEA(n_examples=n),
        "generators.SEAGenerator",
        lambda synth: synth.SEA(seed=1, noise=0.1),
    ),
    Case(
        "hyperplane",
        lambda n: Hyperplane(n_examples=n, magnitude=0.001),
        "generators.HyperplaneGenerator -t 0.001",
        lambda synth: synth.Hyperplane(seed=1, n_features=10, mag_change=0.001),
    ),
    Case(
        "sine",
        lambda n: Sine(n_examples=n),
        "generators.SineGenerator",
        lambda synth: synth.Sine(seed=1, has_noise=True),
    ),
    Case("agrawal_a", lambda n: paper_stream("agrawal_a"), joined_in_moa(AGRAWAL, 50), None),
    Case("agrawal_g", lambda n: paper_stream("agrawal_g"), joined_in_moa(AGRAWAL, 50_000), None),
    Case("led_g", lambda n: paper_stream("led_g"), joined_in_moa(LEDS, 50_000), None),
]


def count(examples: Iterable[Any]) -> int:
    """Use up the examples."""
    return sum(1 for _ in examples)


def our_speed(case: Case, n: int) -> float:
    """Examples per second of ours."""
    stream = case.ours(n)
    start = time.process_time()
    n_read = sum(len(block) for block in stream.blocks())
    return n_read / (time.process_time() - start)


def load_river() -> Callable[[Case], Speed | None] | None:
    """How to time River's generators, if River is installed."""
    try:
        from river.datasets import synth
    except ImportError:
        return None

    def timer(case: Case) -> Speed | None:
        if case.river is None:
            return None
        stream = case.river(synth)

        def speed(n: int) -> float:
            start = time.process_time()
            n_read = count(islice(iter(stream), n))
            return n_read / (time.process_time() - start)

        return speed

    return timer


def load_moa() -> Callable[[Case], Speed] | None:
    """How to time MOA's generators, if capymoa and Java are installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import capymoa  # noqa: F401  starts the Java machine
            import jpype
        except Exception:
            return None
    task_class = jpype.JClass("moa.tasks.MeasureStreamSpeed")

    def timer(case: Case) -> Speed:
        def speed(n: int) -> float:
            task = task_class()
            task.streamOption.setValueViaCLIString(case.moa)
            task.generateSizeOption.setValue(n)
            task.prepareForUse()
            report = str(task.doTask().toString())
            found = re.search(r"Instances per second = ([\d,.]+)", report)
            assert found is not None, report
            return float(found.group(1).replace(",", ""))

        return speed

    return timer


def best(speed: Speed | None, n: int, passes: int) -> float | None:
    """The fastest of several passes."""
    return None if speed is None else max(speed(n) for _ in range(passes))


def cell(speed: float | None, ours: float) -> str:
    """A peer's speed and how many times faster ours is."""
    return f"{'-':>12} {'-':>7}" if speed is None else f"{speed:12,.0f} {ours / speed:6.1f}x"


def main() -> None:
    """Print one line per stream."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=1_000_000)
    parser.add_argument("--passes", type=int, default=5)
    arguments = parser.parse_args()
    n, passes = arguments.examples, arguments.passes
    moa, river = load_moa(), load_river()
    print(f"{'examples/s':<12}{'ours':>12} {'MOA':>12} {'ratio':>7} {'River':>12} {'ratio':>7}")
    for case in CASES:
        ours = max(our_speed(case, n) for _ in range(passes))
        theirs = best(moa(case), n, passes) if moa else None
        rivers = best(river(case), n // 100, passes) if river else None
        print(f"{case.name:<12}{ours:12,.0f} {cell(theirs, ours)} {cell(rivers, ours)}")


if __name__ == "__main__":
    main()
