"""The command `shrubs report`, and the report of a race."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from shrubs import results
from shrubs.cli.console import errors, out, say
from shrubs.messages import shown
from shrubs.results import Record, StudyDirectory

__all__ = ["command_line", "report", "write_report"]


def report(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS", help="A results file, or the directory of a race or a study."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The page to write; default: report.html, in the directory if one is given.",
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Also write PNG, SVG and PDF figures to this directory; a study's are always "
            "beside its page.",
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="Print a table: markdown or latex.")
    ] = None,
) -> None:
    """Write the report of a race, a results file or a study.

    A study's report has the paper's tables and figures beside the printed numbers.
    """
    with errors():
        page = output or (source if source.is_dir() else Path()) / "report.html"
        if table is None and _is_study(source):
            _write_study_report(source, page)
            return
        records = _good_records(source)
        if table is not None:
            _print_table(records, table)
            return
        write_report(records, page)
        if figures is not None:
            from shrubs.report import write_figures

            write_figures(records, figures)
            out.print(f"The figures are in {figures}", soft_wrap=True)


def _is_study(source: Path) -> bool:
    """Whether these are the results of a study; a race leaves its page beside them."""
    from shrubs.report.page.shell import page_kind

    if not source.is_dir():
        return False
    return StudyDirectory(source).study.exists() or page_kind(source / "report.html") != "race"


def _good_records(source: Path) -> list[Record]:
    records = results.read(source)
    n_failed = sum(record.failure is not None for record in records)
    if n_failed == len(records):
        raise ValueError(f"{source} holds no results")
    if n_failed:
        say.print(f"left out runs that failed: {n_failed:,}")
    return records


def _print_table(records: Sequence[Record], table: str) -> None:
    from shrubs.report import to_latex, to_markdown

    formats = {"markdown": to_markdown, "latex": to_latex}
    if table not in formats:
        raise ValueError(f"table must be markdown or latex, got {shown(table)}")
    sys.stdout.write(formats[table](records) + "\n")


def write_report(records: Sequence[Record], page: Path) -> None:
    """Write the report of runs, and say where it is."""
    from shrubs.report import write_html

    page.parent.mkdir(parents=True, exist_ok=True)
    write_html(records, page, command=command_line())
    out.print(f"The report is in {page}", soft_wrap=True)


def _write_study_report(directory: Path, page: Path) -> None:
    from shrubs.report import write_study_report

    with say.status("drawing"):
        write_study_report(directory, output=page.parent, page=page.name, command=command_line())
    out.print(f"The report is in {page}; its tables and figures are beside it", soft_wrap=True)


def command_line() -> str:
    """What was typed."""
    return shlex.join(["shrubs", *sys.argv[1:]])
