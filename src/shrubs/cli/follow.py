"""The command `shrubs follow`: predicts each row when it comes, and learns it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from shrubs.cli.arguments import (
    Columns,
    Format,
    Ignore,
    MemoryBudget,
    Nominal,
    Options,
    Target,
    Task,
    read_options,
    read_texts,
)
from shrubs.cli.console import errors, say, show_bytes, warn
from shrubs.cli.models import check_directory, go_on
from shrubs.experiments.registry import make_learner
from shrubs.interrupts import Stop
from shrubs.keyed.keyed_model import KeyedModel, KeyedModelFile
from shrubs.keyed.keyed_states import KeyedStates
from shrubs.learners import Contract
from shrubs.live import Model, only_one
from shrubs.live.follow import Answers, Followed, follow
from shrubs.live.kafka import KafkaAddress, follow_kafka
from shrubs.live.keeper import Keeper, SaveEvery
from shrubs.live.lines import GrowingFile, Lines, Pipe
from shrubs.live.output import Output
from shrubs.live.records import Records
from shrubs.live.states import OneState, States
from shrubs.live.values import kind_of, no_value
from shrubs.messages import shown
from shrubs.protocols import Kind, Schema
from shrubs.streams.files import USUAL_TARGETS, format_of

__all__ = ["follow_command"]

_FORMATS = ("csv", "jsonl")
_ROWS_PER_TRANSACTION = 500


def follow_command(
    source: Annotated[
        str,
        typer.Argument(help="A file that grows, - for standard input, or kafka://host:port/topic."),
    ],
    model: Annotated[Path, typer.Option("--model", "-m", help="Where to keep the model.")],
    target: Target = None,
    nominal: Nominal = None,
    ignore: Ignore = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Keep a model for each value of this column; the model's file is a SQLite store.",
        ),
    ] = None,
    memory_budget: MemoryBudget = "256MB",
    columns: Columns = None,
    task: Task = None,
    file_format: Format = None,
    output: Annotated[
        str | None,
        typer.Option(metavar="csv|jsonl", help="How to print; default: as the source."),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Print the probability of every class.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Pass over rows that are refused, and count them.")
    ] = False,
    save_every: Annotated[
        str,
        typer.Option(
            help="Save the model every so many rows (1000; of a topic, the rows that are "
            "committed together) or so often (30s, 5m).",
        ),
    ] = "60s",
    from_end: Annotated[
        bool,
        typer.Option(
            "--from-end", help="Of a file that was not followed before, only take new rows."
        ),
    ] = False,
    kafka: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of librdkafka; repeat."),
    ] = None,
    options: Options = None,
) -> None:
    """Predict each row when it comes and learn it if it has a label; print a line per row at once.

    The model is saved now and then, at the end, and at SIGTERM or Ctrl-C. An existing model goes
    on; a file goes on where the model was saved. Of a topic, predictions, model and offsets are
    committed together.
    """
    with errors(nominal=True):
        check_directory(model.parent)
        every = _save_every(save_every)
        chosen = _format(source, file_format)
        beside = dict.fromkeys([*filter(None, [key]), *(columns or ())])
        answers = Answers(
            _checked("--output", output or chosen), [*beside], probabilities=probabilities
        )
        beginning = _Beginning(target, task, nominal or (), ignore or (), read_options(options))
        if source.startswith("kafka://"):
            with (
                only_one(model),
                Stop() as stop,
                _states(model, beginning, key, memory_budget) as (
                    states,
                    save,
                ),
            ):
                done = follow_kafka(
                    KafkaAddress.of(source),
                    model.stem,
                    states,
                    answers=answers,
                    stop=stop,
                    tell=warn,
                    skip_bad=skip_bad,
                    batch=every.rows or _ROWS_PER_TRANSACTION,
                    options=read_texts("--kafka", kafka),
                )
                save()
                _tell(done, model, states.model)
            return
        opened = _opened(model, beginning, key, memory_budget)
        with only_one(model), Stop() as stop, opened as (kept, begin):
            lines = _open(source, kept, from_end=from_end)
            keeper = Keeper(model, kept, every, lines.position)
            try:
                done = follow(
                    Records(lines, chosen),
                    keeper,
                    begin,
                    answers=answers,
                    write=Output(sys.stdout.fileno(), stop).write,
                    stop=stop,
                    skip_bad=skip_bad,
                )
            finally:
                keeper.save()
            _tell(done, model, keeper.model)


@dataclass(frozen=True)
class _Beginning:
    """How a new model is made of its first row."""

    target: str | None
    task: str | None
    nominal: Sequence[str]
    ignored: Sequence[str]
    options: dict[str, Any]

    def model(self, row: Mapping[str, Any]) -> Model:
        """A model of what the first row holds."""
        target = self._target(row)
        options = dict(self.options)
        if self.nominal:
            options = {"nominal_features": [*self.nominal], **options}
        schema = Schema((), () if self._task(target, row[target]) == "classes" else None)
        learner: Any = make_learner("shrubs", schema, options, options.pop("seed", 0))
        kinds: dict[str, Kind] = dict.fromkeys(self.nominal, "nominal")
        return Model(learner, Contract(target, kinds, tuple(self.ignored)))

    def _target(self, row: Mapping[str, Any]) -> str:
        if self.target is not None:
            if self.target not in row:
                raise ValueError(f"there is no column {shown(self.target)}")
            return self.target
        found = next((name for name in row if name.lower() in USUAL_TARGETS), None)
        if found is None:
            raise ValueError("a new model has to know which column is its target: give --target")
        return found

    def _task(self, target: str, label: Any) -> str:
        if self.task is not None:
            if self.task not in ("classes", "targets"):
                raise ValueError(f"task must be one of classes, targets, got {shown(self.task)}")
            return self.task
        kind = None if no_value(label) else kind_of(label)
        if kind in ("nominal", "boolean"):
            return "classes"
        if kind == "number" and not float(label).is_integer():
            return "targets"
        what = "no value" if kind is None else shown(label)
        raise ValueError(
            f"column {shown(target)}: the first row has {what}; give --task classes or targets"
        )


@contextlib.contextmanager
def _opened(
    path: Path, beginning: _Beginning, key: str | None, memory_budget: str
) -> Iterator[tuple[Model | None, Callable[[Mapping[str, Any]], Model]]]:
    """The model that is kept there, if one is, and how a new one is made of its first row."""
    if key is None:
        if KeyedModelFile.is_one(path):
            raise ValueError(f"{path} keeps a model per key: give --key")
        yield (
            _checked_model(Model.load(path), path, beginning) if path.exists() else None,
            beginning.model,
        )
        return
    with KeyedModelFile(path, memory_budget) as file:
        kept = file.load(key)
        if kept is not None:
            _checked_model(kept, path, beginning)
        yield kept, lambda row: file.keyed(beginning.model(row), key)


@contextlib.contextmanager
def _states(
    path: Path, beginning: _Beginning, key: str | None, memory_budget: str
) -> Iterator[tuple[States, Callable[[], None]]]:
    """What a topic keeps, and how its copy is left in the file."""

    def check(model: Model) -> None:
        model.expect(beginning.target, beginning.task)

    if key is not None:
        with KeyedStates(path, key, memory_budget, beginning.model, check) as states:
            yield states, states.save
        return
    with _opened(path, beginning, None, memory_budget) as (kept, begin):
        one = OneState(kept, begin, check)
        yield one, lambda: None if one.model is None else one.model.save(path)


def _checked_model(kept: Model, path: Path, beginning: _Beginning) -> Model:
    go_on(kept, path, beginning.ignored, beginning.options)
    try:
        kept.expect(beginning.target, beginning.task)
        if kept.target is None:
            raise ValueError("this model does not know its target: give --target")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return kept


def _open(source: str, kept: Model | None, *, from_end: bool) -> Lines:
    if source == "-":
        return Pipe()
    if not Path(source).is_file():
        raise FileNotFoundError(f"{source}: no such file")
    return GrowingFile(source, None if kept is None else kept.position, from_end=from_end)


def _format(source: str, file_format: str | None) -> str:
    if source.startswith("kafka://"):
        usual = "jsonl"
    else:
        usual = "csv" if source == "-" else format_of(source)
    return _checked("--format", file_format or usual)


def _checked(option: str, file_format: str) -> str:
    if file_format not in _FORMATS:
        raise ValueError(f"{option} must be one of csv, jsonl to be followed, got {file_format}")
    return file_format


def _save_every(text: str) -> SaveEvery:
    try:
        return SaveEvery.of(text)
    except ValueError as error:
        raise ValueError(f"--save-every {error}") from None


def _tell(done: Followed, path: Path, model: Model | None) -> None:
    skipped = f", {done.skipped:,} skipped (the last: {done.last_problem})" if done.skipped else ""
    kept = ""
    if isinstance(model, KeyedModel):
        learners = model.learners
        kept = f"; {path} has {len(learners):,} keys, {show_bytes(learners.memory_bytes)} in memory"
    elif model is not None:
        learner = model.learner
        kept = f"; {path} has {learner.n_shrubs} shrubs in {show_bytes(learner.memory_bytes)}"
    with contextlib.suppress(BrokenPipeError):
        say.print(
            f"followed {done.rows:,} rows: {done.learned:,} learned{skipped}{kept}", soft_wrap=True
        )
