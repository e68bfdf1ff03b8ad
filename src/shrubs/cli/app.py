"""The commands."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from shrubs import learners, results
from shrubs.cli.arguments import (
    AsJson,
    Delay,
    Examples,
    Nominal,
    OneHot,
    Options,
    Seed,
    Target,
    Task,
    check_writable,
    find_modules_here,
)
from shrubs.cli.console import INTERRUPTED, errors, out, say, show_bytes, show_progress
from shrubs.cli.models import learn_file, predict_file
from shrubs.cli.race import race, write_report
from shrubs.cli.study import study
from shrubs.cli.summary import result_table
from shrubs.experiments.job import Job, do_job
from shrubs.experiments.race import choose_stream
from shrubs.experiments.registry import LEARNERS, STREAMS
from shrubs.experiments.settings import read_setting
from shrubs.experiments.study_file import named_studies, read_study
from shrubs.messages import shown

__all__ = ["app"]

app = typer.Typer(
    help="Learns from endless data streams inside a memory budget of kilobytes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def run(
    learner: Annotated[str, typer.Argument(help="A name from `shrubs learners`.")],
    stream: Annotated[str, typer.Argument(help="A name from `shrubs streams`, a file, or -.")],
    examples: Examples = None,
    seed: Seed = 1,
    options: Options = None,
    delay: Delay = 0,
    one_hot: OneHot = False,
    target: Target = None,
    nominal: Nominal = None,
    task: Task = None,
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
    with errors():
        find_modules_here([learner])
        chosen = choose_stream(
            stream,
            n_examples=examples,
            one_hot=one_hot,
            target=target,
            nominal=nominal,
            task=task,
        )
        job = Job(
            learner,
            chosen.name,
            _parse_options(options or []),
            chosen.options,
            seed,
            delay,
            file=chosen.file,
        )
        if results_file is not None:
            check_writable(results_file)
        with say.status("reading the stream") as status:
            record = do_job(
                job,
                lambda evaluation, length: status.update(show_progress(evaluation, length)),
                checkpoint=checkpoint,
            )
        if results_file is not None:
            results.append(results_file, record)
        if as_json:
            sys.stdout.write(record.to_json() + "\n")
        else:
            out.print(result_table([record]))
        if not record.finished:
            raise typer.Exit(INTERRUPTED)


app.command()(race)
app.command()(study)


@app.command()
def report(
    file: Annotated[
        Path,
        typer.Argument(metavar="RESULTS", help="A results file, or the directory of a study."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    figures: Annotated[
        Path | None, typer.Option(help="Also write PNG, SVG and PDF figures to this directory.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="Print a table: markdown or latex.")
    ] = None,
) -> None:
    """Write the report of a results file, or of a study into its directory.

    A study's report has the paper's tables and figures beside the printed numbers.
    """
    with errors():
        if file.is_dir():
            _write_study_report(file)
            return
        records = results.read(file)
        n_failed = sum(record.failure is not None for record in records)
        if n_failed == len(records):
            raise ValueError(f"{file} holds no results")
        if n_failed:
            say.print(f"left out runs that failed: {n_failed:,}")
        if table is not None:
            from shrubs.report import to_latex, to_markdown

            formats = {"markdown": to_markdown, "latex": to_latex}
            if table not in formats:
                raise ValueError(f"table must be markdown or latex, got {shown(table)}")
            sys.stdout.write(formats[table](records) + "\n")
            return
        write_report(records, output)
        if figures is not None:
            from shrubs.report import write_figures

            figures.mkdir(parents=True, exist_ok=True)
            write_figures(records, figures)
            out.print(f"The figures are in {figures}")


def _write_study_report(directory: Path) -> None:
    from shrubs.report import write_study_report

    command = shlex.join(["shrubs", *sys.argv[1:]])
    with say.status("drawing"):
        written = write_study_report(directory, command=command)
    out.print(
        f"The report is in {written[0]}; its tables and figures are beside it",
        soft_wrap=True,
    )


@app.command("streams")
def list_streams(as_json: AsJson = False) -> None:
    """List the streams by name, with what is available."""
    rows = [
        {
            "name": entry.name,
            "about": entry.about,
            "examples": entry.n_examples,
            "available": entry.is_available(),
        }
        for entry in STREAMS.values()
    ]
    _list(rows, as_json, "Files work too: a path, or - for standard input.")


@app.command("learners")
def list_learners(as_json: AsJson = False) -> None:
    """List the learners by name, with what is installed."""
    rows = [
        {
            "name": entry.name,
            "label": entry.label,
            "about": entry.about,
            "tasks": "classes, targets" if entry.regression else "classes",
            "installed": entry.remedy or True,
        }
        for entry in LEARNERS.values()
    ]
    _list(rows, as_json, "")


@app.command("studies")
def list_studies(as_json: AsJson = False) -> None:
    """List the studies by name."""
    rows = [
        {"name": name, "about": read_study(file).about} for name, file in named_studies().items()
    ]
    _list(rows, as_json, "Files work too.")


def _list(rows: list[dict[str, Any]], as_json: bool, note: str) -> None:
    if as_json:
        for row in rows:
            sys.stdout.write(json.dumps(row) + "\n")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        table.add_column(name, justify="right" if name == "examples" else "left")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)
    if note:
        out.print(note)


def _cell(value: Any) -> str | Text:
    if isinstance(value, bool):
        return Text("yes", "green") if value else Text("no", "dim")
    if isinstance(value, int):
        return f"{value:,}"
    return "any" if value is None else str(value)


@app.command()
def learn(
    file: Annotated[str, typer.Argument(help="A file to learn from, or - for standard input.")],
    model: Annotated[Path, typer.Option("--model", "-m", help="Where to keep the model.")],
    target: Target = None,
    nominal: Nominal = None,
    options: Options = None,
) -> None:
    """Learn from a file and keep the model; an existing model goes on learning."""
    with errors():
        learner, n_examples = learn_file(
            file,
            model,
            {"target": target, "nominal": tuple(nominal or ())},
            _parse_options(options or []),
        )
        out.print(
            f"learned {n_examples:,} examples; {model} has {learner.n_shrubs} shrubs in "
            f"{show_bytes(learner.memory_bytes)}",
            soft_wrap=True,
        )


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A model kept by `shrubs learn`.")],
    file: Annotated[str, typer.Argument(help="A file of examples, or - for standard input.")],
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Print the probability of every class.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Predict every row of a file, one line each."""
    with errors():
        predict_file(learners.load(model), file, probabilities, as_json)


def _parse_options(options: list[str]) -> dict[str, Any]:
    return dict(read_setting(option) for option in options)
