"""Runs the best configurations of a study on the whole of each stream.

Of each method and stream the configuration with the largest mean running accuracy in the study is
taken, if the whole stream should not take it too long. The runs go to a directory like that of a
study, so `shrubs report` sets them beside the paper's printed numbers; runs that are in it are not
done again.

    shrubs study mini
    python benchmarks/full_length.py study-mini study-full
    shrubs report study-full
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path

from shrubs.analysis.paper_numbers import LENGTHS
from shrubs.analysis.study import Outcomes, best_runs, seconds
from shrubs.cli.console import say
from shrubs.cli.summary import summary
from shrubs.cli.view import View
from shrubs.experiments.job import Job
from shrubs.experiments.study import Limits
from shrubs.results import Record, StudyDirectory, read
from shrubs.runners.study import run_study
from shrubs.runners.threads import Threads


def seconds_for_all(record: Record) -> float:
    """What the whole stream should take at the speed of the run."""
    return seconds(record) / record.n_examples * LENGTHS[record.stream]


def main() -> None:
    """Do the runs that are missing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study", type=Path, help="the directory of a study that is done")
    parser.add_argument("output", type=Path, help="the directory of the runs on whole streams")
    parser.add_argument("--learners", default="", help="names with commas; all of the study")
    parser.add_argument("--max-seconds", type=float, default=600.0, help="of a run, as estimated")
    parser.add_argument("--workers", type=int, help="runs at a time; one per core if not given")
    options = parser.parse_args()
    chosen = list(best_runs(Outcomes.of(read(options.study)), math.inf).values())
    if options.learners:
        chosen = [run for run in chosen if run.learner in options.learners.split(",")]
    for run in chosen:
        if seconds_for_all(run) > options.max_seconds:
            say.print(f"left out: {run.learner} on {run.stream}, {seconds_for_all(run):.0f} s")
    jobs = [
        Job(run.learner, run.stream, run.configuration, {"one_hot": True}, label=run.label)
        for run in sorted(chosen, key=seconds_for_all)
        if seconds_for_all(run) <= options.max_seconds
    ]
    with StudyDirectory(options.output) as directory:

        def keep(record: Record) -> None:
            directory.add(replace(record, shrubs=()))  # long, and the report does not ask for them

        known = directory.records()
        left = [job for job in jobs if job.run_id not in known]
        with View(left, say, keep, done=len(jobs) - len(left)) as view:
            run_study(left, Limits(), Threads(options.workers), view)
        say.print(summary(list(directory.records().values()), len(jobs)))


if __name__ == "__main__":
    main()
