"""The cost of an example over the paper's whole search space, not in chosen settings alone.

Random draws of the paper's hyperparameters, windows full, on agrawal_a and led_a with nominal
features as they are and one-hot, and on rbf_f. Each is printed with its ratio against the plain
version in benchmarks/plain, of which one example is timed. `--before` takes the results of an
earlier state (`build/performance/search_space.json`): its times are printed beside the new ones,
and a digest of the predictions tells whether the bits are the same.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from bench_step import build
from results_file import write_results

from shrubs.experiments.study_file import find_study, read_study
from shrubs.streams import paper_stream

STREAMS = (
    ("agrawal_a", False),
    ("agrawal_a", True),
    ("led_a", False),
    ("led_a", True),
    ("rbf_f", False),
)
N_EXAMPLES = 20_000
LEAST_TIMED, MOST_TIMED = 50, 400
VALUES_TIMED = 400_000


def write_examples(name: str, one_hot: bool, path: Path) -> int:
    """Write the first examples of a stream for `draw_bench`; return the number of features."""
    stream = paper_stream(name, one_hot=one_hot)
    block = next(iter(stream.blocks(N_EXAMPLES)))
    features = stream.schema.features
    head = [N_EXAMPLES, len(features), len(stream.schema.classes), *(f.nominal for f in features)]
    rows = np.column_stack([block.X.view(np.uint32), block.y.astype(np.uint32)])
    path.write_bytes(np.array(head, dtype=np.uint32).tobytes() + rows.tobytes())
    return len(features)


def draws(n: int) -> list[dict[str, Any]]:
    """Return random configurations of the paper's study."""
    methods = read_study(find_study("paper")).methods
    space = next(method.space for method in methods if method.learner == "shrubs-paper")
    return space.draw(n, key="search space")


def run(executable: Path, examples: Path, draw: dict[str, Any], n_features: int) -> dict[str, Any]:
    """Time one draw."""
    sampled = math.isqrt(n_features) if draw["max_features"] == "sqrt" else 0
    n_timed = min(max(VALUES_TIMED // draw["window_size"], LEAST_TIMED), MOST_TIMED)
    arguments = {**draw, "max_features": sampled, "n_examples": n_timed, "examples": examples}
    command = [str(executable), *(f"{name}={value}" for name, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def describe(draw: dict[str, Any]) -> str:
    """Return a draw in 46 characters."""
    return (
        f"M={draw['max_shrubs']:<3} B={draw['window_size']:<4} depth {draw['max_depth']:<2} "
        f"{draw['splitter']:<6} {'sqrt' if draw['max_features'] == 'sqrt' else 'all':<4} "
        f"a={draw['step_size']:<6g} s={draw['steps_per_example']:<2}"
    )


def summarise(name: str, rows: list[dict[str, Any]]) -> None:
    """Print mean, largest and quantiles of a stream, before and now."""
    for when, key in (("before", "before_us"), ("now", "core_us")):
        times = sorted(row[key] for row in rows if key in row)
        if times:
            print(
                f"{name:<18} {when:<6} median {statistics.median(times):8.1f}  mean "
                f"{statistics.fmean(times):8.1f}  90% {times[int(0.9 * len(times))]:8.1f}  "
                f"largest {times[-1]:8.1f} us"
            )


def main() -> None:
    """Print one line per draw and a summary; fail if the bits differ from those before."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100, help="on each stream")
    parser.add_argument("--only", default="", help="streams whose name contains this")
    parser.add_argument("--before", type=Path, help="results of an earlier state")
    options = parser.parse_args()
    executable = build("draw_bench")
    before = json.loads(options.before.read_text()) if options.before else {}
    results: dict[str, list[dict[str, Any]]] = {}
    same = True
    for stream, one_hot in STREAMS:
        name = f"{stream} one-hot" if one_hot else stream
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as directory:
            examples = Path(directory) / "examples"
            n_features = write_examples(stream, one_hot, examples)
            rows = results[name] = []
            for i, draw in enumerate(draws(options.draws)):
                row = run(executable, examples, draw, n_features)
                ratio = f"{row['plain_us'] / row['core_us']:7.0f} times plain"
                if name in before and i < len(before[name]):
                    row["before_us"] = before[name][i]["core_us"]
                    row["same"] = before[name][i]["digest"] == row["digest"]
                    same = same and row["same"]
                    ratio += f" {row['before_us']:9.1f} before{'' if row['same'] else ' DIFFERS'}"
                rows.append(row)
                print(f"{name:<18} {describe(draw)} {row['core_us']:9.1f} us {ratio}", flush=True)
    for name, rows in results.items():
        summarise(name, rows)
    summarise("all", [row for rows in results.values() for row in rows])
    if not options.only:
        write_results("search_space", results)
    sys.exit(0 if same else "predictions differ from those before")


if __name__ == "__main__":
    main()
