"""The tables of the paper from the runs of a study, each number beside the printed one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from shrubs.analysis import paper_tables as paper
from shrubs.analysis.apf import apf, log_apf
from shrubs.analysis.select import BUDGETS, best_under
from shrubs.report.study.outcomes import KINDS, Outcomes, accuracy, seconds, size
from shrubs.report.study.table import Cell, Group, Line, Table
from shrubs.report.units import decimals, percent
from shrubs.results import Record

__all__ = ["ACCURACY", "AREA", "Quantity", "agreement", "areas", "best_runs", "tables"]

_NOTHING = "\N{EN DASH}"
_KB = 1024

Values = Mapping[tuple[str, str], float]
"""By method and stream."""


def areas(outcomes: Outcomes, area: Callable[..., float] = apf) -> dict[tuple[str, str], float]:
    """The area under the front of each method on each stream where it was tried.

    Where all of its runs were dropped it has no model, so its area is 0.
    """
    return {
        (method, stream): area(
            [size(run) for run in outcomes.runs(method, stream)],
            [accuracy(run) for run in outcomes.runs(method, stream)],
        )
        for method in outcomes.methods
        for stream in outcomes.streams
        if outcomes.was_tried(method, stream)
    }


def best_runs(outcomes: Outcomes, budget: float) -> dict[tuple[str, str], Record]:
    """The most accurate run of each method on each stream under a budget in bytes."""
    best = {}
    for place, runs in outcomes.counted.items():
        i = best_under([size(run) for run in runs], [accuracy(run) for run in runs], budget)
        if i is not None:
            best[place] = runs[i]
    return best


@dataclass(frozen=True)
class Quantity:
    """How a kind of number is called and written, and how close two of them must be to agree."""

    label: str
    tolerance: float
    spoken_tolerance: str
    text: Callable[[float], str]
    difference: Callable[[float], str]


def _signed(value: float, digits: int) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(value):.{digits}f}"


AREA = Quantity("area", 0.005, "0.005", "{:.4f}".format, lambda value: _signed(value, 4))
ACCURACY = Quantity(
    "accuracy %", 0.005, "0.5 points", percent, lambda value: _signed(100 * value, 2)
)


def agreement(
    outcomes: Outcomes, ours: Values, printed: paper.Table, what: Quantity
) -> tuple[int, int]:
    """How many numbers on whole streams agree with the printed ones, and of how many."""
    compared = [
        abs(value - printed[method][stream]) <= what.tolerance
        for (method, stream), value in ours.items()
        if stream in printed.get(method, {}) and not outcomes.is_prefix(stream)
    ]
    return sum(compared), len(compared)


def tables(outcomes: Outcomes) -> list[Table]:
    """Areas, best accuracies under every budget, and what was dropped."""
    found = [_area_table(outcomes), _log_area_table(outcomes)]
    found += [_best_table(outcomes, name, budget) for name, budget in BUDGETS.items()]
    if outcomes.dropped:
        found.append(_dropped_table(outcomes))
    return found


def _area_table(outcomes: Outcomes) -> Table:
    ours = areas(outcomes)
    return Table(
        "apf",
        "Area under the Pareto front",
        "Mean running accuracy over mean size, up to 204,800 KB; larger is better. "
        f"{_how_compared(outcomes, ours, paper.APF, AREA)}",
        outcomes.methods,
        tuple(
            _group(outcomes, stream, _compared_lines(outcomes, stream, ours, paper.APF, AREA))
            for stream in outcomes.streams
        ),
    )


def _log_area_table(outcomes: Outcomes) -> Table:
    ours = areas(outcomes, log_apf)
    return Table(
        "apf-log",
        "Area under the Pareto front, logarithmic size",
        "The same with size on a logarithmic axis from 1 KB to 204,800 KB, where every doubling "
        "weighs the same. The paper does not print it.",
        outcomes.methods,
        tuple(
            _group(outcomes, stream, [_our_line(outcomes, stream, ours, AREA)])
            for stream in outcomes.streams
        ),
    )


def _best_table(outcomes: Outcomes, name: str, budget: float) -> Table:
    best = best_runs(outcomes, budget)
    ours = {place: accuracy(run) for place, run in best.items()}
    free = name == "no limit"
    printed = paper.ACCURACY if free else paper.ACCURACY_UNDER.get(name)
    if printed is None:
        compared = "The paper prints no table for this budget."
    else:
        compared = _how_compared(outcomes, ours, printed, ACCURACY)
    groups = []
    for stream in outcomes.streams:
        lines = (
            [_our_line(outcomes, stream, ours, ACCURACY)]
            if printed is None
            else _compared_lines(outcomes, stream, ours, printed, ACCURACY)
        )
        lines += _more_lines(outcomes, stream, best, with_paper=free)
        groups.append(_group(outcomes, stream, lines))
    return Table(
        "best" if free else f"best-{name.replace(' ', '-').lower()}",
        "Best accuracy without a limit" if free else f"Best accuracy under {name}",
        "Mean running accuracy of the best configuration, with its kappa-temporal (the share of "
        "the errors of no-change that it avoids), its mean size and its time to predict and learn. "
        f"{compared}",
        outcomes.methods,
        tuple(groups),
    )


def _how_compared(outcomes: Outcomes, ours: Values, printed: paper.Table, what: Quantity) -> str:
    n_agreeing, n_compared = agreement(outcomes, ours, printed, what)
    text = (
        f"= means within {what.spoken_tolerance} of the printed number; differences are ours minus "
        "the paper's."
    )
    if n_compared:
        text += f" {n_agreeing} of {n_compared} agree."
    if any(outcomes.is_prefix(stream) for stream in outcomes.streams):
        text += (
            " Where fewer examples were run than in the paper, numbers are not comparable in the "
            "strict sense: the difference stands in brackets and is not counted."
        )
    return text + " The paper's SE pools shrub ensembles with windowed trees (WT)."


def _group(outcomes: Outcomes, stream: str, lines: Iterable[Line]) -> Group:
    n = outcomes.lengths.get(stream, 0)
    whole = paper.LENGTHS.get(stream)
    if whole is not None and n < whole:
        remark = f"{n:,} of {whole:,} examples" if n else "no run counts"
    else:
        remark = f"{n:,} examples"
    return Group(stream, remark, tuple(lines))


def _our_line(outcomes: Outcomes, stream: str, ours: Values, what: Quantity) -> Line:
    values = [ours.get((method, stream)) for method in outcomes.methods]
    return Line(what.label, "ours", _best_marked(values, what))


def _best_marked(values: Sequence[float | None], what: Quantity) -> tuple[Cell, ...]:
    highest = max((value for value in values if value is not None), default=None)
    return tuple(
        Cell(_NOTHING) if value is None else Cell(what.text(value), _best_if(value == highest))
        for value in values
    )


def _best_if(best: bool) -> Literal["", "best"]:
    return "best" if best else ""


def _compared_lines(
    outcomes: Outcomes, stream: str, ours: Values, printed: paper.Table, what: Quantity
) -> list[Line]:
    """Our numbers, the paper's, and what lies between."""
    first = _our_line(outcomes, stream, ours, what)
    theirs = [printed.get(method, {}).get(stream) for method in outcomes.methods]
    if not any(value is not None for value in theirs):
        return [first]
    mine = [ours.get((method, stream)) for method in outcomes.methods]
    between = tuple(
        Cell("") if a is None or b is None else _difference(a - b, what, outcomes.is_prefix(stream))
        for a, b in zip(mine, theirs, strict=True)
    )
    return [
        first,
        Line("paper", "paper", _best_marked(theirs, what)),
        Line("difference", "difference", between),
    ]


