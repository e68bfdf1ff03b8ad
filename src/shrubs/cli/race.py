"""The command `shrubs race`: a small study made from arguments."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from shrubs import results
from shrubs.cli.arguments import (
    AsJson,
    Delay,
    Examples,
    Format,
    Nominal,
    OneHot,
    Seed,
    Target,
    Task,
    Weight,
    Workers,
    check_writable,
    find_modules_here,
)
from shrubs.cli.console import (
    FAILED,
    INTERRUPTED,
    errors,
    out,
    read_bytes,
    say,
    say_doubts,
    say_skipped,
)
from shrubs.cli.report import write_report
from shrubs.cli.summary import summary, verdict
from shrubs.cli.view import View
from shrubs.experiments.race import choose_stream, make_race
from shrubs.results import Record, StudyDirectory
from shrubs.runners.study import run_study
from shrubs.runners.threads import Threads

__all__ = ["race"]


def race(
    streams: Annotated[list[str], typer.Argument(help="Names from `shrubs streams`, or files.")],
    learners: Annotated[
        list[str] | None,
        typer.Option(
            "--learners",
            "-l",
            metavar="[LABEL=]NAME",
            help="Names from `shrubs learners`; repeat, or separate by commas. One learner may "
            "race several times, under labels. Default: ours, the baselines and two of River's.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="LEARNER.NAME=VALUE",
            help="An option of a learner, named by its label if it has one; repeat.",
        ),
    ] = None,
    examples: Examples = None,
    seed: Seed = 1,
    delay: Delay = 0,
    one_hot: OneHot = False,
    weight: Weight = None,
    target: Target = None,
    nominal: Nominal = None,
    task: Task = None,
    file_format: Format = None,
    max_seconds: Annotated[
        float, typer.Option(min=0, help="Drop a run that computes for longer.", show_default=False)
    ] = math.inf,
    max_memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Drop a run whose learner outgrows this, such as 10MB."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Directory of results.jsonl and report.html.")
    ] = Path("shrubs-race"),
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Race learners over streams, side by side, and write a report.

    64 KB against 1 MB: shrubs race elec -l large=shrubs,small=shrubs -s small.memory_limit=64KB
    """
    with errors(nominal=True):
        names = [name.strip() for text in learners or () for name in text.split(",")]
        find_modules_here(name.rpartition("=")[2] for name in names)
        plan = make_race(
            [
                choose_stream(
                    stream,
                    n_examples=examples,
                    one_hot=one_hot,
                    weight=weight,
                    target=target,
                    nominal=nominal,
                    task=task,
                    file_format=file_format,
                )
                for stream in streams
            ],
            [name for name in names if name],
            settings or (),
            seed=seed,
            delay=delay,
            max_seconds=max_seconds,
            max_memory=math.inf if max_memory is None else read_bytes("--max-memory", max_memory),
        )
        for stream in plan.files():
            say_skipped(stream.file or "", stream.n_unlabelled)
            say_doubts(stream.file or "", stream.doubts)
        if StudyDirectory(output).study.exists():
            raise ValueError(f"{output} holds a study; choose another directory with --output")
        output.mkdir(parents=True, exist_ok=True)
        file = output / "results.jsonl"
        check_writable(file)
        code = 0
        with View(plan.jobs(), say, lambda record: results.append(file, record)) as view:
            try:
                run_study(view.jobs, plan.limits, Threads(workers), view)
            except KeyboardInterrupt:
                code = INTERRUPTED
        records = [view.records[job.run_id] for job in view.jobs if job.run_id in view.records]
        _finish(records, output / "report.html", as_json)
        if view.lost or any(record.failure is not None for record in records):
            code = code or FAILED
        raise typer.Exit(code)


def _finish(records: Sequence[Record], page: Path, as_json: bool) -> None:
    """Show the results, and write the report of the runs that did not fail."""
    if as_json:
        sys.stdout.writelines(record.to_json() + "\n" for record in records)
        return
    if records:
        out.print(summary(records, len(records)))
        out.print()
        out.print(verdict(records), soft_wrap=True)
    good = [record for record in records if record.failure is None]
    if good:
        write_report(good, page)
