"""Keep the ratios of every commit that is benchmarked, and say which of them fell.

Takes what `make bench` left in build/performance, compares each ratio with the median of the last
lines of `history.jsonl`, and appends a line: the commit, and its ratios by setting. Fails if one
fell by more than a sixth. Ratios are against peers of the same run, but still depend on the
processor: let the same machine write the history.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from results_file import read_results

HISTORY = Path(__file__).resolve().with_name("history.jsonl")
BENCHMARKS = ("step", "predict", "moa_peers")
LOOK_BACK = 5
MOST_LOST = 1 / 6


def measured() -> dict[str, float]:
    """Return the ratios of the last run by setting."""
    return {
        f"{row['setting']} against {row.get('peer', 'plain')}": round(row["ratio"], 2)
        for name in BENCHMARKS
        for row in read_results(name) or ()
    }


def compare(history: Sequence[Mapping[str, Any]], ratios: Mapping[str, float]) -> list[str]:
    """Print each ratio beside the usual one; return the settings whose ratio fell."""
    fallen = []
    for setting, ratio in ratios.items():
        before = [line["ratios"][setting] for line in history if setting in line["ratios"]]
        usual = statistics.median(before[-LOOK_BACK:]) if before else ratio
        slower = ratio < usual * (1 - MOST_LOST)
        fallen += [setting] if slower else []
        print(f"{setting:<60} {ratio:>7.1f} {usual:>7.1f}{'  slower' if slower else ''}")
    return fallen


def commit() -> str:
    """Return the commit that is measured, with a plus if there are changes beside it."""
    command = ["git", "-C", str(HISTORY.parent), "describe", "--always", "--dirty=+"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Compare, append, and fail if a ratio fell."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    ratios = measured()
    if not ratios:
        sys.exit("nothing is measured yet: run `make bench` first")
    lines = HISTORY.read_text(encoding="utf-8").splitlines() if HISTORY.exists() else []
    fallen = compare([json.loads(line) for line in lines], ratios)
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"commit": commit(), "ratios": ratios}) + "\n")
    sys.exit(f"slower than usual: {', '.join(fallen)}" if fallen else 0)


if __name__ == "__main__":
    main()
