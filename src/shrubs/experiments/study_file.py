"""Reads a study from a TOML file, described in ``docs/study.md``."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from shrubs.experiments._fields import Fields, suggest
from shrubs.experiments.finalists import Finalists
from shrubs.experiments.registry import find_learner, find_stream, is_import_path
from shrubs.experiments.space import Space
from shrubs.experiments.study import Limits, Method, Study, StudyStream
from shrubs.messages import shown
from shrubs.protocols import Feature, Schema
from shrubs.results import Record
from shrubs.streams.files import FORMATS, Task, stream_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["find_study", "named_studies", "read_name", "read_study"]

_FOLDER = Path(__file__).parents[1] / "studies"

# Any classification: learners check their options when they are made.
_SOME_SCHEMA = Schema((Feature("x"),), ("no", "yes"), ())

_MAX_REASON = 200
_MAX_RUNS = 1_000_000

_Value = TypeVar("_Value")


def named_studies() -> dict[str, Path]:
    """The files of the studies that come with the package, by name."""
    return {file.stem: file for file in sorted(_FOLDER.glob("*.toml"))}


def find_study(text: str) -> Path:
    """The file that a person means: a path, or the name of a study of the package.

    >>> find_study("smoke").name
    'smoke.toml'
    """
    path, named = Path(text), named_studies()
    if path.is_file() or path.suffix or len(path.parts) > 1:
        return path
    if text not in named:
        raise ValueError(
            f"unknown study {shown(text)}{suggest(text, named)} known are {', '.join(named)}, and "
            "files"
        )
    return named[text]


def read_name(path: str | os.PathLike[str]) -> str:
    """The name that a study's file gives, or none; nothing else of it is looked at."""
    fields = _read_fields(path)
    return _read_name(fields, "") if "name" in fields.table else ""


def read_study(
    path: str | os.PathLike[str], *, earlier: Iterable[Record] = (), allow_imports: bool = False
) -> Study:
    """Read a study file; a ValueError says what is wrong with it, and where.

    Args:
        path: of the file.
        earlier: the records that its finalists are taken from.
        allow_imports: whether it may name learners by import paths, such as
            ``package.module:Class``. They are imported to check their options, which runs the code
            of their modules; they are called in runs alone.
    """
    fields = _read_fields(path)
    configurations = fields.at_least(1, "configurations", "whole number", 50)
    study = Study(
        name=_read_name(fields, Path(path).stem),
        about=fields.take("about", "text", ""),
        seeds=tuple(fields.items("seeds", "whole number", [1])),
        sampling_seed=fields.take("sampling_seed", "whole number", 1),
        delay=fields.at_least(0, "delay", "whole number", 0),
        limits=_read_limits(fields),
        streams=_read_streams(fields, Path(path).parent),
        methods=tuple(
            _read_method(method, f"{path}, methods[{index}]", configurations, allow_imports)
            for index, method in enumerate(fields.items("methods", "table"))
        ),
        finalists=_read_finalists(fields),
        earlier=tuple(earlier),
    )
    if study.earlier and not study.finalists:
        raise ValueError(f"{path} has no finalists that could be the best of earlier runs")
    if study.n_runs > _MAX_RUNS:
        raise ValueError(f"{path} has more than {_MAX_RUNS:,} runs; divide it into several studies")
    return study


def _read_fields(path: str | os.PathLike[str]) -> Fields:
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not TOML: {str(error)[:_MAX_REASON]}") from None
    return Fields(
        table,
        str(path),
        ("name", "about", "seeds", "sampling_seed", "delay", "configurations", "limits", "streams",
         "methods", "finalists"),
    )  # fmt: skip


def _read_name(fields: Fields, default: str) -> str:
    name: str = fields.take("name", "text", default)
    if not re.fullmatch(r"[\w.-]+", name):  # it becomes the name of a directory
        raise ValueError(
            f"{fields.where}: name must be letters, digits, '_', '-' and '.', got {shown(name)}"
        )
    return name


