"""The arguments that commands share."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from shrubs.experiments.registry import is_import_path

__all__ = [
    "AsJson",
    "Delay",
    "Examples",
    "Nominal",
    "OneHot",
    "Options",
    "Seed",
    "Target",
    "Task",
    "Workers",
    "check_writable",
    "find_modules_here",
]

Examples = Annotated[
    int | None, typer.Option("--examples", "-n", min=1, help="Stop after this many examples.")
]
Seed = Annotated[int, typer.Option(help="Seed of the stream and of the learner.", min=0)]
Options = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NAME=VALUE", help="An option of the learner; repeat."),
]
Delay = Annotated[int, typer.Option(min=0, help="Labels come this many examples late.")]
OneHot = Annotated[
    bool, typer.Option("--one-hot", help="Encode nominal features as the paper does.")
]
Target = Annotated[str | None, typer.Option(help="The target column of a file.")]
Nominal = Annotated[
    list[str] | None, typer.Option(help="A column of a file that holds categories; repeat.")
]
Task = Annotated[
    str | None,
    typer.Option(
        metavar="TASK", help="classification or regression; default: by the values of the target."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Runs at a time; default: one per core.")]


def check_writable(file: Path) -> None:
    """Fail before the run, not after it."""
    with file.open("a"):
        pass


def find_modules_here(learners: Iterable[str]) -> None:
    """Let learners that are given by import path lie in this directory, after all packages.

    Where none is given, nothing of this directory is ever imported.
    """
    if any(map(is_import_path, learners)):
        sys.path.append("")
