"""Opens files as streams: CSV, ARFF, Parquet and libsvm, plain or compressed, or from a pipe."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from shrubs.streams._source import COMPRESSIONS, Source
from shrubs.streams._survey import Task, survey
from shrubs.streams._table import Table, column_not_found
from shrubs.streams.arff_file import open_arff
from shrubs.streams.csv_file import open_csv
from shrubs.streams.file_stream import FileStream
from shrubs.streams.libsvm_file import open_libsvm
from shrubs.streams.parquet_file import open_parquet

__all__ = ["FileFormat", "open_stream", "open_table"]

FileFormat: TypeAlias = Literal["auto", "csv", "arff", "parquet", "libsvm"]

SUFFIXES: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
}
OPENERS: dict[FileFormat, Callable[[Source, Collection[str]], Table]] = {
    "csv": open_csv,
    "arff": open_arff,
    "parquet": open_parquet,
    "libsvm": open_libsvm,
}
USUAL_TARGETS = ("target", "class", "label")


def open_stream(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    nominal: Collection[str] = (),
    task: Task = "auto",
    file_format: FileFormat = "auto",
) -> FileStream:
    r"""Opens a file as a stream of examples.

    A file is read twice: here, to find the categories, the classes and the number of examples
    (only the columns that matter for that), and then in blocks, with memory that does not depend
    on its length.

    What the columns of a CSV file hold is guessed from the first 256 rows: numbers, ``true`` and
    ``false`` (1 and 0), ISO 8601 dates (seconds since 1970 in UTC; single precision keeps about
    two minutes of that), else categories. The other formats declare it. ``?`` and nothing are
    missing values; so are NA, N/A, NaN, nan and null among numbers. Categories and classes are
    sorted, those in an ARFF header keep their order.

    Parameters
    ----------
    path
        A ``.csv``, ``.tsv``, ``.arff``, ``.parquet``, ``.libsvm``, ``.svm`` or ``.svmlight``
        file; text may be compressed: ``.gz``, ``.bz2``, ``.xz``, ``.zip``, ``.zst``. ``-`` is
        standard input. It can be read once, and categories and classes that its first rows do not
        have join ``schema`` when they appear.
    target
        The name of the target column. By default a column called target, class or label, else the
        last one (the first one in libsvm).
    nominal
        Names of columns that hold categories although they look like numbers.
    task
        ``"auto"`` is a classification unless the target has a fraction or more than 20 different
        whole numbers; from standard input, as far as its first rows show.
    file_format
        ``"auto"`` goes by the name of the file; standard input is taken as CSV.

    Examples
    --------
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
        raise ValueError(f"task must be one of {', '.join(get_args(Task))}, got {task!r}")
    table = open_table(path, nominal, file_format)
    position = _target_of(table, target)
    name = _name(Source(os.fspath(path)))
    return FileStream(name, table, position, survey(table, position, task))


def open_table(
    path: str | os.PathLike[str], nominal: Collection[str], file_format: FileFormat
) -> Table:
    """Opens a file as columns."""
    source = Source(os.fspath(path))
    opener = OPENERS[_format_of(source, file_format)]
    source.check()
    return opener(source, nominal)


def _format_of(source: Source, file_format: FileFormat) -> FileFormat:
    if file_format not in get_args(FileFormat):
        known = ", ".join(get_args(FileFormat))
        raise ValueError(f"file_format must be one of {known}, got {file_format!r}")
    if source.is_pipe:
        return "csv" if file_format == "auto" else file_format
    suffixes = [suffix.lower() for suffix in Path(source.path).suffixes]
    packed = bool(suffixes) and suffixes[-1] in COMPRESSIONS
    inner = suffixes[-2:-1] if packed else suffixes[-1:]
    found = SUFFIXES.get(inner[0]) if inner else None
    chosen = found if file_format == "auto" else file_format
    if chosen is None:
        known = ", ".join(SUFFIXES)
        raise ValueError(
            f"{source.label}: unknown file format; name the file {known} or give file_format"
        )
    if chosen == "parquet" and packed:
        raise ValueError(f"{source.label}: Parquet compresses inside; unpack the file first")
    return chosen


def _target_of(table: Table, target: str | None) -> int:
    names = [column.name for column in table.columns]
    if len(names) < 2:
        raise ValueError(f"{table.label}: there is only the column {names[0]!r}, so no features")
    if target is not None:
        if target not in names:
            raise column_not_found(table.label, target, names)
        return names.index(target)
    lowered = [name.lower() for name in names]
    for usual in USUAL_TARGETS:
        if usual in lowered:
            return lowered.index(usual)
    return len(names) - 1


def _name(source: Source) -> str:
    if source.is_pipe:
        return "stdin"
    path = Path(source.path)
    while path.suffix.lower() in (*COMPRESSIONS, *SUFFIXES):
        path = path.with_suffix("")
    return path.name
