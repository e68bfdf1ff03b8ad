"""The figures of a study: the best run of each method over the stream, fronts, diagrams."""

from __future__ import annotations

import functools
from dataclasses import replace

from shrubs.analysis import paper_tables as paper
from shrubs.analysis.apf import log_apf
from shrubs.analysis.differences import Differences, differences
from shrubs.analysis.pareto import pareto_front
from shrubs.report.critical_difference import Diagram, critical_difference
from shrubs.report.curves import accuracy_curves, memory_curve
from shrubs.report.figure import Axis, Figure, Points
from shrubs.report.runs import Run, StreamRuns
from shrubs.report.static import slug
from shrubs.report.study.comparison import areas
from shrubs.report.study.outcomes import Outcomes, accuracy, size
from shrubs.report.theme import styles
from shrubs.results import Record

__all__ = [
    "best_of_each",
    "compare_areas",
    "compare_printed",
    "compared_streams",
    "diagrams",
    "fronts",
    "static_figures",
]


def best_of_each(outcomes: Outcomes, stream: str) -> StreamRuns | None:
    """The best run of each method on a stream, the best first; None if no run counts."""
    best = []
    for method in outcomes.methods:
        runs = outcomes.runs(method, stream)
        if runs:
            best.append(_run(outcomes, method, max(runs, key=accuracy)))
    best.sort(key=lambda run: -accuracy(run.record))
    return StreamRuns(stream, "classification", tuple(best)) if best else None


def fronts(outcomes: Outcomes, stream: str) -> Points:
    """Every configuration by size and accuracy, and the front of each method."""
    runs: list[Run] = []
    own: list[tuple[int, ...]] = []
    for method in outcomes.methods:
        records = outcomes.runs(method, stream)
        if records:
            front = pareto_front([size(r) for r in records], [accuracy(r) for r in records])
            own.append(tuple(len(runs) + i for i in front))
            runs += [_run(outcomes, method, record) for record in records]
    values = tuple((size(run.record), accuracy(run.record)) for run in runs)
    common = pareto_front([x for x, _ in values], [y for _, y in values])
    return Points(
        name="front",
        title="Accuracy against size",
        x=Axis("mean size", "bytes", log=True),
        y=Axis("mean running accuracy", "share"),
        runs=tuple(runs),
        values=values,
        front=tuple(common),
        better="higher",
        fronts=tuple(own),
    )


def _run(outcomes: Outcomes, method: str, record: Record) -> Run:
    """Called and drawn as its method; of methods that share a colour only the first is solid."""
    looks = _looks(outcomes.methods)
    shared = [name for name in outcomes.methods if looks[name].slot == looks[method].slot]
    return Run(record, "", looks[method], shared.index(method), name=method)


_looks = functools.cache(styles)


def compared_streams(outcomes: Outcomes) -> list[str]:
    """The streams on which every method was tried; only those can be ranked."""
    return [
        stream
        for stream in outcomes.streams
        if all(outcomes.was_tried(method, stream) for method in outcomes.methods)
    ]


def compare_areas(outcomes: Outcomes, *, log: bool = False) -> Differences | None:
    """The methods by the area under their fronts; None if there is too little to rank."""
    streams = compared_streams(outcomes)
    if len(outcomes.methods) < 3 or len(streams) < 2:
        return None
    found = areas(outcomes, log_apf) if log else areas(outcomes)
    return differences(
        {method: [found[method, stream] for stream in streams] for method in outcomes.methods}
    )


def compare_printed() -> Differences:
    """The methods of the paper by its printed areas; no model means no area."""
    return differences(
        {
            method: [column.get(stream, 0.0) for stream in paper.STREAMS]
            for method, column in paper.APF.items()
        }
    )


def diagrams(outcomes: Outcomes) -> list[Diagram]:
    """Ours, the paper's from its printed areas, and ours by the logarithmic area."""
    compared = (
        ("ours", "This study, by area under the front", compare_areas(outcomes)),
        ("paper", "The paper, from its printed areas", compare_printed()),
        (
            "ours-log",
            "This study, by area with logarithmic size",
            compare_areas(outcomes, log=True),
        ),
    )
    return [
        critical_difference(f"critical-difference-{name}", title, found)
        for name, title, found in compared
        if found is not None
    ]


def static_figures(outcomes: Outcomes) -> list[tuple[str, Figure]]:
    """For every stream the paper's three figures, with the names of their files."""
    named: list[tuple[str, Figure]] = []
    for stream in outcomes.streams:
        runs = best_of_each(outcomes, stream)
        if runs is None:
            continue
        curves = [curve for curve in accuracy_curves(runs) if curve.name == "accuracy"]
        shown = [*curves, memory_curve(runs), fronts(outcomes, stream)]
        for figure in shown:
            if figure is not None:
                titled = replace(figure, title=f"{stream}: {figure.title.lower()}")
                named.append((f"{slug(stream)}-{figure.name}", titled))
    return named
