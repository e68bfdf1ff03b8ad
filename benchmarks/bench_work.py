"""How many values one example visits to be learned, and how evenly: docs/performance.md.

Counts the whole work of `learn_one` of `ShrubClassifier()` in visited values on the first 20,000
examples of the paper's streams: the mean, the part of growing in it, the most, and their ratio.
Fails if an example visits more than four times the mean.

    SHRUBS_DATA=... python benchmarks/bench_work.py [memory limit] [examples]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ablations import build, build_rest, dump, run

from shrubs.analysis.paper_numbers import STREAMS
from shrubs.sizes import in_bytes

MOST = 4.0


def main(memory_bytes: int, n_examples: int) -> None:
    """Print one line per stream."""
    ratios = []
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        build_rest(work)
        program = build([], work)
        print(f"{'':10} {'mean':>8} {'growing':>8} {'most':>8} {'ratio':>6}")
        for name in STREAMS:
            examples = work / f"{name}.bin"
            dump(name, examples, n_examples)
            _, mean, growing, most = run(program, examples, memory_bytes)
            ratios.append(most / mean)
            print(f"{name:10} {mean:8.0f} {growing:8.0f} {most:8.0f} {ratios[-1]:6.2f}", flush=True)
    if max(ratios) > MOST:
        raise SystemExit(f"an example visits {max(ratios):.2f} times the mean, at most {MOST:g}")


if __name__ == "__main__":
    limit = sys.argv[1] if len(sys.argv) > 1 else "1MB"
    main(in_bytes("memory limit", limit), int(sys.argv[2]) if len(sys.argv) > 2 else 20_000)
