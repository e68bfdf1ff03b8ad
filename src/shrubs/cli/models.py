"""The commands `shrubs learn` and `shrubs predict`: from files into a model, and back."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shrubs import learners
from shrubs.cli.arguments import AsJson, Format, Nominal, Options, Target, Task, given, read_options
from shrubs.cli.console import errors, out, say_skipped, show_bytes, warn
from shrubs.cli.progress import Progress
from shrubs.dates import iso_parts
from shrubs.experiments.registry import make_learner
from shrubs.messages import shown
from shrubs.streams import FileStream, open_stream, read_rows

__all__ = ["learn", "predict"]

_EXAMPLES_BETWEEN_LOOKS = 1000  # at the clock


def learn(
    file: Annotated[str, typer.Argument(help="A file to learn from, or - for standard input.")],
    model: Annotated[Path, typer.Option("--model", "-m", help="Where to keep the model.")],
    target: Target = None,
    nominal: Nominal = None,
    task: Task = None,
    file_format: Format = None,
    options: Options = None,
) -> None:
    """Learn from a file and keep the model; an existing model goes on learning."""
    with errors(nominal=True):
        _check_directory(model.parent)
        stream = open_stream(
            file, **given(target=target, nominal=nominal, task=task, file_format=file_format)
        )
        learner = _learner(model, stream, read_options(options))
        before = learner.examples_seen
        try:
            with Progress("learning") as progress:
                _learn(learner, stream, progress)
        finally:
            if learner.examples_seen > before:
                learner.save(model)
            say_skipped(file, stream.n_unlabelled)
        out.print(
            f"learned {learner.examples_seen - before:,} examples; {model} has "
            f"{learner.n_shrubs} shrubs in {show_bytes(learner.memory_bytes)}",
            soft_wrap=True,
        )


def _learner(model: Path, stream: FileStream, options: dict[str, Any]) -> Any:
    """The model that is there, or a new one."""
    if not model.exists():
        # What the file holds as categories is no date, even if it looks like one.
        alike = [f.name for f in stream.schema.features if any(map(iso_parts, f.categories[:1]))]
        options = {"nominal_features": alike, **options} if alike else options
        return make_learner("shrubs", stream.schema, options, options.pop("seed", 0))
    if options:
        raise ValueError(f"{model} exists already; its options cannot be changed")
    learner = learners.load(model)
    if hasattr(learner, "predict_proba") == (stream.schema.classes is None):
        raise ValueError(
            f"{model} is a {type(learner).__name__}, which cannot learn this target; --task says "
            "what it holds"
        )
    return learner


def _check_directory(directory: Path) -> None:
    """Fail before learning, not after it, where the model cannot be kept."""
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OSError(
            error.errno, f"cannot keep a model there ({error.strerror})", str(directory)
        ) from None


def _learn(learner: Any, stream: FileStream, progress: Progress) -> None:
    for n_learned, (x, y) in enumerate(stream):
        if n_learned % _EXAMPLES_BETWEEN_LOOKS == 0:
            of = "" if stream.n_examples is None else f" of {stream.n_examples:,}"
            progress.tell(f"learned {n_learned:,}{of} examples")
        learner.learn_one(x, y)


def predict(
    model: Annotated[Path, typer.Argument(help="A model kept by `shrubs learn`.")],
    file: Annotated[str, typer.Argument(help="A file of examples, or - for standard input.")],
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Print the probability of every class.")
    ] = False,
    file_format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Predict every row of a file, one line each.

    What columns hold is decided by the whole file; from standard input, by its first rows.
    """
    with errors():
        learner: Any = learners.load(model)
        if probabilities and not hasattr(learner, "predict_proba"):
            raise ValueError("a regression has no probabilities")
        rows = read_rows(file, nominal=learner.text_features(), **given(file_format=file_format))
        _warn_of_missing(file, rows.names, learner.feature_names_in_.tolist())
        for row in rows:
            _print_prediction(learner, row, probabilities, as_json)


def _warn_of_missing(file: str, names: Collection[str], known: list[Any]) -> None:
    missing = [name for name in known if name not in names]
    if missing:
        some = ", ".join(map(shown, missing[:5])) + (", ..." if len(missing) > 5 else "")
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
    sys.stdout.write((str(prediction) if plain else json.dumps(prediction)) + "\n")
