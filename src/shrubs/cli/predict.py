"""The command `shrubs predict`: what a model says of the rows of a file."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shrubs.cli.arguments import AsJson, Columns, Format, MemoryBudget, given
from shrubs.cli.console import errors, warn
from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live import Model
from shrubs.live.follow import Answers
from shrubs.live.lines import Pipe
from shrubs.live.records import Records
from shrubs.messages import shown
from shrubs.streams import read_rows
from shrubs.streams.files import format_of

__all__ = ["predict"]


def predict(
    model: Annotated[
        Path, typer.Argument(help="A model kept by `shrubs learn`, or a store of models by key.")
    ],
    file: Annotated[str, typer.Argument(help="A file of examples, or - for standard input.")],
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Ask the model of the row's value in this column; the model's file is a store.",
        ),
    ] = None,
    memory_budget: MemoryBudget = "256MB",
    columns: Columns = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Print the probability of every class.")
    ] = False,
    file_format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Predict every row of a file, one line each; from standard input, each line at once.

    What columns hold is known to the model; of others, it is decided by the whole file. With
    --columns or --key, rows come line by line, as CSV or JSON Lines, and leave as CSV with names,
    or with --json as JSON Lines.
    """
    beside = [*dict.fromkeys([*filter(None, [key]), *(columns or ())])]
    with errors(), _opened(model, key, memory_budget) as kept:
        if probabilities and kept.task == "targets":
            raise ValueError("a regression has no probabilities")
        if beside:
            answers = Answers("jsonl" if as_json else "csv", beside, probabilities=probabilities)
            _answer(kept, file, file_format, answers)
            return
        for row in _rows(kept, file, file_format):
            _print_prediction(kept.learner, row, probabilities, as_json)


@contextlib.contextmanager
def _opened(path: Path, key: str | None, memory_budget: str) -> Iterator[Model]:
    """The model of a file, or of a store of models by key."""
    if key is None:
        if KeyedModelFile.is_one(path):
            raise ValueError(f"{path} keeps a model per key: give --key")
        yield Model.load(path)
        return
    path.stat()  # says that it is not there
    if not KeyedModelFile.is_one(path):
        raise ValueError(f"{path} keeps no models by key")
    with KeyedModelFile(path, memory_budget) as file:
        kept = file.load(key)
        if kept is None:
            raise ValueError(f"{path} keeps no models by key")
        yield kept


def _answer(model: Model, file: str, file_format: str | None, answers: Answers) -> None:
    """Print predictions with columns of their rows beside them."""
    _print(answers.header)
    with _records(file, file_format) as records:
        for record in records:
            if record is not None:
                with records.placed(record):
                    line = answers.line(model, record.values, records.typed(record, model))
                _print(line)


@contextlib.contextmanager
def _records(file: str, file_format: str | None) -> Iterator[Records]:
    """Rows that come line by line."""
    chosen = file_format or ("csv" if file == "-" else format_of(file))
    if chosen not in ("csv", "jsonl"):
        raise ValueError(f"--columns and --key need CSV or JSON Lines, got {chosen}")
    if file == "-":
        yield Records(Pipe(), chosen)
        return
    with Path(file).open("rb", buffering=0) as opened:
        yield Records(Pipe(opened.fileno(), file), chosen)


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _rows(model: Model, file: str, file_format: str | None) -> Iterator[Mapping[str, Any]]:
    """The features of each row."""
    known = [] if model.learner.examples_seen == 0 else model.learner.feature_names_in_.tolist()
    if file == "-" and file_format in (None, "csv", "jsonl"):
        records = Records(Pipe(), file_format or "csv")
        for record in records:
            if record is not None:
                with records.placed(record):
                    row = model.features(records.typed(record, model))
                yield row
        return
    rows = read_rows(file, kinds=model.kinds, **given(file_format=file_format))
    _check_columns(file, rows.names, known)
    yield from rows


def _check_columns(file: str, names: Collection[str], known: list[Any]) -> None:
    missing = [name for name in known if name not in names]
    if not missing:
        return
    some = ", ".join(map(shown, missing[:5])) + (", ..." if len(missing) > 5 else "")
    if len(missing) == len(known):
        raise ValueError(f"{file}: there is none of the columns that the model knows: {some}")
    columns = (
        "a column that the model knows is"
        if len(missing) == 1
        else (f"{len(missing)} of {len(known)} columns that the model knows are")
    )
    warn(f"{file}: {columns} missing: {some}")


def _print_prediction(
    learner: Any, row: Mapping[str, Any], probabilities: bool, as_json: bool
) -> None:
    prediction: Any = learner.predict_one(row)
    if probabilities:
        prediction = {str(k): p for k, p in learner.predict_proba_one(row).items()}
    plain = not as_json and not probabilities
    _print((str(prediction) if plain else json.dumps(prediction)) + "\n")
