"""Opens files as streams: text in several formats, plain or packed or from a pipe, and Parquet."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from shrubs.messages import shown
from shrubs.protocols import Kind
from shrubs.streams._survey import Task, survey
from shrubs.streams.file_stream import FileStream
from shrubs.streams.formats._text_table import TextTable
from shrubs.streams.formats.arff import open_arff
from shrubs.streams.formats.compression import COMPRESSIONS
from shrubs.streams.formats.csv import open_csv
from shrubs.streams.formats.jsonl import open_jsonl
from shrubs.streams.formats.libsvm import open_libsvm
from shrubs.streams.formats.parquet import open_parquet
from shrubs.streams.formats.source import Source
from shrubs.streams.formats.table import Column, Table, column_not_found

__all__ = [
    "FORMATS",
    "USUAL_TARGETS",
    "Format",
    "Task",
    "format_of",
    "open_stream",
    "open_table",
    "stream_name",
]


@dataclass(frozen=True)
class Format:
    """A file format: how its files end, and the function that opens one as a table."""

    name: str
    endings: tuple[str, ...]
    open: Callable[[Source, Collection[str]], Table]
    compresses_inside: bool = False


FORMATS = (
    Format("csv", (".csv", ".tsv"), open_csv),
    Format("jsonl", (".jsonl", ".ndjson"), open_jsonl),
    Format("arff", (".arff",), open_arff),
    Format("parquet", (".parquet",), open_parquet, compresses_inside=True),
    Format("libsvm", (".libsvm", ".svmlight", ".svm"), open_libsvm),
)
_BY_NAME = {each.name: each for each in FORMATS}
_BY_ENDING = {ending: each for each in FORMATS for ending in each.endings}
USUAL_TARGETS = ("target", "class", "label")
"""What target columns are called, where nobody says another name."""


def open_stream(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    nominal: Collection[str] = (),
    task: Task = "auto",
    file_format: str = "auto",
    kinds: Mapping[str, Kind] | None = None,
) -> FileStream:
    r"""Opens a file as a stream of examples.

    A file is read twice: here, to find the categories, the classes and the number of examples,
    and then in blocks, with memory that does not depend on its length.

    What a column of a CSV file holds is decided by most of its values, those of the first rows in
    a pipe: numbers, ``true`` and ``false`` (1 and 0), ISO 8601 dates, else categories. A value of
    another kind is an error, unless the column is named in ``nominal``. The other formats declare
    their kinds. A date becomes features of its own, as far as its column has them: ``when: hour``,
    ``when: weekday`` (Monday is 0) and ``when: days since 1970``; as a target it is the seconds
    since 1970 in UTC.
    ``?`` and nothing are missing values; so are NA, N/A, NaN, nan and null among numbers. Rows
    without a value of the target are skipped, and counted in ``n_unlabelled``. Categories and
    classes are sorted, those in an ARFF header keep their order.

    Args:
        path: a ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson``, ``.arff``, ``.parquet``, ``.libsvm``,
            ``.svm`` or ``.svmlight`` file; text may be compressed: ``.gz``, ``.bz2``, ``.xz``,
            ``.zip``, ``.zst``. ``-`` is standard input. It can be read once, and categories and
            classes that its first rows do not have join ``schema`` when they appear.
        target: the name of the target column. By default a column called target, class or label,
            else the last one (the first one in libsvm).
        nominal: names of columns that hold categories although they look like numbers.
        task: what the target holds: ``"classes"``, ``"targets"`` (numbers, for a regression) or
            ``"auto"``: classes unless there is a fraction or more than 20 different whole numbers;
            from standard input, as far as its first rows show.
        file_format: ``"csv"``, ``"jsonl"``, ``"arff"``, ``"parquet"`` or ``"libsvm"``; ``"auto"``
            goes by the name of the file, and takes standard input as CSV.
        kinds: what columns hold as far as it is known, for example from a file before this one; a
            value of another kind is an error. The file need not have them all.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "weather.csv")
    >>> _ = path.write_text("wind,sky,rain\n1.5,blue,no\n?,grey,yes\n")
    >>> stream = open_stream(path, "rain")
    >>> stream
    FileStream('weather': 2 examples, 2 features, 2 classes)
    >>> next(stream.blocks())
    Block(X=array([[1.5, 0. ], [nan, 1. ]], dtype=float32), y=array([0, 1]))
    >>> folder.cleanup()
    """
    if task not in get_args(Task):
        raise ValueError(f"task must be one of {', '.join(get_args(Task))}, got {shown(task)}")
    table = open_table(path, nominal, file_format, kinds)
    position = _target_of(table, target)
    return FileStream(stream_name(path), position, survey(table, position, task))


def open_table(
    path: str | os.PathLike[str],
    nominal: Collection[str],
    file_format: str,
    kinds: Mapping[str, Kind] | None = None,
) -> Table:
    """Opens a file as columns; ``kinds`` are those that are known already."""
    source = Source(os.fspath(path))
    chosen = _format_of(source, file_format)
    source.check()
    table = chosen.open(source, nominal)
    names = {column.name for column in table.columns} - set(nominal)
    known = {name: kind for name, kind in (kinds or {}).items() if name in names}
    if isinstance(table, TextTable):
        return table.with_kinds(known)
    texts = [name for name, kind in known.items() if kind == "nominal"]
    table = chosen.open(source, [*nominal, *texts]) if texts else table
    for column in table.columns:
        _check_kind(table.label, column, known.get(column.name, column.kind))
    return table


def _check_kind(label: str, column: Column, known: Kind) -> None:
    if column.kind != known and {column.kind, known} != {"number", "boolean"}:
        problem = f"column {shown(column.name)} must hold the kind {known}, not {column.kind}"
        raise ValueError(f"{label}: {problem}")


def format_of(path: str | os.PathLike[str]) -> str:
    """The name of the format that the name of a file says."""
    return _format_of(Source(os.fspath(path)), "auto").name


def _format_of(source: Source, file_format: str) -> Format:
    if file_format not in ("auto", *_BY_NAME):
        known = ", ".join(("auto", *_BY_NAME))
        raise ValueError(f"file_format must be one of {known}, got {shown(file_format)}")
    if source.is_pipe:
        return _BY_NAME["csv" if file_format == "auto" else file_format]
    suffixes = [suffix.lower() for suffix in Path(source.path).suffixes]
    packed = bool(suffixes) and suffixes[-1] in COMPRESSIONS
    inner = suffixes[-2:-1] if packed else suffixes[-1:]
    found = _BY_ENDING.get(inner[0]) if inner else None
    chosen = found if file_format == "auto" else _BY_NAME[file_format]
    if chosen is None:
        known = ", ".join(_BY_ENDING)
        raise ValueError(
            f"{source.label}: unknown file format; name the file {known}, or give its format"
        )
    if chosen.compresses_inside and packed:
        raise ValueError(f"{source.label}: {chosen.name} compresses inside; unpack the file first")
    return chosen


def _target_of(table: Table, target: str | None) -> int:
    names = [column.name for column in table.columns]
    if len(names) < 2:
        raise ValueError(
            f"{table.label}: there is only the column {shown(names[0])}, so no features"
        )
    if target is not None:
        if target not in names:
            raise column_not_found(table.label, target, names)
        return names.index(target)
    lowered = [name.lower() for name in names]
    for usual in USUAL_TARGETS:
        if usual in lowered:
            return lowered.index(usual)
    return len(names) - 1


def stream_name(path: str | os.PathLike[str]) -> str:
    """The name of a file without its endings; ``stdin`` for a pipe."""
    if Source(os.fspath(path)).is_pipe:
        return "stdin"
    name = Path(path)
    while name.suffix.lower() in (*COMPRESSIONS, *_BY_ENDING):
        name = name.with_suffix("")
    return name.name
