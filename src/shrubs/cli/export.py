"""The command `shrubs export`: a model as a file of C, or as JSON."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from shrubs.atomic_file import write_atomically
from shrubs.cli.console import errors
from shrubs.export import to_c, to_json
from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live import Model
from shrubs.messages import shown

__all__ = ["export"]


class Language(str, Enum):
    """What a model can be written as."""

    c = "c"
    json = "json"


def export(
    model: Annotated[Path, typer.Argument(help="A model kept by `shrubs learn` or `follow`.")],
    to: Annotated[Language, typer.Option(help="C99 that predicts the same bits, or plain data.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: print it.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What names in C begin with; default: model.")
    ] = None,
) -> None:
    """Write a model as C that predicts with the same bits, or as JSON."""
    with errors():
        if name is not None and to is not Language.c:
            raise ValueError(f"--name is for --to c, got {shown(name)}")
        if KeyedModelFile.is_one(model):
            raise ValueError(f"{model} holds a model per key; export takes a single one")
        snapshot = Model.load(model).learner.snapshot()
        text = to_json(snapshot) if to is Language.json else to_c(snapshot, name=name or "model")
        if output is None:
            sys.stdout.write(text)
        else:
            write_atomically(output, text.encode())
