"""The tables of the paper from the runs of a study, each number beside the printed one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from shrubs.analysis import paper_numbers as paper
from shrubs.analysis.comparison import (
    BestUnder,
    Comparison,
    agrees,
    best_under_budgets,
    compared_areas,
    compared_log_areas,
)
from shrubs.analysis.study import CAUSES, Outcomes, seconds, size
from shrubs.report.tables.comparison import Cell, Group, Line, Table
from shrubs.report.units import decimals, percent
from shrubs.results import Record

__all__ = ["ACCURACY", "AREA", "Quantity", "stream_length", "tables"]

_NOTHING = "\N{EN DASH}"
_KB = 1024


@dataclass(frozen=True)
class Quantity:
    """How a kind of number is called and written, and how the tolerance is said."""

    label: str
    tolerance: str
    text: Callable[[float], str]
    difference: Callable[[float], str]


def _signed(value: float, digits: int) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(value):.{digits}f}"


AREA = Quantity("area", "0.005", "{:.4f}".format, lambda value: _signed(value, 4))
ACCURACY = Quantity("accuracy %", "0.5 points", percent, lambda value: _signed(100 * value, 2))


def tables(outcomes: Outcomes) -> list[Table]:
    """Areas, best accuracies under every budget, and what was dropped."""
    found = [_area_table(outcomes), _log_area_table(outcomes)]
    found += [_best_table(outcomes, best) for best in best_under_budgets(outcomes)]
    if outcomes.dropped:
        found.append(_dropped_table(outcomes))
    return found


def _area_table(outcomes: Outcomes) -> Table:
    found = compared_areas(outcomes)
    return _table(
        outcomes,
        "apf",
        "Area under the Pareto front",
        "Mean running accuracy over mean size, up to 204,800 KB; larger is better. "
        f"{_how_compared(found, AREA)}",
        lambda stream: _compared_lines(outcomes, stream, found, AREA),
    )


def _log_area_table(outcomes: Outcomes) -> Table:
    found = compared_log_areas(outcomes)
    return _table(
        outcomes,
        "apf-log",
        "Area under the Pareto front, logarithmic size",
        "The same with size on a logarithmic axis from 1 KB to 204,800 KB, where every doubling "
        "weighs the same. The paper does not print it.",
        lambda stream: _compared_lines(outcomes, stream, found, AREA),
    )


def _best_table(outcomes: Outcomes, best: BestUnder) -> Table:
    is_free = best.budget == "no limit"
    return _table(
        outcomes,
        "best" if is_free else f"best-{best.budget.replace(' ', '-').lower()}",
        "Best accuracy without a limit" if is_free else f"Best accuracy under {best.budget}",
        "Mean running accuracy of the best configuration, with its kappa-temporal (the share of "
        "the errors of no-change that it avoids), its mean size and, where it was kept, its "
        "time to predict and learn. "
        f"{_how_compared(best.accuracies, ACCURACY)}",
        lambda stream: [
            *_compared_lines(outcomes, stream, best.accuracies, ACCURACY),
            *_more_lines(outcomes, stream, best, with_paper=is_free),
        ],
    )


def _table(
    outcomes: Outcomes,
    name: str,
    title: str,
    caption: str,
    lines: Callable[[str], Iterable[Line]],
) -> Table:
    """With a group of lines for every stream."""
    groups = (Group(s, stream_length(outcomes, s), tuple(lines(s))) for s in outcomes.streams)
    return Table(name, title, caption, outcomes.methods, tuple(groups))


def stream_length(outcomes: Outcomes, stream: str) -> str:
    """How many examples were run, and of how many."""
    n, whole = outcomes.lengths.get(stream, 0), paper.LENGTHS.get(stream)
    if whole is None or n >= whole:
        return f"{n:,} examples"
    return f"{n:,} of {whole:,} examples" if n else "no run counts"


def _how_compared(found: Comparison, what: Quantity) -> str:
    if not found.printed:
        return "The paper prints no table for this budget."
    text = (
        f"= means within {what.tolerance} of the printed number; differences are ours minus "
        "the paper's."
    )
    if found.n_compared:
        text += f" {found.n_agreeing} of {found.n_compared} agree."
    if found.prefixes:
        text += (
            " Where fewer examples were run than in the paper, numbers are not comparable in the "
            "strict sense: the difference stands in brackets and is not counted."
        )
    return text + " The paper's SE pools shrub ensembles with windowed trees (WT)."


def _compared_lines(
    outcomes: Outcomes, stream: str, found: Comparison, what: Quantity
) -> list[Line]:
    """Our numbers, and where the paper prints some, its numbers and what lies between."""
    places = [(method, stream) for method in outcomes.methods]
    ours = Line(what.label, "ours", _best_marked([found.ours.get(at) for at in places], what))
    printed = [found.printed.get(at) for at in places]
    if not any(value is not None for value in printed):
        return [ours]
    is_prefix = stream in found.prefixes
    between = tuple(_difference(found.difference(*at), what, is_prefix) for at in places)
    return [
        ours,
        Line("paper", "paper", _best_marked(printed, what)),
        Line("difference", "difference", between),
    ]


def _best_marked(values: Sequence[float | None], what: Quantity) -> tuple[Cell, ...]:
    highest = max((value for value in values if value is not None), default=None)
    return tuple(
        Cell(_NOTHING)
        if value is None
        else Cell(what.text(value), "best" if value == highest else "")
        for value in values
    )


def _difference(value: float | None, what: Quantity, is_prefix: bool) -> Cell:
    if value is None:
        return Cell("")
    text = "=" if agrees(value) else what.difference(value)
    return Cell(f"({text})") if is_prefix else Cell(text, "agrees" if agrees(value) else "differs")


def _more_lines(
    outcomes: Outcomes, stream: str, best: BestUnder, *, with_paper: bool
) -> list[Line]:
    """Kappa-temporal, size and, where it was kept, time of the best runs."""
    runs = [best.runs.get((method, stream)) for method in outcomes.methods]

    def line(label: str, text: Callable[[Record], str]) -> Line:
        cells = (Cell(_NOTHING if run is None else text(run)) for run in runs)
        return Line(label, "more", tuple(cells))

    def printed(label: str, numbers: paper.Numbers, unit: float) -> list[Line]:
        if not with_paper or stream not in paper.STREAMS:
            return []
        values = [numbers.get(method, {}).get(stream) for method in outcomes.methods]
        texts = (_NOTHING if value is None else f"{value / unit:,.0f}" for value in values)
        return [Line(label, "paper", tuple(map(Cell, texts)))]

    shown = [
        line("kappa-temporal", _kappa_temporal),
        line("size KB", lambda run: _short(size(run) / _KB)),
        *printed("size KB, paper", paper.SIZE, _KB),
    ]
    if any(run is not None and seconds(run) for run in runs):
        shown += [
            line("time s", lambda run: _short(seconds(run))),
            *printed("time s, paper", paper.SECONDS, 1),
        ]
    return shown


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
    nothing = dict.fromkeys(CAUSES, 0)
    dropped = [outcomes.dropped.get((method, stream), nothing) for method in outcomes.methods]
    for cause in CAUSES:
        counts = [of_method[cause] for of_method in dropped]
        if any(counts):
            yield Line(cause, "ours", tuple(Cell(str(n) if n else "") for n in counts))
    runs = (len(outcomes.runs(method, stream)) for method in outcomes.methods)
    yield Line("runs that count", "more", tuple(Cell(str(n)) for n in runs))