def _read_limits(fields: Fields) -> Limits:
    known = [each.name for each in dataclasses.fields(Limits)]
    limits = Fields(fields.take("limits", "table", {}), f"{fields.where}, limits", known)
    given = {key: limits.at_least(1, key, "number") for key in known if key in limits.table}
    if "max_seconds" in given:
        given.setdefault("max_wall_seconds", 4 * given["max_seconds"])
    return Limits(**given)


def _read_finalists(fields: Fields) -> tuple[Finalists, ...]:
    tables = fields.items("finalists", "table") if "finalists" in fields.table else []
    rules = []
    for index, table in enumerate(tables):
        rule = Fields(table, f"{fields.where}, finalists[{index}]", ("best", "max_bytes"))
        best = rule.at_least(1, "best", "whole number")
        rules.append(Finalists(best, rule.at_least(1, "max_bytes", "number", math.inf)))
    return tuple(rules)


def _read_streams(fields: Fields, folder: Path) -> tuple[StudyStream, ...]:
    streams: dict[str, StudyStream] = {}
    for index, table in enumerate(fields.items("streams", "table")):
        where = f"{fields.where}, streams[{index}]"
        read = _read_file if "file" in table else _read_named
        for stream in read(table, where, folder):
            if stream.name in streams:
                raise ValueError(f"{where}: stream {shown(stream.name)} is listed twice")
            streams[stream.name] = stream
    return tuple(streams.values())


def _read_named(table: Mapping[str, Any], where: str, folder: Path) -> Iterator[StudyStream]:
    fields = Fields(table, where, ("names", "n_examples", "one_hot", "scale_drifts"))
    options = _read_options(fields)
    if not fields.take("scale_drifts", "truth value", True):
        options["scale_drifts"] = False
    for name in fields.items("names", "text"):
        _explained(where, find_stream, name)
        yield StudyStream(name, options)


def _read_file(table: Mapping[str, Any], where: str, folder: Path) -> Iterator[StudyStream]:
    """A file; its path is taken from the folder of the study."""
    known = ("file", "name", "target", "nominal", "task", "format", "n_examples", "one_hot")
    fields = Fields(table, where, known)
    file: str = fields.take("file", "text")
    if file == "-":
        raise ValueError(f"{where}: a study needs files that can be read twice, not standard input")
    options = _read_options(fields)
    if "target" in table:
        options["target"] = fields.take("target", "text")
    if "nominal" in table:
        options["nominal"] = fields.items("nominal", "text")
    if "task" in table:
        options["task"] = fields.one_of(get_args(Task), "task")
    if "format" in table:
        options["file_format"] = fields.one_of([each.name for each in FORMATS], "format")
    name = fields.take("name", "text", stream_name(file))
    yield StudyStream(name, options, str((folder / file).absolute()))


def _read_options(fields: Fields) -> dict[str, Any]:
    options: dict[str, Any] = {"n_examples": fields.at_least(1, "n_examples", "whole number", None)}
    if fields.take("one_hot", "truth value", False):
        options["one_hot"] = True
    return options


def _read_method(
    table: Mapping[str, Any], where: str, configurations: int, allow_imports: bool
) -> Method:
    known = ("learner", "label", "configurations", "options", "ranges")
    fields = Fields(table, where, known)
    learner = fields.take("learner", "text")
    _explained(where, find_learner, learner)
    if is_import_path(learner) and not allow_imports:
        raise ValueError(
            f"{where}: learner {shown(learner)} is imported code; --allow-imports (allow_imports="
            "True in Python) lets this study run it"
        )
    ranges = fields.take("ranges", "table", {})
    listed = Fields(ranges, f"{where}, ranges", ranges)
    for name in ranges:
        if not listed.take(name, "list"):
            raise ValueError(f"{where}, ranges: {name} must hold at least one value, got []")
    method = Method(
        learner,
        Space(ranges, fields.take("options", "table", {})),
        fields.at_least(1, "configurations", "whole number", configurations),
        fields.take("label", "text", ""),
    )
    _explained(where, method.check, _SOME_SCHEMA)
    return method


def _explained(where: str, check: Callable[[_Value], object], value: _Value) -> None:
    try:
        check(value)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ValueError(f"{where}: {error}") from None
