"""The commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from shrubs import __version__, results
from shrubs.cli.arguments import (
    AsJson,
    Delay,
    Examples,
    Format,
    Nominal,
    OneHot,
    Options,
    Seed,
    Target,
    Task,
    Weight,
    check_writable,
    find_modules_here,
    read_options,
)
from shrubs.cli.console import INTERRUPTED, errors, out, say_doubts, say_skipped, show_progress
from shrubs.cli.export import export
from shrubs.cli.follow import follow_command
from shrubs.cli.lists import fetch, list_learners, list_streams, list_studies
from shrubs.cli.models import learn
from shrubs.cli.predict import predict
from shrubs.cli.progress import Progress
from shrubs.cli.race import race
from shrubs.cli.report import report
from shrubs.cli.serve import serve
from shrubs.cli.show import show
from shrubs.cli.study import study
from shrubs.cli.summary import result_tables
from shrubs.experiments.job import Job, do_job_on
from shrubs.experiments.race import choose_stream
from shrubs.experiments.registry import make_stream

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        out.print(f"shrubs {__version__}")
        raise typer.Exit


@app.callback()
def shrubs(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Learns from endless data streams inside a memory budget of kilobytes."""


@app.command()
def run(
    learner: Annotated[str, typer.Argument(help="A name from `shrubs learners`.")],
    stream: Annotated[str, typer.Argument(help="A name from `shrubs streams`, a file, or -.")],
    examples: Examples = None,
    seed: Seed = 1,
    options: Options = None,
    delay: Delay = 0,
    one_hot: OneHot = False,
    weight: Weight = None,
    target: Target = None,
    nominal: Nominal = None,
    task: Task = None,
    file_format: Format = None,
    results_file: Annotated[
        Path | None, typer.Option("--results", help="Append the record to this file.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Keep the state of the run in this file, and resume from it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate one learner on one stream: predict each example, then learn it."""
    with errors(nominal=True):
        find_modules_here([learner])
        chosen = choose_stream(
            stream,
            n_examples=examples,
            one_hot=one_hot,
            weight=weight,
            target=target,
            nominal=nominal,
            task=task,
            file_format=file_format,
        )
        job = Job(
            learner,
            chosen.name,
            read_options(options),
            chosen.options,
            seed,
            delay,
            file=chosen.file,
        )
        if results_file is not None:
            check_writable(results_file)
        with Progress("reading the stream") as progress:
            opened = make_stream(chosen.name, file=chosen.file, seed=seed, **chosen.options)
            record = do_job_on(
                opened,
                job,
                lambda evaluation, length: progress.tell(show_progress(evaluation, length)),
                checkpoint=checkpoint,
            )
        say_skipped(stream, getattr(opened, "n_unlabelled", 0))
        say_doubts(stream, getattr(opened, "doubts", ()))
        if results_file is not None:
            results.append(results_file, record)
        if as_json:
            sys.stdout.write(record.to_json() + "\n")
        else:
            out.print(result_tables([record]))
        if not record.finished:
            raise typer.Exit(INTERRUPTED)


app.command()(race)
app.command()(study)
app.command()(report)
app.command("streams")(list_streams)
app.command("learners")(list_learners)
app.command("studies")(list_studies)
app.command()(fetch)
app.command()(learn)
app.command()(predict)
app.command("follow")(follow_command)
app.command()(serve)
app.command()(show)
app.command()(export)
