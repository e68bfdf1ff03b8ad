"""What each part of the learner that needs no tuning is good for: docs/no-tuning.md.

Each variant is a change to the text of the core, compiled on its own and run on the first 20,000
examples of the paper's streams (the synthetic ones with all drifts). Prints a table of mean
running accuracies in percent, with the mean difference to the learner as it is.

    SHRUBS_DATA=... python benchmarks/ablations.py [examples]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from shrubs.analysis.paper_numbers import STREAMS
from shrubs.experiments.registry import make_stream

N_EXAMPLES = int(sys.argv[1]) if __name__ == "__main__" and sys.argv[1:] else 20_000
HERE = Path(__file__).parent
CORE = HERE.parent / "cpp"

COMPILE = ("c++", "-std=c++20", "-O2", "-w", "-ffp-contract=off")

# A text of the core, and what stands in its place.
Change = tuple[str, str, str]

BEDS = "src/auto/beds.cpp"
CONFIG = "include/shrubs/auto/config.hpp"
DRIFTS = "src/auto/drifts.cpp"
ENSEMBLE = "src/auto/ensemble.cpp"
GROWING_SHRUB = "include/shrubs/auto/growing_shrub.hpp"
GROWTH = "src/auto/ensemble_growth.cpp"
PLAN = "src/auto/planner.cpp"
WEIGHT_LANES = "include/shrubs/auto/weight_lanes.hpp"
COMPANIONS = "include/shrubs/auto/companions"
NO_BAYES = (f"{COMPANIONS}/naive_bayes.hpp", "task == Task::classification", "false")
NO_LINEAR = (f"{COMPANIONS}/linear_model.hpp", "{ return true; }", "{ return false; }")
NO_NEIGHBOURS = (f"{COMPANIONS}/neighbours.hpp", "task == Task::classification", "false")


def one_length(length: str) -> list[Change]:
    """All shrubs on windows of this length, as many as of all lengths."""
    return [
        (PLAN, "for (; 3 * length <= 2 * plan_.window_size; length *= length_factor_) {",
         "while (false) {"),
        (PLAN, "visit(plan_.window_size);", f"visit({length});"),
        (PLAN, "is_short ? shrubs_per_short_length : shrubs_per_length,", "88,"),
    ]  # fmt: skip


def one_step_size(exponent: int) -> Change:
    """Four mixtures that are the same."""
    sizes = ", ".join([f"0x1p{exponent}"] * 4)
    return CONFIG, "{0x1p-10, 0x1p-7, 0x1p-4, 0x1p-1}", f"{{{sizes}}}"


VARIANTS: dict[str, list[Change]] = {
    "as it is": [],
    "long windows wait until they are half full": [
        (GROWTH, "else if (beds_[group.bed].is_free() &&",
         "else if (beds_[group.bed].is_free() && window_.size() > group.length / 2 &&"),
    ],
    "all features tried in every node": [
        (BEDS, "tried[sown.random.below(n_choices)]", "(sown.random.below(3), n_features)"),
    ],
    "splits judged once": [(GROWING_SHRUB, "are_many(window_.n_features()) ?", "false ?")],
    "no favourites": [(GROWTH, "if (are_many(dimensions().n_features)) {", "if (false) {")],
    "only the longest window": one_length("plan_.window_size"),
    "only windows of 256": one_length("std::min(256U, plan_.window_size)"),
    "leaves stop learning": [
        (ENSEMBLE,
         "shrubs_.counting_leaves(place).learn(leaf, example.label);", ""),
    ],
    "no reactive shrubs": [
        (PLAN, "for (const std::uint32_t length : reactive_lengths) {",
         "for (const std::uint32_t length : std::span(reactive_lengths).first(0)) {"),
    ],
    "no naive Bayes": [NO_BAYES],
    "no linear model": [NO_LINEAR],
    "no neighbours": [NO_NEIGHBOURS],
    "shrubs alone": [NO_BAYES, NO_LINEAR, NO_NEIGHBOURS],
    "step size 2^-10 alone": [one_step_size(-10)],
    "step size 2^-7 alone": [one_step_size(-7)],
    "step size 2^-4 alone": [one_step_size(-4)],
    "step size 2^-1 alone": [one_step_size(-1)],
    "equal weights": [
        (WEIGHT_LANES, "after = before - slope;",
         "after = Floats::all(1.0F) - Floats::all(0.0F) * slope;"),
    ],
    "the oldest leaves, not the lightest": [
        (GROWTH, "const double weight = mixtures_.weight(place);",
         "const double weight = static_cast<double>(shrubs_.born(place));"),
    ],
    "losses keep 0.99": [(CONFIG, "loss_forgetting = 0.995", "loss_forgetting = 0.99")],
    "losses keep 0.998": [(CONFIG, "loss_forgetting = 0.995", "loss_forgetting = 0.998")],
    "4 shrubs per length": [(CONFIG, "shrubs_per_length = 8", "shrubs_per_length = 4")],
    "16 shrubs per length": [
        (CONFIG, "shrubs_per_length = 8", "shrubs_per_length = 16"),
        (DRIFTS, "static_assert(max_experts < Drifts::look_length);", ""),
    ],
    "one new shrub per place and window": [
        (CONFIG, "shrubs_per_place = 2", "shrubs_per_place = 1"),
    ],
    "8 new shrubs per place and window": [
        (CONFIG, "shrubs_per_place = 2", "shrubs_per_place = 8"),
    ],
    "short windows like the others": [
        (CONFIG, "longest_short_window = 32", "longest_short_window = 0"),
    ],
}  # fmt: skip


def dump(name: str, path: Path, n_examples: int) -> None:
    """Write the examples of a stream."""
    stream = make_stream(name, n_examples=n_examples, seed=1)
    blocks = list(stream.blocks())
    X = np.concatenate([block.X for block in blocks])[:n_examples].astype(np.float32)
    y = np.concatenate([block.y for block in blocks])[:n_examples]
    nominal = [feature.nominal for feature in stream.schema.features]
    with path.open("wb") as file:
        np.array([*X.shape, stream.schema.n_classes], dtype=np.int32).tofile(file)
        np.array(nominal, dtype=np.uint8).tofile(file)
        X.tofile(file)
        y.astype(np.uint16).tofile(file)


def build_rest(work: Path) -> None:
    """Compile what no variant changes."""
    others = {"auto", "batch", "generators"}
    sources = [s for s in sorted(CORE.rglob("src/**/*.cpp")) if not others & set(s.parts)]
    subprocess.run([*COMPILE, f"-I{CORE}/include", "-c", *sources], check=True, cwd=work)


def changed(changes: list[Change]) -> dict[str, str]:
    """The files of the core with these changes; each text stands in its file once."""
    texts = {name: (CORE / name).read_text() for name, _, _ in changes}
    for name, before, after in changes:
        if texts[name].count(before) != 1:
            raise ValueError(f"{name} has changed: it does not hold {before!r} once")
        texts[name] = texts[name].replace(before, after)
    return texts


def build(changes: list[Change], work: Path) -> Path:
    """Compile the core with these changes."""
    core = work / "cpp"
    shutil.rmtree(core, ignore_errors=True)
    shutil.copytree(CORE, core)
    for name, text in changed(changes).items():
        (core / name).write_text(text)
    program = work / "ablation"
    parts = [HERE / "ablations.cpp", *core.rglob("src/auto/**/*.cpp"), *work.glob("*.o")]
    subprocess.run([*COMPILE, f"-I{core}/include", *parts, "-o", program], check=True)
    return program


def run(program: Path, examples: Path, memory_bytes: int) -> list[float]:
    """What it prints: the accuracy, and the values that an example visits."""
    return [
        float(value)
        for value in subprocess.check_output([program, examples, str(memory_bytes)]).split()
    ]


def main() -> None:
    """Print one row per variant."""
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        for name in STREAMS:
            dump(name, work / f"{name}.bin", N_EXAMPLES)
        build_rest(work)
        print(f"| | {' | '.join(STREAMS)} | difference |")
        print("|---|" + "---:|" * (len(STREAMS) + 1))
        usual: list[float] = []
        for label, changes in VARIANTS.items():
            program = build(changes, work)
            values = [run(program, work / f"{name}.bin", 2**20)[0] for name in STREAMS]
            usual = usual or values
            difference = float(np.mean(values) - np.mean(usual))
            cells = " | ".join(f"{value:.2f}" for value in values)
            print(f"| {label} | {cells} | {difference:+.2f} |", flush=True)


if __name__ == "__main__":
    main()
