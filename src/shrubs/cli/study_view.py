"""The live view of a study: what is done, what is running, what failed, and the time left."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from shrubs.cli.console import score, show_bytes, show_percent
from shrubs.experiments.job import Job
from shrubs.experiments.registry import find_learner
from shrubs.results import Record
from shrubs.runners.study import Running

__all__ = ["StudyView", "summary"]

_BAR = 40
_FAILURES = ("time", "memory", "crash", "error")


class StudyView:
    """Listens to a study and shows it.

    On a terminal a bar and the runs under way are drawn anew in place; elsewhere each run that ends
    is one plain line.
    """

    def __init__(
        self, jobs: Sequence[Job], done: int, console: Console, keep: Callable[[Record], None]
    ) -> None:
        self.console = console
        self.keep = keep
        self.lost = 0
        self._done = self._done_before = done
        self._total = done + len(jobs)
        self._failed: Counter[str] = Counter()
        self._running: Sequence[Running] | int = ()
        self._start = time.monotonic()
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> StudyView:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def on_record(self, job: Job, record: Record) -> None:
        """Keep the record of a run that has ended."""
        self.keep(record)
        self._done += 1
        if record.failure is not None:
            self._failed[record.failure] += 1
        if not self.console.is_terminal:
            place = f"{self._done}/{self._total}"
            line = f"{place:>9}  {_line(record)}{self._time_left()}"
            self.console.print(line, highlight=False, soft_wrap=True)

    def on_lost(self, job: Job, message: str) -> None:
        """Say that a run is to be done another time."""
        self.lost += 1
        self.console.print(f"[red]lost[/red] {_name(job)}: {escape(message)}", highlight=False)

    def on_tick(self, running: Sequence[Running] | int) -> None:
        """Show what is running."""
        self._running = running
        if self.console.is_terminal:
            self._live.update(self._draw())

    def _draw(self) -> RenderableType:
        running = self._running
        if isinstance(running, int):
            return self._head(min(running, self._total - self._done))
        table = Table(box=None, pad_edge=False, show_header=False)
        for run in running:
            table.add_row(*_cells(run))
        return Group(self._head(len(running)), table)

    def _head(self, n_running: int) -> str:
        filled = round(_BAR * self._done / max(self._total, 1))
        bar = f"[green]{'━' * filled}[/green][dim]{'━' * (_BAR - filled)}[/dim]"
        reasons = ", ".join(f"{n} {why}" for why, n in self._failed.items())
        failed = f"[red]{self._failed.total()} failed[/red] ({reasons})" if reasons else "0 failed"
        done = f"{self._done} of {self._total} done"
        return f"{bar} {done}, {n_running} running, {failed}{self._time_left()}"

    def _time_left(self) -> str:
        """From the pace so far; all methods take turns, so it is that of the rest."""
        done = self._done - self._done_before
        if done == 0:
            return ""
        left = (time.monotonic() - self._start) / done * (self._total - self._done)
        return f", {_duration(left)} left"


def _name(job: Job | Record) -> str:
    return f"{find_learner(job.learner).label} on {job.stream}"


def _line(record: Record) -> str:
    """A run that has ended, in one line."""
    if record.failure is not None:
        return f"{_name(record)}  failed ({record.failure}): {escape(record.message)}"
    memory = show_bytes(record.metrics["most_memory_bytes"] or 0)
    seconds = (record.metrics["predict_seconds"] or 0) + (record.metrics["learn_seconds"] or 0)
    return f"{_name(record)}  {show_percent(score(record))}%  {memory}  {seconds:.1f} s"


def _cells(run: Running) -> tuple[str, str, str, str]:
    seconds = f"{run.seconds:.0f} s"
    if run.standing is None:
        return _name(run.job), "", "", seconds
    of = f" of {run.standing.length:,}" if run.standing.length is not None else ""
    accuracy = run.standing.metrics.get("accuracy")
    return (
        _name(run.job),
        f"{run.standing.n_examples:,}{of} examples",
        f"{show_percent(accuracy)}% right",
        seconds,
    )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def summary(records: Sequence[Record], wanted: int) -> Table:
    """How many runs of each learner are done, and how many failed of what."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("learner")
    for name in ("done", *_FAILURES):
        table.add_column(name, justify="right")
    groups: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        groups[record.learner][record.failure or "done"] += 1
    whole = sum(groups.values(), Counter())
    for name, counts in (*groups.items(), (f"{len(records)} of {wanted} runs", whole)):
        table.add_row(name, *(str(counts[key] or "") for key in ("done", *_FAILURES)))
    return table
