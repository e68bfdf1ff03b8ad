"""The live view of runs: what is done, what is running, what failed, and the time left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from shrubs.cli.console import microseconds, score, show_bytes, show_percent
from shrubs.cli.progress import SECONDS_BETWEEN_LINES
from shrubs.experiments.job import Job
from shrubs.results import Record
from shrubs.runners.process.child import Standing
from shrubs.runners.study import Running

__all__ = ["View"]

_Cells: TypeAlias = tuple[str, str, str, str | Text]
_LONG_BAR, _SHORT_BAR = 24, 14
_ROWS_BESIDE_RUNS = 2


class View:
    """Listens to runs, keeps their records, and shows them while they go on.

    A terminal shows a line for every run if all fit; else one bar for all, and the runs under way.
    Elsewhere each run that ends is one plain line, and now and then one says what is running.

    Args:
        jobs: the runs to do.
        console: where they are shown.
        keep: called with every record.
        done: runs of the same study that were done before.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        console: Console,
        keep: Callable[[Record], None],
        *,
        done: int = 0,
    ) -> None:
        self.jobs = jobs
        self.console = console
        self.keep = keep
        self.records: dict[str, Record] = {}
        self.lost: set[str] = set()
        self._done_before = done
        self._running: Sequence[Running] | int = ()
        self._start = self._said = time.monotonic()
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> View:
        if self.console.is_terminal:
            self._live.start()
            self._draw()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def on_record(self, job: Job, record: Record) -> None:
        """Keep the record of a run that has ended."""
        self.keep(record)
        self.records[job.run_id] = record
        if not self.console.is_terminal:
            place = f"{self._done}/{self._total}"
            self._say(f"{place:>9}  {_line(record)}{self._time_left()}")
        elif record.failure is not None and self._fits:
            self._say(_line(record))

    def on_lost(self, job: Job, message: str) -> None:
        """Say that a run is to be done another time."""
        self.lost.add(job.run_id)
        self._say(Text("lost", "red"), f"{_name(job)}: {message}")

    def on_tick(self, running: Sequence[Running] | int) -> None:
        """Show what is running."""
        self._running = running
        self._draw()
        if not self.console.is_terminal and time.monotonic() - self._said > SECONDS_BETWEEN_LINES:
            n_running = running if isinstance(running, int) else len(running)
            self._say(f"{'':9}  {self._standing(n_running).plain.strip()}")

    def on_interrupt(self) -> None:
        """Say what Ctrl-C did."""
        self._say("the runs under way end early; Ctrl-C again gives them up at once")

    def _say(self, *line: str | Text) -> None:
        self._said = time.monotonic()
        self.console.print(*line, soft_wrap=True)

    @property
    def _done(self) -> int:
        return self._done_before + len(self.records)

    @property
    def _total(self) -> int:
        return self._done_before + len(self.jobs)

    @property
    def _fits(self) -> bool:
        return len(self.jobs) + _ROWS_BESIDE_RUNS <= self.console.height

    def _draw(self) -> None:
        if self.console.is_terminal:
            running = self._running
            if isinstance(running, int):
                self._live.update(self._head(min(running, self._total - self._done)))
            else:
                self._live.update(self._rows(running) if self._fits else self._compact(running))

    def _rows(self, running: Sequence[Running]) -> RenderableType:
        """A line for every run."""
        under_way = {run.job.run_id: run for run in running}
        table = _table("stream", "learner")
        for job in self.jobs:
            cells = self._cells(job.run_id, under_way.get(job.run_id))
            table.add_row(job.stream, job.label, *cells)
        return table

    def _cells(self, run_id: str, run: Running | None) -> _Cells:
        if run_id in self.records:
            return _cells_of_record(self.records[run_id])
        if run_id in self.lost:
            return "", "", "", Text("lost", "red")
        if run is None:
            return "", "", "", Text("waiting", "dim")
        return _cells_of_running(run)

    def _compact(self, running: Sequence[Running]) -> RenderableType:
        """One bar for all runs, and the runs under way."""
        table = _table("running")
        for run in running:
            table.add_row(_name(run.job), *_cells_of_running(run))
        return Group(self._head(len(running)), table)

    def _head(self, n_running: int) -> Text:
        return _bar(self._done / max(self._total, 1), _LONG_BAR) + self._standing(n_running)

    def _standing(self, n_running: int) -> Text:
        failed = Counter(r.failure for r in self.records.values() if r.failure is not None)
        reasons = ", ".join(f"{n} {each}" for each, n in failed.items())
        shown = Text(f"{failed.total()} failed", "red" if reasons else "")
        why = f" ({reasons})" if reasons else ""
        done = f" {self._done} of {self._total} done"
        return Text.assemble(f"{done}, {n_running} running, ", shown, why, self._time_left())

    def _time_left(self) -> str:
        """From the pace so far; all methods take turns, so it is that of the rest."""
        if not self.records:
            return ""
        left = (time.monotonic() - self._start) / len(self.records) * (self._total - self._done)
        return f", {_duration(left)} left"


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    for name in ("score", "memory", "µs/example"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("progress", no_wrap=True)
    return table


def _name(job: Job | Record) -> str:
    return f"{job.label} on {job.stream}"


def _score(metrics: Mapping[str, float | None]) -> str:
    """Accuracy in percent, or the mean absolute error of a regression."""
    error, share = metrics.get("mae"), score(metrics)
    if error is not None:
        return f"MAE {error:.4g}"
    return "-" if share is None else f"{show_percent(share)}%"


def _line(record: Record) -> str:
    """A run that has ended, in one line."""
    if record.failure is not None:
        return f"{_name(record)}  failed ({record.failure}): {record.message}"
    memory = show_bytes(record.metrics.get("max_memory_bytes") or 0)
    early = "" if record.finished else "  interrupted"
    return (
        f"{_name(record)}  {_score(record.metrics)}  {memory}  "
        f"{microseconds(record.metrics, record.n_examples):.1f} us/example{early}"
    )


def _cells_of_record(record: Record) -> _Cells:
    state = Text("done", "green") if record.finished else Text("interrupted", "yellow")
    if record.failure is not None:
        state = Text(f"failed ({record.failure})", "red")
    return (
        _score(record.metrics),
        show_bytes(record.metrics.get("max_memory_bytes") or 0),
        f"{microseconds(record.metrics, record.n_examples):.1f}",
        state,
    )


def _cells_of_running(run: Running) -> _Cells:
    standing = run.standing
    if standing is None:
        return "", "", "", "starting"
    return (
        _score(standing.metrics),
        show_bytes(standing.metrics.get("memory_bytes") or 0),
        f"{microseconds(standing.metrics, standing.n_examples):.1f}",
        _progress(standing, run.seconds),
    )


def _progress(standing: Standing, seconds: float) -> Text:
    if standing.length is None:
        return Text(f"{standing.n_examples:,} examples")
    share = min(standing.n_examples / max(standing.length, 1), 1.0)
    left = f" {_duration(seconds / share - seconds)} left" if share > 0.02 else ""
    return Text.assemble(_bar(share, _SHORT_BAR), left)


def _bar(share: float, width: int) -> Text:
    filled = round(share * width)
    return Text.assemble(("━" * filled, "green"), ("━" * (width - filled), "dim"))


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
