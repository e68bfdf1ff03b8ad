"""Prints the tables of docs/no-tuning.md: the learner without tuning beside the paper's best.

SHRUBS_DATA=... shrubs study no-tuning
SHRUBS_DATA=... shrubs study no-tuning-seeds
python benchmarks/no_tuning_table.py study-no-tuning study-no-tuning-seeds
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from shrubs.analysis.paper_numbers import ACCURACY, METHODS, STREAMS
from shrubs.results import Record, read

LIMITS = ("1MB", "64KB")


def accuracy(record: Record) -> float:
    """The paper's accuracy in percent."""
    return 100 * (record.metrics["mean_running_accuracy"] or 0.0)


def chosen(records: Sequence[Record], stream: str, limit: str) -> list[Record]:
    """The runs on one stream in so much memory."""
    return [
        record
        for record in records
        if record.stream == stream and record.configuration["memory_limit"] == limit
    ]


def spread(values: Sequence[float]) -> str:
    """Mean and deviation over seeds."""
    return f"{statistics.mean(values):.2f} ± {statistics.stdev(values):.2f}"


def whole_streams(records: Sequence[Record]) -> Iterator[str]:
    """One row per stream: ours, then the paper's methods at their best."""
    columns = "| stream | ours | paper's best | difference | "
    yield columns + " | ".join(METHODS) + " | max bytes | 64 KB |"
    yield "|---|---:|---:|---:|" + "---:|" * (len(METHODS) + 2)
    gaps = []
    for stream in STREAMS:
        best = max(100 * row[stream] for row in ACCURACY.values() if stream in row)
        runs = chosen(records, stream, "1MB")
        values = [accuracy(run) for run in runs]
        gaps.append(statistics.mean(values) - best)
        little = [accuracy(run) for run in chosen(records, stream, "64KB")]
        max_bytes = max(run.metrics["max_memory_bytes"] or 0 for run in runs)
        # The paper has no accuracy of soft trees on led_g.
        shares = [ACCURACY[method].get(stream) for method in METHODS]
        printed = [f"{100 * share:.2f}" if share else "" for share in shares]
        yield (
            f"| {stream} | {spread(values)} | {best:.2f} | {gaps[-1]:+.2f} | "
            f"{' | '.join(printed)} | {max_bytes:,.0f} | {spread(little)} |"
        )
    yield f"| mean | | | {statistics.mean(gaps):+.2f} |" + " |" * (len(METHODS) + 2)


def spreads(records: Sequence[Record]) -> Iterator[str]:
    """One row per stream: ours in much and in little memory."""
    yield "| stream | 1 MB | 64 KB |"
    yield "|---|---:|---:|"
    for stream in STREAMS:
        cells = []
        for limit in LIMITS:
            cells.append(spread([accuracy(run) for run in chosen(records, stream, limit)]))
        yield f"| {stream} | {' | '.join(cells)} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("whole", type=Path, help="the directory of the study on whole streams")
    parser.add_argument("seeds", type=Path, help="the directory of the study with several seeds")
    options = parser.parse_args()
    print("\n".join(whole_streams(read(options.whole))))
    print()
    print("\n".join(spreads(read(options.seeds))))


if __name__ == "__main__":
    main()
