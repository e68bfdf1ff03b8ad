"""The commands that say what there is, and `shrubs fetch`."""

from __future__ import annotations

import json
import sys
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
                **({"remedy": remedies[entry.name]} if as_json else {}),
            }
            for entry in STREAMS.values()
        ]
        notes = ["Files work too: a path, or - for standard input."]
        if any(remedies.values()):
            notes += ["", "How to get what is missing:"]
            notes += [f"  {name}: {remedy}" for name, remedy in remedies.items() if remedy]
        _list(rows, as_json, notes)


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
    _list(rows, as_json)


def list_studies(as_json: AsJson = False) -> None:
    """List the studies by name."""
    rows = [
        {"name": name, "about": read_study(file).about} for name, file in named_studies().items()
    ]
    _list(rows, as_json, ["Files work too."])


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


def _list(rows: list[dict[str, Any]], as_json: bool, notes: list[str] | None = None) -> None:
    if as_json:
        for row in rows:
            sys.stdout.write(json.dumps(row) + "\n")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        table.add_column(
            name,
            justify="right" if name == "examples" else "left",
            no_wrap=name in ("name", "label", "examples"),
        )
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)
    for note in notes or ():
        out.print(note, soft_wrap=True)


def _cell(value: Any) -> str | Text:
    if isinstance(value, bool):
        return Text("yes", "green") if value else Text("no", "dim")
    if isinstance(value, int):
        return f"{value:,}"
    return "any" if value is None else str(value)
