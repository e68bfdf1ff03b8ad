"""The command `shrubs learn`: from files into a model."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from shrubs.cli.arguments import (
    Format,
    Ignore,
    Nominal,
    Options,
    Target,
    Task,
    given,
    read_options,
)
from shrubs.cli.console import errors, out, say_doubts, say_skipped, show_bytes
from shrubs.cli.progress import Progress
from shrubs.dates import iso_parts, names_of_parts
from shrubs.experiments.registry import make_learner
from shrubs.interrupts import ended_by_signal
from shrubs.learners import Contract
from shrubs.live import Model, only_one
from shrubs.live.values import KINDS_IN_WORDS
from shrubs.messages import shown
from shrubs.streams import FileStream, open_stream

__all__ = ["check_directory", "go_on", "learn"]

_EXAMPLES_BETWEEN_LOOKS = 1000  # at the clock


def learn(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files to learn from, in this order; patterns such as 'logs/*.csv', sorted by "
            "name; - for standard input."
        ),
    ],
    model: Annotated[Path, typer.Option("--model", "-m", help="Where to keep the model.")],
    target: Target = None,
    nominal: Nominal = None,
    ignore: Ignore = None,
    task: Task = None,
    file_format: Format = None,
    options: Options = None,
) -> None:
    """Learn from files and keep the model; an existing model goes on learning.

    The model is kept after each file, and when the command is interrupted or ended by a signal.
    """
    with errors(nominal=not model.exists()), ended_by_signal():
        check_directory(model.parent)
        with only_one(model):
            learning = _Learning(model, read_options(options), ignore or ())
            for file in _each(files):
                learning.learn(
                    file, given(target=target, nominal=nominal, task=task, file_format=file_format)
                )
            learning.tell()


class _Learning:
    """A model that is there or comes with its first file, and what was learned."""

    def __init__(self, path: Path, options: dict[str, Any], ignored: Collection[str]) -> None:
        self._path = path
        self._options = options
        self._ignored = ignored
        self._model = go_on(Model.load(path), path, ignored, options) if path.exists() else None
        self._before = 0 if self._model is None else self._model.learner.examples_seen

    def learn(self, file: str, options: dict[str, Any]) -> None:
        """Learn a file, and keep the model whatever happens."""
        stream = self._open(file, options)
        model = self._model = self._model or _new_model(stream, self._options, self._ignored)
        learner = model.learner
        before = learner.examples_seen
        try:
            with Progress("learning") as progress:
                _learn(learner, stream, self._left_out(), progress)
        finally:
            if learner.examples_seen > before:
                model.know(stream.kinds)
                model.save(self._path)
            say_skipped(file, stream.n_unlabelled)
            say_doubts(file, stream.doubts)

    def _open(self, file: str, options: dict[str, Any]) -> FileStream:
        """A file, read as the model knows its columns."""
        model = self._model
        if model is None:
            return open_stream(file, **options)
        try:
            model.expect(options.get("target"), options.get("task"))
            for name in options.get("nominal", ()):
                if (kind := model.kinds.get(name, "nominal")) != "nominal":
                    raise ValueError(f"column {shown(name)} holds {KINDS_IN_WORDS[kind]}")
        except ValueError as error:
            raise ValueError(f"{self._path}: {error}") from None
        known = given(target=model.target, task=model.task)
        stream = open_stream(file, **{**options, **known}, kinds=model.kinds)
        model.expect(stream.target)
        model.check_names(stream.kinds, file)
        return stream

    def _left_out(self) -> set[str]:
        assert self._model is not None
        return {
            name for ignored in self._model.ignored for name in (ignored, *names_of_parts(ignored))
        }

    def tell(self) -> None:
        """Say what came of it."""
        assert self._model is not None
        learner = self._model.learner
        out.print(
            f"learned {learner.examples_seen - self._before:,} examples; {self._path} has "
            f"{learner.n_shrubs} shrubs in {show_bytes(learner.memory_bytes)}",
            soft_wrap=True,
        )


def go_on(model: Model, path: Path, ignored: Collection[str], options: Mapping[str, Any]) -> Model:
    """A model that goes on learning."""
    if options:
        raise ValueError(f"{path} exists already; its options cannot be changed")
    model.expect(ignored=ignored)
    return model


def _new_model(stream: FileStream, options: dict[str, Any], ignored: Collection[str]) -> Model:
    # What the file holds as categories is no date, even if it looks like one.
    alike = [f.name for f in stream.schema.features if any(map(iso_parts, f.categories[:1]))]
    options = {"nominal_features": alike, **options} if alike else {**options}
    learner: Any = make_learner("shrubs", stream.schema, options, options.pop("seed", 0))
    return Model(learner, Contract(stream.target, {}, tuple(ignored)))


def check_directory(directory: Path) -> None:
    """Fail before learning, not after it, where the model cannot be kept."""
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OSError(
            error.errno, f"cannot keep a model there ({error.strerror})", str(directory)
        ) from None


def _each(files: Sequence[str]) -> Iterator[str]:
    """The files, those of a pattern by name."""
    for file in files:
        if file == "-" or Path(file).exists() or not glob.has_magic(file):
            yield file
            continue
        found = sorted(glob.glob(file, recursive=True))
        if not found:
            raise FileNotFoundError(f"{file}: no file has such a name")
        yield from found


def _learn(learner: Any, stream: FileStream, left_out: set[str], progress: Progress) -> None:
    for n_learned, (x, y) in enumerate(stream):
        if n_learned % _EXAMPLES_BETWEEN_LOOKS == 0:
            of = "" if stream.n_examples is None else f" of {stream.n_examples:,}"
            progress.tell(f"learned {n_learned:,}{of} examples")
        if left_out:
            x = {name: value for name, value in x.items() if name not in left_out}
        learner.learn_one(x, y)
