"""How the command line speaks: units, tables, errors and exit codes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from shrubs.evaluation import Evaluation
from shrubs.results import Record

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "errors",
    "out",
    "result_table",
    "say",
    "show_bytes",
    "show_percent",
    "show_progress",
]

FAILED = 1
INTERRUPTED = 130

_WIDTH_OF_A_PIPE = 160  # nothing is cut off there

out = Console(width=None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE)
say = Console(stderr=True, width=None if sys.stderr.isatty() else _WIDTH_OF_A_PIPE)


@contextlib.contextmanager
def errors() -> Iterator[None]:
    """Turn the errors of users into one line and exit code 1."""
    try:
        yield
    except KeyboardInterrupt:
        say.print("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        reason = error.strerror or str(error)
        where = f"{error.filename}: " if error.filename else ""
        say.print("[red]error[/red]", escape(where + reason), highlight=False, soft_wrap=True)
        raise typer.Exit(FAILED) from None
    except (ValueError, TypeError, ImportError) as error:
        say.print("[red]error[/red]", escape(str(error)), highlight=False, soft_wrap=True)
        raise typer.Exit(FAILED) from None


def show_bytes(size: float) -> str:
    """Bytes for people: one KB is 1024 bytes."""
    for unit in ("B", "KB", "MB"):
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
    score = f"{show_percent(values['accuracy'])}% right" if "accuracy" in values else ""
    return f"{evaluation.n_examples:,}{of} examples  {score}"


def microseconds(record: Record) -> float:
    """Microseconds per example, predicting and learning."""
    seconds = (record.metrics["predict_seconds"] or 0.0) + (record.metrics["learn_seconds"] or 0.0)
    return 1e6 * seconds / max(record.n_examples, 1)


def result_table(records: list[Record]) -> Table:
    """The results of runs, best first within each stream."""
    regression = all("r2" in record.metrics for record in records)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("stream")
    table.add_column("learner")
    names = ("R²", "RMSE", "MAE") if regression else ("right %", "kappa-t %", "running %")
    for name in (*names, "memory", "µs/example"):
        table.add_column(name, justify="right")
    for record in sorted(records, key=lambda r: (r.stream, -(score(r) or 0.0))):
        values: list[Any] = (
            [show_number(record.metrics[name]) for name in ("r2", "rmse", "mae")]
            if regression
            else [
                show_percent(record.metrics.get(name))
                for name in ("accuracy", "kappa_temporal", "mean_running_accuracy")
            ]
        )
        table.add_row(
            record.stream,
            record.learner + ("" if record.finished else " (interrupted)"),
            *values,
            show_bytes(record.metrics["most_memory_bytes"] or 0),
            f"{microseconds(record):.1f}",
        )
    return table


def score(record: Record) -> float | None:
    """What runs are ranked by: accuracy, or R² for a regression."""
    return record.metrics.get("accuracy", record.metrics.get("r2"))
