"""How the command line speaks: units, tables, errors and exit codes."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from shrubs.evaluation import Evaluation
from shrubs.keyed import StoreError
from shrubs.messages import shown

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "Terminal",
    "errors",
    "microseconds",
    "out",
    "read_bytes",
    "say",
    "say_doubts",
    "say_skipped",
    "score",
    "show_bytes",
    "show_number",
    "show_percent",
    "show_progress",
    "warn",
]

FAILED = 1
INTERRUPTED = 130

_WIDTH_OF_A_PIPE = 160  # nothing is cut off there

# What moves the cursor, turns the text around, or cannot be written.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Terminal(Console):
    """Shows texts as they are: no markup, no names of emoji, control characters by their codes.

    Most texts are not ours: names of files and learners, and what errors say. What is ours and
    coloured is a ``Text``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """The text that is shown."""
        visible = _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
        return super().render_str(visible, **options)


out = Terminal(width=None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE)
# FORCE_COLOR, which Jupyter sets, asks for colours; nothing can move there.
_moves = sys.stderr.isatty()
say = Terminal(stderr=True, force_terminal=_moves, width=None if _moves else _WIDTH_OF_A_PIPE)


@contextlib.contextmanager
def errors(*, nominal: bool = False) -> Iterator[None]:
    """Turn the errors of users into one line and exit code 1.

    ``nominal`` says that the command has an option of this name, which can be a remedy.
    """
    try:
        yield
    except KeyboardInterrupt:
        say.print("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # whoever read this has enough; nothing may be written at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        reason = error.strerror or str(error)
        where = f"{error.filename}: " if error.filename else ""
        _say_error(where + reason)
        raise typer.Exit(FAILED) from None
    except (ValueError, TypeError, ImportError, StoreError) as error:
        _say_error(str(error) + (_remedy(str(error)) if nominal else ""))
        raise typer.Exit(FAILED) from None


def _remedy(message: str) -> str:
    """What to do about a value of another kind than most of its column."""
    found = re.search(r", line \d+, column (.+?): .+ is (?:not a|neither)\b", message)
    return "" if found is None else f"; if the column holds categories, give --nominal {found[1]}"


def _say_error(message: str) -> None:
    say.print(Text("error", "red"), message.replace("\n", " "), soft_wrap=True)


def say_skipped(file: str, n_rows: int) -> None:
    """Say how many rows without a label were left out, if any."""
    if n_rows:
        rows = "1 row without a label is" if n_rows == 1 else f"{n_rows:,} rows without a label are"
        warn(f"{file}: {rows} skipped")


def say_doubts(file: str, doubts: Sequence[str]) -> None:
    """Say which columns of a file may be read otherwise than they are meant, the first three."""
    for doubt in doubts[:3]:
        warn(f"{file}: {doubt}")
    if len(doubts) > 3:
        warn(f"{file}: so it is with {len(doubts) - 3:,} more columns")


def warn(message: str) -> None:
    """Say what may not be meant so."""
    say.print(Text("warning", "yellow"), message, soft_wrap=True)


_UNITS = ("B", "KB", "MB", "GB")


def read_bytes(option: str, text: str) -> int:
    """Bytes as people write them: a number, or one with a unit, such as ``64KB``."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?) *([KMG]?B)?", text.strip().upper())
    if match is None:
        raise ValueError(
            f"{option} must be bytes, or a size such as 64KB or 1.5MB, got {shown(text)}"
        )
    unit: int = 1024 ** _UNITS.index(match[2] or "B")
    return int(float(match[1]) * unit)


def show_bytes(size: float) -> str:
    """Bytes for people: one KB is 1024 bytes."""
    for unit in _UNITS[:-1]:
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def show_percent(share: float | None) -> str:
    """A share in percent."""
    return "-" if share is None else f"{100 * share:.2f}"


def show_number(value: float | None) -> str:
    """A number with four significant digits."""
    return "-" if value is None else f"{value:.4g}"


def show_progress(evaluation: Evaluation, length: int | None) -> str:
    """How far a run is, in one line."""
    of = "" if length is None else f" of {length:,}"
    values = evaluation.metrics.values()
    is_error = "accuracy" not in values
    score = (
        f"off by {show_number(values['mae'])}"
        if is_error
        else f"{show_percent(values['accuracy'])}% right"
    )
    return f"{evaluation.n_examples:,}{of} examples  {score}"


def microseconds(metrics: Mapping[str, float | None], n_examples: int) -> float:
    """Microseconds per example, predicting and learning."""
    seconds = (metrics.get("predict_seconds") or 0.0) + (metrics.get("learn_seconds") or 0.0)
    return 1e6 * seconds / max(n_examples, 1)


def score(metrics: Mapping[str, float | None]) -> float | None:
    """What runs are ranked by: accuracy, or R² for a regression."""
    return metrics.get("accuracy", metrics.get("r2"))
