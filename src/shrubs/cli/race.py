"""The live view of a race: one line per run, with a bar and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from shrubs.cli.console import microseconds, score, show_bytes, show_percent
from shrubs.experiments.job import Job
from shrubs.results import Record
from shrubs.runners import Progress

__all__ = ["RaceView", "verdict"]

_BAR = 20


class RaceView:
    """Listens to the runs, keeps their records, and shows them while they go on.

    On a terminal the table is drawn anew in place; elsewhere each finished run is one plain line.
    """

    def __init__(
        self, jobs: Sequence[Job], console: Console, keep: Callable[[Record], None]
    ) -> None:
        self.jobs = jobs
        self.console = console
        self.keep = keep
        self.records: dict[int, Record] = {}
        self.failures: dict[int, str] = {}
        self._progress: dict[int, Progress] = {}
        self._began: dict[int, float] = {}
        self._live = Live(console=console, refresh_per_second=8, transient=True)

    def __enter__(self) -> RaceView:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def on_progress(self, progress: Progress) -> None:
        """Show how far a run is."""
        self._began.setdefault(progress.job, time.monotonic())
        self._progress[progress.job] = progress
        self._draw()

    def on_record(self, job: int, record: Record) -> None:
        """Keep the record of a run that has ended."""
        self.records[job] = record
        self.keep(record)
        if not self.console.is_terminal:
            self.console.print(
                f"{record.stream} {record.learner} {show_percent(score(record))}% "
                f"{show_bytes(record.metrics['most_memory_bytes'] or 0)} "
                f"{microseconds(record):.1f} us/example"
            )
        self._draw()

    def on_failure(self, job: int, message: str) -> None:
        """Remember why a run failed."""
        self.failures[job] = message
        if not self.console.is_terminal:
            self.console.print(
                f"{self.jobs[job].stream} {self.jobs[job].learner} failed: {escape(message)}"
            )
        self._draw()

    def _draw(self) -> None:
        if self.console.is_terminal:
            self._live.update(self._table())

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("stream", "learner"):
            table.add_column(name)
        for name in ("right %", "memory", "µs/example"):
            table.add_column(name, justify="right")
        table.add_column("progress")
        for index, job in enumerate(self.jobs):
            table.add_row(job.stream, job.learner, *self._cells(index))
        return table

    def _cells(self, index: int) -> tuple[str, str, str, str]:
        if index in self.failures:
            return "", "", "", "[red]failed[/red]"
        if index in self.records:
            record = self.records[index]
            memory = show_bytes(record.metrics["most_memory_bytes"] or 0)
            done = "[green]done[/green]" if record.finished else "[yellow]interrupted[/yellow]"
            return show_percent(score(record)), memory, f"{microseconds(record):.1f}", done
        if index not in self._progress:
            return "", "", "", "[dim]waiting[/dim]"
        progress = self._progress[index]
        speed = 1e6 * progress.seconds / max(progress.n_examples, 1)
        return (
            show_percent(progress.score),
            show_bytes(progress.memory_bytes),
            f"{speed:.1f}",
            self._bar(progress),
        )

    def _bar(self, progress: Progress) -> str:
        if progress.length is None:
            return f"{progress.n_examples:,} examples"
        share = min(progress.n_examples / max(progress.length, 1), 1.0)
        filled = round(share * _BAR)
        elapsed = time.monotonic() - self._began[progress.job]
        left = elapsed / share - elapsed if share > 0.02 else None
        time_left = "" if left is None else f" {left:.0f} s left"
        return f"[green]{'━' * filled}[/green][dim]{'━' * (_BAR - filled)}[/dim]{time_left}"


def verdict(records: Sequence[Record]) -> str:
    """In one sentence: who won, by how much, and at what size."""
    finished = [record for record in records if record.finished]
    by_learner: dict[str, list[Record]] = {}
    for record in finished:
        by_learner.setdefault(record.learner, []).append(record)
    n_streams = len({record.stream for record in finished})
    complete = {name: runs for name, runs in by_learner.items() if len(runs) == n_streams}
    if len(complete) < 2:
        return "Too few finished runs to name a winner."
    means = {
        name: sum(score(r) or 0.0 for r in runs) / len(runs) for name, runs in complete.items()
    }
    first, second = sorted(means, key=lambda name: -means[name])[:2]
    lead = 100 * (means[first] - means[second])
    memory = {name: max(r.metrics["most_memory_bytes"] or 0 for r in complete[name])
              for name in (first, second)}  # fmt: skip
    where = "one stream" if n_streams == 1 else f"{n_streams} streams"
    return (
        f"{first} wins over {where} with {100 * means[first]:.1f}% right in "
        f"{show_bytes(memory[first])}, {lead:.1f} points ahead of {second} "
        f"({show_bytes(memory[second])})."
    )


def _mean_score(records: Sequence[Record]) -> float:
    return sum(score(record) or 0.0 for record in records) / len(records)
