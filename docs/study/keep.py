"""Keeps the results of studies for the documentation, compressed.

Curves are drawn of the best run of each method on each stream, so only these keep their trace.
Times are left out: these studies run beside other work.

    python docs/study/keep.py study-search docs/study/search
    python docs/study/keep.py study-full docs/study/full docs/study/full
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from shrubs.analysis.study import Outcomes, accuracy
from shrubs.results import Record, read

TIMES = ("predict_seconds", "learn_seconds")


def without_most_traces(records: Iterable[Record]) -> list[Record]:
    """Of several records of the same run the last one; all but the best without their traces."""
    unique = {record.run_id: _without_times(record) for record in records}
    counted = Outcomes.of(unique.values()).counted.values()
    best = {max(runs, key=accuracy).run_id for runs in counted}
    return [
        record if run_id in best else replace(record, trace={}, found_drifts=(), shifts=None)
        for run_id, record in unique.items()
    ]


def _without_times(record: Record) -> Record:
    metrics, trace = (
        {name: value for name, value in known.items() if name not in TIMES}
        for known in (record.metrics, record.trace)
    )
    return replace(record, metrics=metrics, trace=trace)


def main() -> None:
    """Write what is kept of one study or several to a directory."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("studies", nargs="+", type=Path, help="directories of results")
    parser.add_argument("output", type=Path, help="the directory that keeps them")
    options = parser.parse_args()
    try:
        records = [record for study in options.studies for record in read(study)]
    except (OSError, ValueError) as error:
        parser.error(str(error))
    options.output.mkdir(parents=True, exist_ok=True)
    with lzma.open(options.output / "results.jsonl.xz", "wt", encoding="utf-8") as file:
        file.writelines(record.to_json() + "\n" for record in without_most_traces(records))


if __name__ == "__main__":
    main()
