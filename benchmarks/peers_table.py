"""Runs every installed learner with its defaults on five streams and prints the tables.

Each run has a process of its own, one at a time, and is cut when the learner itself has used its
time. Records are appended to a results file; runs that are in it already are not done twice, so the
script may be stopped and started again. Real streams are used where their files are there
(``SHRUBS_DATA``).

    python benchmarks/peers_table.py --results peers.jsonl > tables.md
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from shrubs import __version__, results
from shrubs.evaluation import Evaluation
from shrubs.experiments.job import Job, do_job
from shrubs.experiments.registry import LEARNERS, STREAMS, find_learner
from shrubs.results import Record

STREAM_NAMES = ("agrawal_a", "led_a", "rbf_f", "elec", "weather")


def seconds_of(record: Record) -> float:
    """What the learner itself used, predicting and learning."""
    return (record.metrics["predict_seconds"] or 0.0) + (record.metrics["learn_seconds"] or 0.0)


def do_job_until(job: Job, time_limit: float) -> Record:
    """Do one run; cut it, as Ctrl-C would, when its time is used up."""

    def watch(evaluation: Evaluation, length: int | None) -> None:
        if evaluation.predict_seconds + evaluation.learn_seconds > time_limit:
            raise KeyboardInterrupt

    return do_job(job, watch)


def is_done(job: Job, record: Record, time_limit: float) -> bool:
    """Whether the record is that of the job, by this version, whole or cut no earlier."""
    same = (record.learner, record.stream, record.seed, record.code_version)
    return (
        same == (job.learner, job.stream, job.seed, __version__)
        and dict(record.stream_options) == dict(job.stream_options)
        and not record.configuration
        and (record.finished or seconds_of(record) > time_limit)
    )


def run_missing(jobs: Sequence[Job], file: Path, time_limit: float) -> list[Record]:
    """Do the runs that are not in the file yet; returns all records of the jobs."""
    before = results.read(file) if file.exists() else []
    records = []
    for i, job in enumerate(jobs, start=1):
        known = [record for record in before if is_done(job, record, time_limit)]
        if known:
            records.append(known[-1])
            continue
        say(f"[{i}/{len(jobs)}] {job.learner} on {job.stream} ...")
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            try:
                record = pool.submit(do_job_until, job, time_limit).result()
            except Exception as error:  # one peer that fails must not end the others
                say(f"    failed: {str(error) or type(error).__name__}")
                continue
        if not record.finished and seconds_of(record) <= time_limit:
            raise KeyboardInterrupt
        results.append(file, record)
        records.append(record)
        say(f"    {100 * (record.metrics['accuracy'] or 0):.2f}% in {seconds_of(record):.1f} s")
    return records


def tables(records: Sequence[Record], time_limit: float) -> Iterator[str]:
    """One Markdown table per stream, the most accurate learner first."""
    for stream in dict.fromkeys(record.stream for record in records):
        rows = [record for record in records if record.stream == stream]
        length = max(record.n_examples for record in rows)
        yield f"\n**{stream}**, {length:,} examples\n"
        yield "| learner | label | accuracy % | kappa-temporal % | bytes | µs per example |"
        yield "|---|---|---:|---:|---:|---:|"
        for record in sorted(rows, key=lambda r: -(r.metrics["accuracy"] or 0.0)):
            cut = "" if record.finished else f" (cut after {record.n_examples:,} examples)"
            values = record.metrics
            yield (
                f"| `{record.learner}`{cut} | {find_learner(record.learner).label} "
                f"| {100 * (values['accuracy'] or 0.0):.2f} "
                f"| {100 * (values['kappa_temporal'] or 0.0):.2f} "
                f"| {values['most_memory_bytes'] or 0:,.0f} "
                f"| {1e6 * seconds_of(record) / record.n_examples:,.1f} |"
            )
    if any(not record.finished for record in records):
        yield f"\nA run was cut when its learner had used {time_limit:g} seconds."


def say(text: str) -> None:
    """Print where it does not mix with the tables."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Run what is missing, then print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--examples", type=int, default=50_000, help="of every stream, at most")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds per run")
    parser.add_argument("--results", type=Path, default=Path("peers.jsonl"))
    parser.add_argument("--learners", default="", help="names with commas; all that are installed")
    parser.add_argument("--streams", default=",".join(STREAM_NAMES), help="names with commas")
    options = parser.parse_args()
    installed = [entry.name for entry in LEARNERS.values() if entry.is_installed]
    learners = [name for name in options.learners.split(",") if name] or installed
    streams = [name for name in options.streams.split(",") if STREAMS[name].is_available()]
    jobs = [
        Job(learner, stream, {}, {"n_examples": options.examples})
        for stream in streams
        for learner in learners
    ]
    try:
        records = run_missing(jobs, options.results, options.time_limit)
    except KeyboardInterrupt:
        sys.exit("stopped; start again to go on")
    print("\n".join(tables(records, options.time_limit)))


if __name__ == "__main__":
    main()
