"""Race one step of the core against the plain version in benchmarks/plain.

Builds the executable `plain_bench`, runs it for each setting and prints a table. Both learn the
same stream in one process, in turns; times are CPU time per example (prediction and one step), the
best of several repeats for each block of 50 examples. The step size is 0.1 throughout.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results_file import write_results

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "benchmarks"


@dataclass(frozen=True)
class Setting:
    """One row of the table; target: how many times faster than plain the core has to be."""

    name: str
    arguments: str
    target: float | None = None
    exact_examples: int = 1500


SETTINGS = (
    Setting(
        "M=32 B=256 depth 8 d=8 C=2",
        "max_shrubs=32 window_size=256 max_depth=8 n_features=8 n_classes=2 n_repeats=7",
        target=60.0,
    ),
    Setting(
        "same, 11 steps per example",
        "max_shrubs=32 window_size=256 max_depth=8 n_features=8 n_classes=2 n_repeats=5 "
        "steps_per_example=11",
        target=300.0,
    ),
    Setting(
        "M=8 B=64 depth 5 d=8 C=2",
        "max_shrubs=8 window_size=64 max_depth=5 n_features=8 n_classes=2 n_repeats=9 "
        "n_examples=10000",
    ),
    Setting(
        "M=128 B=1024 depth 12 d=40 C=7",
        "max_shrubs=128 window_size=1024 max_depth=12 n_features=40 n_classes=7 n_repeats=2 "
        "warm_up=1200 n_examples=300",
        target=60.0,
        exact_examples=250,
    ),
    Setting(
        "led, 48 binary features, M=32 B=256 depth 8 C=10",
        "stream=led max_shrubs=32 window_size=256 max_depth=8 n_features=48 n_classes=10 "
        "n_repeats=5",
        target=100.0,
    ),
    Setting(
        "random splits, M=32 B=256 depth 12 d=40 C=7",
        "splitter=random max_shrubs=32 window_size=256 max_depth=12 n_features=40 n_classes=7 "
        "n_repeats=5",
        target=60.0,
    ),
)


def find_cmake() -> str:
    """Return cmake from the environment of this Python, or else from the path."""
    beside = shutil.which("cmake", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("cmake")
    if found is None:
        sys.exit("cmake is missing; `pip install cmake` brings it")
    return found


def build(target: str = "plain_bench") -> Path:
    """Build an executable and return where it is."""
    cmake = find_cmake()
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DSHRUBS_BENCHMARKS=ON"]
    configure = [cmake, "-S", str(ROOT), "-B", str(BUILD), *options]
    compile_ = [cmake, "--build", str(BUILD), "--config", "Release", "--target", target]
    for command in (configure, compile_):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
    return next(path for path in BUILD.glob(f"benchmarks/**/{target}*") if path.is_file())


def race(executable: Path, arguments: str) -> dict[str, Any]:
    """Run one setting; the last of two equal arguments counts."""
    command = [str(executable), *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def compare(executable: Path, setting: Setting) -> bool:
    """Tell whether shrubs, weights and predictions agree to the bit on a shorter stream."""
    shorter = f" mode=exact warm_up=0 n_repeats=1 n_examples={setting.exact_examples}"
    return bool(race(executable, setting.arguments + shorter)["models_equal"])


def run(setting: Setting, executable: Path) -> dict[str, Any]:
    """Print the row of one setting and return its numbers."""
    timed = race(executable, setting.arguments)
    equal = compare(executable, setting)
    target = "" if setting.target is None else f"{setting.target:.0f}"
    print(
        f"{setting.name:<50} {timed['core_us']:>9.1f} {timed['plain_us']:>10.1f} "
        f"{timed['ratio']:>6.1f} {target:>6}  {'yes' if timed['predictions_equal'] else 'NO':<6} "
        f"{'yes' if equal else 'NO':<5} {timed['accuracy']:>8.3f} {timed['entered']:>7.1%}",
        flush=True,
    )
    return {"setting": setting.name, "target": setting.target, **timed, "equal": equal}


def holds(row: dict[str, Any]) -> bool:
    """Tell whether a row holds its promises."""
    return row["equal"] and (row["target"] is None or row["ratio"] >= row["target"])


def main() -> None:
    """Print one row per setting; fail if a target is missed or the two disagree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="settings whose name contains this")
    only = parser.parse_args().only
    executable = build()
    print(
        f"{'setting':<50} {'core us':>9} {'plain us':>10} {'ratio':>6} {'target':>6}  "
        f"{'labels':<6} {'bits':<5} {'accuracy':>8} {'entered':>7}"
    )
    rows = [run(setting, executable) for setting in SETTINGS if only in setting.name]
    if not only:
        write_results("step", rows)
    print(
        "labels: all labels predicted in the timed run are equal; bits: exact mode gives the same "
        "shrubs, weights and predictions; entered: newcomers that got a weight"
    )
    sys.exit(0 if all(map(holds, rows)) else "a target is missed, or core and plain disagree")


if __name__ == "__main__":
    main()
