"""The command `shrubs study`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shrubs.cli.arguments import Workers
from shrubs.cli.console import FAILED, INTERRUPTED, errors, say, say_doubts, say_skipped
from shrubs.cli.report import command_line
from shrubs.cli.summary import summary
from shrubs.cli.view import View
from shrubs.experiments.job import Job
from shrubs.experiments.study import Study
from shrubs.experiments.study_file import find_study, read_name, read_study
from shrubs.messages import shown
from shrubs.results import Record, StudyDirectory, read
from shrubs.runners.study import Place, run_study

__all__ = ["study"]


def study(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="A name from `shrubs studies`, or a file.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory of the results; default: study-NAME."),
    ] = None,
    workers: Workers = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Do the runs on the Dask cluster at this address."),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Do the runs again that failed before.")
    ] = False,
    best_of: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Take the finalists from the results of this study; repeat."
        ),
    ] = None,
    allow_imports: Annotated[
        bool,
        typer.Option(
            "--allow-imports",
            help="Let the study import learners by paths such as package.module:Class.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every new record as a line of JSON.")
    ] = False,
) -> None:
    """Do all runs of a study; one that was stopped goes on where it was."""
    with errors():
        file = find_study(study)
        if allow_imports:
            sys.path.append("")  # also from this directory, after all packages
        earlier = [record for path in best_of or () for record in read(path)]
        plan = read_study(file, earlier=earlier, allow_imports=allow_imports)
        plan.check(plan.files())
        for stream in plan.files():
            say_skipped(stream.file or "", stream.n_unlabelled)
            say_doubts(stream.file or "", stream.doubts)
        for line in plan.skipped():
            say.print(Text("skipped", "yellow"), line, soft_wrap=True)
        directory = StudyDirectory(output or Path(f"study-{plan.name}"))
        with directory:
            _check_name(plan, read_name(file), directory)
            directory.keep_study(file)
            if retry_failed:
                directory.forget_failures()
            code = _do(plan, directory, _place(on, workers), as_json)
            _finish(plan, directory)
        if code:
            say.print("not all runs are done; the same command goes on")
            raise typer.Exit(code)


def _check_name(plan: Study, given: str, directory: StudyDirectory) -> None:
    """A study may grow in its directory, but two of them do not mix."""
    if directory.study.exists():
        other = read_name(directory.study)
        if other != given:
            held = f"the study {shown(other)}" if other else "a study without a name"
            raise ValueError(
                f"{directory.path} holds {held}, not {shown(plan.name)}; choose "
                "another directory with --output"
            )


def _place(address: str | None, workers: int | None) -> Place:
    if address is None:
        from shrubs.runners.threads import Threads

        return Threads(workers)
    if workers is not None:
        raise ValueError("--workers is for this machine; on a cluster its workers decide")
    from shrubs.runners.cluster import Cluster

    return Cluster(address)


def _do(plan: Study, directory: StudyDirectory, place: Place, as_json: bool) -> int:
    """Do what is not done yet; returns the exit code."""
    jobs = plan.jobs()
    _take_over(plan, jobs, directory)
    known = directory.records()
    left = [job for job in jobs if job.run_id not in known]

    def keep(record: Record) -> None:
        if not record.finished and record.failure is None:
            return  # Ctrl-C ended it early; the study goes on with it from its beginning
        record = replace(record, shrubs=())  # long, and a study does not ask for them
        directory.add(record)
        if as_json:
            sys.stdout.write(record.to_json() + "\n")
            sys.stdout.flush()

    done = len(jobs) - len(left)
    before = f", {done} of them done before" if done else ""
    say.print(f"{plan.name}: {len(jobs)} runs{before}")
    with View(left, say, keep, done=done) as view:
        try:
            run_study(left, plan.limits, place, view)
        except KeyboardInterrupt:
            return INTERRUPTED
    return FAILED if view.lost else 0


def _take_over(plan: Study, jobs: Sequence[Job], directory: StudyDirectory) -> None:
    """Keep the earlier runs that are runs of this study too."""
    known, earlier = directory.records(), {record.run_id: record for record in plan.earlier}
    for job in jobs:
        if job.run_id in earlier and job.run_id not in known:
            directory.add(earlier[job.run_id])


def _finish(plan: Study, directory: StudyDirectory) -> None:
    """Say what there is now, and write the report of it."""
    known, jobs = directory.records(), plan.jobs()
    records = [known[job.run_id] for job in jobs if job.run_id in known]
    say.print(summary(records, len(jobs)))
    say.print(f"The results are in {directory.results}", soft_wrap=True)
    if all(record.failure is not None for record in records):
        return
    from shrubs.report import write_study_report

    page = write_study_report(directory.path, command=command_line(), figures=False)[0]
    say.print(f"The report is in {page}, its tables beside it", soft_wrap=True)
    say.print(f"shrubs report {directory.path} also draws its figures as files")
