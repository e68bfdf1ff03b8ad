"""Prints the tables of docs/peers.md: every learner with its defaults on five streams.

SHRUBS_DATA=... shrubs study peers
python benchmarks/peers_table.py study-peers
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from shrubs.results import Record, read


def row(record: Record) -> str:
    """One line of a table."""
    values = {name: value or 0.0 for name, value in record.metrics.items()}
    seconds = values["predict_seconds"] + values["learn_seconds"]
    cut = f" ({record.failure} limit after {record.n_examples:,} examples)"
    return (
        f"| `{record.learner}`{'' if record.finished else cut} "
        f"| {record.label} "
        f"| {100 * values['accuracy']:.2f} | {100 * values['kappa_temporal']:.2f} "
        f"| {values['max_memory_bytes']:,.0f} | {1e6 * seconds / record.n_examples:,.1f} |"
    )


def tables(records: Sequence[Record]) -> Iterator[str]:
    """One Markdown table per stream, the most accurate learner first."""
    for stream in dict.fromkeys(record.stream for record in records):
        rows = [record for record in records if record.stream == stream]
        yield f"\n**{stream}**, {max(record.n_examples for record in rows):,} examples\n"
        yield "| learner | label | accuracy % | kappa-temporal % | bytes | µs per example |"
        yield "|---|---|---:|---:|---:|---:|"
        rows.sort(key=lambda record: record.metrics.get("accuracy") or 0.0, reverse=True)
        yield from (row(record) for record in rows if record.n_examples)
        for record in rows:
            if not record.n_examples:
                yield f"| `{record.learner}` | {record.failure}: {record.message} | | | | |"


def main() -> None:
    """Print the tables of a study."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study", type=Path, help="the directory of the study")
    print("\n".join(tables(read(parser.parse_args().study))))


if __name__ == "__main__":
    main()
