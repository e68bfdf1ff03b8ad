"""Flash, memory and instructions per example on small machines, in an emulator: docs/devices.md.

A stream of 2,000 examples drifts in the middle. Beside our learners, where they can be had: a
Mondrian forest of OrpailleCC, which learns on the device too (ORPAILLECC names the folder with its
mondrian.hpp), and a forest of scikit-learn that emlearn exports, trained before the drift, which
predicts only.

    make devices
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.devices.drifting_stream import drifting_stream
from tests.devices.targets import TARGETS, Target, build, flash_bytes, missing, run

HERE = Path(__file__).parent / "devices"
N_EXAMPLES = 2000
HEADINGS = ("", "right %", "flash KB", "RAM KB", "stack KB", "predict", "learn")


@dataclass(frozen=True)
class Program:
    """A learner to measure: its source, and the flags that it wants."""

    name: str
    source: str
    flags: tuple[str, ...] = ()
    learners: bool = False


def ours() -> Iterator[Program]:
    """Without tuning in several sizes, and the paper's algorithm in 4 KB."""
    yield Program("paper, 4 KB", "shrubs.c", (), learners=True)
    for n_kilobytes in (8, 16, 32, 64):
        limit = f"-DLIMIT={n_kilobytes * 1024}"
        yield Program(f"no tuning, {n_kilobytes} KB", "shrubs.c", (limit,), learners=True)


def mondrian() -> Iterator[Program]:
    """The most accurate on this stream of 18 settings, by size."""
    folder = os.environ.get("ORPAILLECC")
    if folder is None:
        print("no Mondrian forest: ORPAILLECC names no folder with OrpailleCC's mondrian.hpp")
        return
    for n_kilobytes, lifetime in ((8, 1.0), (64, 5.0)):
        settings = ("-DTREES=10", f"-DLIFETIME={lifetime}", "-DBASE=0.1", "-DDISCOUNT=0.2")
        quiet = (f"-I{folder}", "-w", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics")
        flags = (f"-DLIMIT={n_kilobytes * 1024}", *settings, *quiet)
        yield Program(f"Mondrian, {n_kilobytes} KB", "mondrian.cpp", flags)


def exported(directory: Path) -> Iterator[Program]:
    """A forest of ten trees, trained on the examples before the drift."""
    if importlib.util.find_spec("emlearn") is None:
        print("no exported forest: emlearn is not installed")
        return
    import emlearn
    from sklearn.ensemble import RandomForestClassifier

    examples = list(drifting_stream(N_EXAMPLES // 2, drifts_after=N_EXAMPLES))
    X = np.array([x for x, _ in examples]) * 32767
    forest = RandomForestClassifier(10, max_depth=6, random_state=0)
    forest.fit(X.astype(np.int16), [y for _, y in examples])
    converted = emlearn.convert(forest, method="inline", dtype="int16_t")
    converted.save(file=str(directory / "forest.h"), name="forest")
    headers = f"-I{Path(emlearn.__file__).parent}"
    yield Program("emlearn, predicts only", "forest.c", (f"-I{directory}", headers, "-w"))


def measured(target: Target, program: Program, directory: Path) -> tuple[int, dict[str, int]]:
    """Bytes of flash, and what the program prints."""
    sources = [HERE / "loop.c", HERE / program.source]
    flags = (f"-DEXAMPLES={N_EXAMPLES}", f"-I{HERE}", *program.flags)
    built = build(target, sources, directory, *flags, learners=program.learners)
    lines = run(target, built).splitlines()
    return flash_bytes(target, built), {
        name: int(value) for name, value in (line.split() for line in lines)
    }


def row(program: Program, flash: int, said: dict[str, int]) -> list[str]:
    """What is shown of a program."""
    learns = program.source != "forest.c"
    return [
        program.name,
        f"{100 * said['right'] / N_EXAMPLES:.1f}",
        f"{flash / 1024:.1f}",
        f"{said['bytes'] / 1024:.1f}",
        f"{said['stack'] / 1024:.1f}",
        f"{said['predict']:,}",
        f"{said['learn']:,}" if learns else "-",
    ]


def main() -> None:
    """A table per target; instructions are means per example."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        programs = [*ours(), *mondrian(), *exported(directory)]
        for target in TARGETS.values():
            reason = missing(target)
            if reason:
                print(reason)
                continue
            empty, _ = measured(target, Program("none", "none.c"), directory)
            print(
                f"\n| {' | '.join((target.name, *HEADINGS[1:]))} |\n|---|{'---:|' * 6}", flush=True
            )
            for program in programs:
                flash, said = measured(target, program, directory)
                print(f"| {' | '.join(row(program, flash - empty, said))} |", flush=True)


if __name__ == "__main__":
    main()
