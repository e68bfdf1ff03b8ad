"""Flash of an exported model on a Cortex-M3 against emlearn's export of a forest of the same shape.

For every shrub the forest has a tree with as many leaves, grown by scikit-learn on the last
examples of the same stream. All are compiled with `-Os` and linked with whatever arithmetic they
need; an empty program is subtracted. All write probabilities. emlearn takes features as floats, as
we do, or rounded to 16 bits, in code (inline) or in tables (loadable); its leaves vote for a class,
or hold the shares of all classes in 8 bits each. Ours hold what the snapshot holds, to the bit.

    python benchmarks/bench_export.py    # needs emlearn and arm-none-eabi-gcc
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import emlearn
import numpy as np
from results_file import write_results
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from shrubs import PaperShrubClassifier, ShrubClassifier
from shrubs.experiments.registry import make_stream
from shrubs.export import to_c

N_EXAMPLES = 6000
N_RECENT = 2000
COMPILE = ("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-Os", "-std=c99", "-Wno-format")
LINK = ("-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-nostartfiles")
LEARNERS: dict[str, Any] = {
    "paper, 8 of depth 5": lambda: PaperShrubClassifier(
        max_shrubs=8, window_size=64, max_depth=5, step_size=1.0
    ),
    "paper, 32 of depth 6": lambda: PaperShrubClassifier(
        max_shrubs=32, window_size=256, max_depth=6, step_size=1.0
    ),
    "paper, 32 until pure": lambda: PaperShrubClassifier(
        max_shrubs=32, window_size=128, step_size=1.0
    ),
    "untuned, 64 KB": lambda: ShrubClassifier(memory_limit="64KB"),
}
EXPORTS = (("float", "inline"), ("int16_t", "inline"), ("int16_t", "loadable"))
LEAVES = {"votes": 0, "shares": 8}  # bits of a class in a leaf


def flash(source: str, folder: Path) -> int:
    """Bytes of a program."""
    (folder / "main.c").write_text(source)
    include = f"-I{emlearn.includedir}"
    command = [*COMPILE, *LINK, include, "--specs=nosys.specs", "-Wl,-e,main", "main.c"]
    subprocess.run([*command, "-o", "program"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    size = ["arm-none-eabi-size", "program"]
    shown = subprocess.run(size, cwd=folder, check=True, capture_output=True, text=True).stdout
    text, data = shown.splitlines()[1].split()[:2]
    return int(text) + int(data)


def program(code: str, call: str, kind: str, shape: tuple[int, int]) -> str:
    """A program that predicts one example."""
    number = "double" if kind == "ours" else "float"
    taken = "float" if kind == "ours" else kind
    variables = f"static {taken} x[{shape[0]}]; {number} p[{shape[1]}]; volatile {number} used;"
    return f"{code}\n{variables}\nint main(void) {{ {call}; used = p[0]; return 0; }}\n"


def same_shape(leaves: list[int], X: Any, y: Any) -> RandomForestClassifier:
    """A forest whose trees have as many leaves."""
    draw = np.random.default_rng(1)
    forest = RandomForestClassifier(n_estimators=len(leaves), random_state=1).fit(X, y)
    for i, n in enumerate(leaves):
        rows = draw.integers(0, len(X), len(X))
        tree = DecisionTreeClassifier(max_leaf_nodes=max(n, 2), max_features="sqrt", random_state=i)
        forest.estimators_[i] = tree.fit(X[rows], y[rows].astype(float))
    return forest


def whole(X: Any) -> Any:
    """Features as integers that fit 16 bits."""
    return np.round(X / np.abs(X).max(axis=0) * 30_000)


def measure(stream: str, name: str, folder: Path) -> dict[str, Any]:
    """Bytes of our export, and of emlearn's."""
    blocks = list(make_stream(stream, seed=1, n_examples=N_EXAMPLES).blocks())
    X = np.concatenate([block.X for block in blocks])
    y = np.concatenate([block.y for block in blocks])
    learner = LEARNERS[name]().partial_fit(X, y)
    leaves = [(shrub.n_nodes + 1) // 2 for shrub in learner.shrubs]
    shape = X.shape[1], int(y.max()) + 1
    empty = flash("volatile int used; int main(void) { used = 1; return 0; }", folder)
    ours = program(to_c(learner.snapshot()), "model_predict_proba(x, p)", "ours", shape)
    found = {"stream": stream, "learner": name, "shrubs": len(leaves), "leaves": sum(leaves)}
    found["ours"] = flash(ours, folder) - empty
    for dtype, method in EXPORTS:
        recent = X[-N_RECENT:] if dtype == "float" else whole(X[-N_RECENT:])
        forest = same_shape(leaves, recent, y[-N_RECENT:])
        for said, bits in LEAVES.items():
            converted = emlearn.convert(forest, method=method, dtype=dtype, leaf_bits=bits)
            converted.save(file=str(folder / "theirs.h"), name="model")
            call = f"model_predict_proba(x, {shape[0]}, p, {shape[1]})"
            theirs = program('#include "theirs.h"', call, dtype, shape)
            found[f"{method} {dtype} {said}"] = flash(theirs, folder) - empty
    return found


def main() -> None:
    """Print one row per stream and learner; fail if one of emlearn's exports is smaller.

    For the learner without tuning, those whose leaves hold the shares of classes, as its leaves do.
    """
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for stream in ("rbf_f", "agrawal_a", "led_a"):
            for name in LEARNERS:
                row = measure(stream, name, Path(folder))
                if not results:
                    print(" | ".join(row))
                print(" | ".join(str(value) for value in row.values()), flush=True)
                results.append(row)
    write_results("export", results)
    sys.exit(any(map(is_missed, results)))


def is_missed(row: dict[str, Any]) -> bool:
    """Whether the target of a row is missed."""
    leaves = LEAVES if row["learner"].startswith("paper") else ("shares",)
    theirs = [row[f"{method} {dtype} {said}"] for dtype, method in EXPORTS for said in leaves]
    return row["ours"] >= min(theirs)


if __name__ == "__main__":
    main()
