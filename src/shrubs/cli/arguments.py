"""The arguments that commands share."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from shrubs.experiments.registry import is_import_path
from shrubs.experiments.settings import read_setting
from shrubs.messages import shown

__all__ = [
    "AsJson",
    "Columns",
    "Delay",
    "Examples",
    "Format",
    "Ignore",
    "MemoryBudget",
    "Nominal",
    "OneHot",
    "Options",
    "Seed",
    "Target",
    "Task",
    "Weight",
    "Workers",
    "check_writable",
    "find_modules_here",
    "given",
    "read_options",
    "read_texts",
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
Weight = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column that says how many times an example counts."),
]
Target = Annotated[str | None, typer.Option(help="The target column of a file.")]
Nominal = Annotated[
    list[str] | None, typer.Option(help="A column of a file that holds categories; repeat.")
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(help="A column not to learn from, such as an id; repeat. The model remembers it."),
]
Task = Annotated[
    str | None,
    typer.Option(
        metavar="classes|targets",
        help="What the target holds; default: classes, unless it has fractions or more than 20 "
        "different whole numbers.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(help="A column to put beside each prediction, such as an id; repeat."),
]
MemoryBudget = Annotated[
    str, typer.Option(metavar="SIZE", help="With --key: for the models in memory.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Of a file: csv, jsonl, arff, parquet or libsvm; default: by its name.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Runs at a time; default: one per core.")]


def given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value}


def read_options(settings: Iterable[str] | None) -> dict[str, Any]:
    """The options of a learner, as ``--set`` gives them."""
    return dict(map(read_setting, settings or ()))


def read_texts(option: str, settings: Iterable[str] | None) -> dict[str, str]:
    """Settings of others, whose values are texts."""
    for setting in settings or ():
        if "=" not in setting:
            raise ValueError(f"{option} takes NAME=VALUE, got {shown(setting)}")
    return dict(setting.split("=", 1) for setting in settings or ())


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
