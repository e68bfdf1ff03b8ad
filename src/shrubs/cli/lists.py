"""The commands that say what there is, and `shrubs fetch`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from shrubs import streams
from shrubs.cli.arguments import AsJson
from shrubs.cli.console import errors, out, say
from shrubs.experiments.registry import LEARNERS, STREAMS
from shrubs.experiments.study_file import named_studies, read_study

__all__ = ["fetch", "list_learners", "list_streams", "list_studies"]


def list_streams(as_json: AsJson = False) -> None:
    """List the streams by name, with what is available, and how to get the others."""
    with errors():
        remedies = {name: entry.remedy() for name, entry in STREAMS.items()}
        rows = [
            {
                "name": entry.name,
                "about": entry.about,
                "examples": entry.n_examples,
                "available": remedies[entry.name] is None,
            }
            for entry in STREAMS.values()
        ]
        if as_json:
            _print_json(row | _whence(str(row["name"]), remedies) for row in rows)
            return
        missing = [f"  {name}: {remedy}" for name, remedy in remedies.items() if remedy]
        if missing:
            missing = ["", "How to get what is missing (sources: shrubs streams --json):", *missing]
        _print_table(rows, "Files work too: a path, or - for standard input.", *missing)


def _whence(name: str, remedies: Mapping[str, str | None]) -> dict[str, str | None]:
    dataset = streams.CATALOGUE.get(name)
    return {"remedy": remedies[name], "source": None if dataset is None else dataset.source}


def list_learners(as_json: AsJson = False) -> None:
    """List the learners by name, with what is not installed."""
    entries = LEARNERS.values()
    if as_json:
        _print_json(
            {
                "name": entry.name,
                "label": entry.label,
                "about": entry.about,
                "tasks": entry.tasks,
                "installed": entry.remedy or True,
            }
            for entry in entries
        )
        return
    missing: dict[str, list[str]] = {}
    for entry in entries:
        if entry.remedy is not None:
            missing.setdefault(entry.remedy, []).append(entry.name)
    _print_table(
        [
            {
                "name": entry.name,
                "label": entry.label,
                "about": entry.about + ("" if "," in entry.tasks else f"; {entry.tasks} only"),
            }
            for entry in entries
        ],
        *(["", "Not installed:"] if missing else []),
        *(f"  {', '.join(names)}: {remedy}" for remedy, names in missing.items()),
    )


def list_studies(as_json: AsJson = False) -> None:
    """List the studies by name."""
    rows = [
        {"name": name, "about": read_study(file).about} for name, file in named_studies().items()
    ]
    if as_json:
        _print_json(rows)
    else:
        _print_table(rows, "Files work too.")


def fetch(
    names: Annotated[list[str], typer.Argument(help="Names from `shrubs streams`.")],
) -> None:
    """Download real streams, and check that they are what they should be."""
    with errors():
        for name in names:
            if name in STREAMS and STREAMS[name].remedy() is None:
                out.print(f"{name} is here already")
                continue
            with say.status(f"fetching {name}"):
                path = streams.fetch(name)
            out.print(f"{name} is in {path}", soft_wrap=True)


def _print_json(rows: Iterable[Mapping[str, Any]]) -> None:
    sys.stdout.writelines(json.dumps(row) + "\n" for row in rows)


def _print_table(rows: Sequence[Mapping[str, Any]], *notes: str) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        right = name == "examples"
        table.add_column(name, justify="right" if right else "left", no_wrap=name != "about")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)
    for note in notes:
        out.print(note, soft_wrap=True)


def _cell(value: Any) -> str | Text:
    if isinstance(value, bool):
        return Text("yes", "green") if value else Text("no", "dim")
    if isinstance(value, int):
        return f"{value:,}"
    return "any" if value is None else str(value)
