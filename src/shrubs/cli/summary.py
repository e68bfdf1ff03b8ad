"""What came out of runs: a table, and who won."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from rich.console import Group
from rich.table import Table

from shrubs.cli.console import microseconds, score, show_bytes, show_number, show_percent
from shrubs.results import Record

__all__ = ["result_tables", "summary", "verdict"]

_FAILURES = ("time", "memory", "crash", "error")
_SHARES = ("accuracy", "kappa_temporal", "mean_running_accuracy")
_ERRORS = ("r2", "rmse", "mae")


def summary(records: Sequence[Record], wanted: int) -> Group:
    """The results, if every method ran once on every stream; else how many runs are done."""
    once = len({(record.label, record.stream) for record in records}) == len(records)
    return result_tables(records) if once else Group(_count_table(records, wanted))


def result_tables(records: Sequence[Record]) -> Group:
    """The results of runs, best first within each stream; targets below classes."""
    parts: list[Table | str] = []
    for regression, runs in _by_task(records):
        parts += ["", _result_table(runs, regression)]
    return Group(*parts[1:])


def _by_task(records: Sequence[Record]) -> list[tuple[bool, list[Record]]]:
    """Whether it is a regression, and the runs; a failed run goes by the others on its stream."""
    targets = {record.stream for record in records if "r2" in record.metrics}
    parts = [
        (flag, [r for r in records if (r.stream in targets) == flag]) for flag in (False, True)
    ]
    return [(flag, runs) for flag, runs in parts if runs]


def _result_table(records: Sequence[Record], regression: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("stream", overflow="fold")
    table.add_column("learner", overflow="fold")
    names = ("R²", "RMSE", "MAE") if regression else ("right %", "kappa-t %", "running %")
    for name in (*names, "memory", "µs/example"):
        table.add_column(name, justify="right", no_wrap=True)
    for record in sorted(records, key=_place):
        table.add_row(record.stream, _called(record), *_cells(record, regression))
    return table


def _place(record: Record) -> tuple[str, bool, float]:
    return record.stream, record.failure is not None, -(score(record.metrics) or 0.0)


def _called(record: Record) -> str:
    if record.failure is not None:
        return f"{record.label} (failed: {record.failure})"
    return record.label if record.finished else f"{record.label} (interrupted)"


def _cells(record: Record, regression: bool) -> list[str]:
    """The cells of a run; those of a failed one are as far as it came."""
    names = _ERRORS if regression else _SHARES
    show = show_number if regression else show_percent
    memory = record.metrics.get("max_memory_bytes")
    return [
        *(show(record.metrics.get(name)) for name in names),
        "-" if memory is None else show_bytes(memory),
        f"{microseconds(record.metrics, record.n_examples):.1f}" if record.n_examples else "-",
    ]


def _count_table(records: Sequence[Record], wanted: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("learner", overflow="fold")
    for name in ("done", *_FAILURES):
        table.add_column(name, justify="right")
    groups: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        groups[record.label][record.failure or "done"] += 1
    whole = sum(groups.values(), Counter())
    for name, counts in (*groups.items(), (f"{len(records)} of {wanted} runs", whole)):
        table.add_row(name, *(str(counts[key] or "") for key in ("done", *_FAILURES)))
    return table


def verdict(records: Sequence[Record]) -> str:
    """In a sentence for classes and one for targets: who won, by how much, and at what size."""
    parts = _by_task(records)
    kinds = {False: " of classes", True: " of targets"} if len(parts) > 1 else {}
    return "\n".join(_verdict(runs, flag, kinds.get(flag, "")) for flag, runs in parts)


def _verdict(records: Sequence[Record], regression: bool, kind: str) -> str:
    finished = [record for record in records if record.finished]
    by_label: defaultdict[str, list[Record]] = defaultdict(list)
    for record in finished:
        by_label[record.label].append(record)
    n_streams = len({record.stream for record in finished})
    complete = {name: runs for name, runs in by_label.items() if len(runs) == n_streams}
    if len(complete) < 2:
        return f"Too few finished runs{kind and f' on streams{kind}'} to name a winner."
    means = {
        name: sum(score(r.metrics) or 0.0 for r in runs) / len(runs)
        for name, runs in complete.items()
    }
    first, second = sorted(means, key=lambda name: -means[name])[:2]
    memory = {
        name: max(r.metrics.get("max_memory_bytes") or 0 for r in complete[name])
        for name in (first, second)
    }
    where = ("one stream" if n_streams == 1 else f"{n_streams} streams") + kind
    what, lead = f"{100 * means[first]:.1f}% right", 100 * (means[first] - means[second])
    by = f"{lead:.1f} points"
    if regression:
        what, by = f"an R² of {means[first]:.3f}", f"{lead / 100:.3f}"
    return (
        f"{first} wins over {where} with {what} in {show_bytes(memory[first])}, {by} ahead of "
        f"{second} ({show_bytes(memory[second])})."
    )
