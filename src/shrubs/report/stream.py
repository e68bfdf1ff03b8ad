"""What a stream is made of, and how to keep a model of it: class balance, columns, a command."""

from __future__ import annotations

import html
import shlex
from collections.abc import Sequence
from pathlib import PurePath

from shrubs.analysis.runs import Run, StreamRuns
from shrubs.report.units import listed

__all__ = ["balance", "columns_read", "keeping_command"]

_MAX_BARS = 20
_MAX_COLUMNS = 30


def balance(runs: StreamRuns) -> str:
    """HTML: a bar for the share of each class among the labels; empty if they were not counted."""
    counts = [sum(row) for row in runs.best.record.confusion or ()]
    total = sum(counts)
    if not total:
        return ""
    names = [*runs.classes, *(f"class {i}" for i in range(len(runs.classes), len(counts)))]
    ordered = sorted(zip(counts, names, strict=False), key=lambda pair: -pair[0])
    bars = "".join(
        f'<li><span>{html.escape(name)}</span><i style="width:{100 * n / ordered[0][0]:.1f}%"></i>'
        f"<b>{100 * n / total:.1f} %</b></li>"
        for n, name in ordered[:_MAX_BARS]
    )
    more = len(ordered) - _MAX_BARS
    rest = f'<p class="caption">and {more:,} more</p>' if more > 0 else ""
    return f'<ul class="balance">{bars}</ul>{rest}'


def columns_read(runs: StreamRuns) -> str:
    """In words: which columns were read as numbers, and which as categories."""
    kinds: dict[str, list[str]] = {}
    for name, kind in runs.best.record.columns.items():
        kinds.setdefault("numbers" if kind == "number" else kind, []).append(name)
    read = "; ".join(f"as {kind}: {listed(v, _MAX_COLUMNS)}" for kind, v in kinds.items())
    return f"Columns were read {read}." if read else ""


def keeping_command(runs: StreamRuns, command: str) -> str:
    """The command that keeps a model of a file that ``command`` names; none for other streams."""
    file = next((part for part in _words(command) if _is_file_of(part, runs)), None)
    ours = next((run for run in runs.runs if run.record.learner == "shrubs"), None)
    if file is None or ours is None:
        return ""
    stem = PurePath(file).name.partition(".")[0]
    return shlex.join(["shrubs", "learn", file, "--model", f"{stem}.shrubs", *_options(ours)])


def _words(command: str) -> Sequence[str]:
    try:
        return shlex.split(command)
    except ValueError:  # no closing quotation
        return ()


def _is_file_of(text: str, runs: StreamRuns) -> bool:
    name = PurePath(text).name
    return "." in name and name.partition(".")[0] == runs.best.record.stream.partition(".")[0]


def _options(run: Run) -> list[str]:
    options = run.record.stream_options
    given = [f"--target={options['target']}"] if options.get("target") else []
    given += [f"--nominal={name}" for name in options.get("nominal") or ()]
    settings = {**run.record.configuration, "seed": run.record.seed}
    return [*given, *(f"--set={name}={value}" for name, value in settings.items())]