def _difference(value: float, what: Quantity, prefix: bool) -> Cell:
    agrees = abs(value) <= what.tolerance
    text = "=" if agrees else what.difference(value)
    return Cell(f"({text})") if prefix else Cell(text, "agrees" if agrees else "differs")


def _more_lines(
    outcomes: Outcomes, stream: str, best: Mapping[tuple[str, str], Record], *, with_paper: bool
) -> list[Line]:
    """Kappa-temporal, size and time of the best runs."""
    runs = [best.get((method, stream)) for method in outcomes.methods]

    def line(label: str, text: Callable[[Record], str]) -> Line:
        return Line(
            label, "more", tuple(Cell(_NOTHING if run is None else text(run)) for run in runs)
        )

    def printed(label: str, table: paper.Table, unit: float) -> Line:
        values = [table.get(method, {}).get(stream) for method in outcomes.methods]
        texts = (_NOTHING if value is None else f"{value / unit:,.0f}" for value in values)
        return Line(label, "paper", tuple(map(Cell, texts)))

    lines = [
        line("kappa-temporal", _kappa_temporal),
        line("size KB", lambda run: _short(size(run) / _KB)),
    ]
    if with_paper and stream in paper.STREAMS:
        lines.append(printed("size KB, paper", paper.SIZE, _KB))
    lines.append(line("time s", lambda run: _short(seconds(run))))
    if with_paper and stream in paper.STREAMS:
        lines.append(printed("time s, paper", paper.SECONDS, 1))
    return lines


def _kappa_temporal(run: Record) -> str:
    value = run.metrics.get("kappa_temporal")
    return _NOTHING if value is None else decimals(value)


def _short(value: float) -> str:
    """Whole numbers from ten on, else one or two digits behind the point."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _dropped_table(outcomes: Outcomes) -> Table:
    return Table(
        "dropped",
        "Runs that do not count",
        "By cause: above the limit of time or of memory, a process that died (crash), an exception "
        "(error), or stopped by hand.",
        outcomes.methods,
        tuple(
            Group(stream, "", tuple(_dropped_lines(outcomes, stream)))
            for stream in outcomes.streams
            if any(stream == name for _, name in outcomes.dropped)
        ),
    )


def _dropped_lines(outcomes: Outcomes, stream: str) -> Iterable[Line]:
    nothing = dict.fromkeys(KINDS, 0)
    for kind in KINDS:
        counts = [
            outcomes.dropped.get((method, stream), nothing)[kind] for method in outcomes.methods
        ]
        if any(counts):
            yield Line(kind, "ours", tuple(Cell(str(n) if n else "") for n in counts))
    runs = (len(outcomes.runs(method, stream)) for method in outcomes.methods)
    yield Line("runs that count", "more", tuple(Cell(str(n)) for n in runs))
