"""The page about a study: the answer, tables beside the paper's, diagrams, every stream."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

from shrubs.analysis import paper_tables as paper
from shrubs.report import payload
from shrubs.report.columns import ACCURACIES_EXPLAINED, columns
from shrubs.report.critical_difference import Diagram
from shrubs.report.curves import accuracy_curves, memory_curve
from shrubs.report.runs import Run, StreamRuns
from shrubs.report.shell import fill_page, tiles
from shrubs.report.study.comparison import ACCURACY, AREA, Quantity, agreement, areas, best_runs
from shrubs.report.study.figures import best_of_each, compare_areas, compare_printed, fronts
from shrubs.report.study.outcomes import KINDS, Outcomes, accuracy, size
from shrubs.report.study.table import Table, to_html
from shrubs.report.summary import Fact
from shrubs.report.tables import html_table, implied_no_change
from shrubs.report.theme import AGES, DASHES
from shrubs.report.units import memory, number, percent

__all__ = ["study_page"]

_POINTS = 120
"""Of each curve: a study has many."""

_WORDS = {
    "area under the front": "the area under the Pareto front of accuracy over size, divided by the "
    "largest size; 1 would be a perfect model without size",
    "front": "the configurations of a method that no other of its configurations beats in both "
    "accuracy and size",
    "average rank": "the mean over the streams of a method's place; 1 is always first",
    "prefix": "a shorter stream than in the paper: the beginning of a real one, or a synthetic one "
    "with its drifts closer together; its numbers are not comparable with those of the whole",
}


def study_page(
    outcomes: Outcomes,
    tables: Sequence[Table],
    diagrams: Sequence[Diagram],
    *,
    name: str,
    command: str = "",
    definition: str = "",
) -> bytes:
    """The page; ``definition`` is the text of the study's file."""
    streams = [
        (runs, i)
        for i, stream in enumerate(outcomes.streams)
        if (runs := best_of_each(outcomes, stream)) is not None
    ]
    data = {
        "dashes": DASHES,
        "nAges": len(AGES),
        "streams": [_stream_data(outcomes, runs) for runs, _ in streams],
        "diagrams": [payload.diagram(diagram) for diagram in diagrams],
    }
    sections = [
        _overview(outcomes, diagrams),
        _tables(tables),
        _definition(definition),
        *(_stream_section(number, runs, outcomes) for number, (runs, _) in enumerate(streams)),
    ]
    links = [("diagrams", "Ranks"), ("tables", "Tables")]
    links += [(f"stream-{number}", runs.title) for number, (runs, _) in enumerate(streams)]
    words = {c.heading: c.explanation for runs, _ in streams[:1] for c in columns(runs)}
    return fill_page(
        data,
        title=_headline(outcomes, name),
        lead=_lead(outcomes),
        navigation="".join(f'<a href="#{at}">{html.escape(text)}</a>' for at, text in links),
        command=command,
        notes=(_prefix_note(outcomes), ACCURACIES_EXPLAINED),
        sections="".join(sections),
        glossary={**_WORDS, **words},
        versions=outcomes.versions,
    )


def _headline(outcomes: Outcomes, name: str) -> str:
    found = compare_areas(outcomes)
    if found is None:
        return f"Study {name}"
    tied = [
        method
        for method, rank in zip(found.methods, found.ranks, strict=True)
        if rank == found.ranks[0]
    ]
    if len(tied) > 1:
        return f"{' and '.join(tied)} share the best rank"
    return (
        f"{tied[0]} ranks first: {found.ranks[0]:.2f} on average among {len(found.methods)} methods"
    )


def _lead(outcomes: Outcomes) -> str:
    text = (
        f"{number(outcomes.n_counted, 'run')} of {number(len(outcomes.methods), 'method')} on "
        f"{number(len(outcomes.streams), 'stream')}"
    )
    dropped = outcomes.n_dropped
    if dropped:
        causes = ", ".join(f"{kind} {dropped[kind]}" for kind in KINDS if dropped[kind])
        text += f"; {number(sum(dropped.values()), 'more run')} dropped ({causes})"
    return f"{text}. Every number stands beside the one that the paper prints."


def _prefix_note(outcomes: Outcomes) -> str:
    short = [stream for stream in outcomes.streams if outcomes.is_prefix(stream)]
    if not short:
        return ""
    which = "all streams" if len(short) == len(outcomes.streams) else ", ".join(short)
    return (
        f"The runs on {which} saw fewer examples than those of the paper. Their numbers are not "
        "comparable with the paper's in the strict sense: most learners get better with time, and "
        "drifts are missing or closer together."
    )


def _overview(outcomes: Outcomes, diagrams: Sequence[Diagram]) -> str:
    best = {place: accuracy(run) for place, run in best_runs(outcomes, float("inf")).items()}
    n_dropped = sum(outcomes.n_dropped.values())
    shown = [
        Fact(f"{outcomes.n_counted:,}", "", "runs that count", f"{n_dropped:,} dropped"),
        Fact(str(len(outcomes.streams)), "", "streams", f"{len(outcomes.methods)} methods"),
        _agreement_fact(
            "best accuracies", agreement(outcomes, best, paper.ACCURACY, ACCURACY), ACCURACY
        ),
        _agreement_fact("areas", agreement(outcomes, areas(outcomes), paper.APF, AREA), AREA),
    ]
    cards = "".join(
        f'<figure class="card"><figcaption><h3>{html.escape(diagram.title)}</h3></figcaption>'
        f'<div class="chart" data-diagram="{i}"></div>'
        f'<p class="caption">{html.escape(diagram.caption)}</p></figure>'
        for i, diagram in enumerate(diagrams)
    )
    return f'{tiles(shown)}<section id="diagrams" class="pair">{cards}{_paper_says()}</section>'


def _paper_says() -> str:
    """The ranking and the cliques of the paper's text, and which follow from its numbers."""
    found = compare_printed()
    same = "as" if found.methods == paper.RANKING else "unlike"
    cliques = "".join(
        f"<li>{html.escape(', '.join(clique))}: "
        f"{'follows' if clique in found.cliques else 'does not follow'} from its numbers</li>"
        for clique in paper.CLIQUES
    )
    return (
        '<figure class="card"><figcaption><h3>What the paper says</h3></figcaption>'
        f"<p>It ranks {html.escape(', '.join(paper.RANKING))}, {same} its printed areas do, and "
        f"calls three groups statistically similar:</p><ul>{cliques}</ul>"
        '<p class="caption">It joins HT with SDT, though SDT is below HT on every stream: no '
        "p-value can be smaller than that of this pair, so no test that joins it could part any "
        "other. SE has the largest printed area on 6 streams; the seventh mark, on led_g, belongs "
        "to SB.</p></figure>"
    )


def _agreement_fact(what: str, counts: tuple[int, int], quantity: Quantity) -> Fact:
    n_agreeing, n_compared = counts
    if not n_compared:
        return Fact("\N{EN DASH}", "", f"{what} as printed", "prefixes are not compared")
    within = f"within {quantity.spoken_tolerance} of the paper"
    return Fact(str(n_agreeing), f"of {n_compared}", f"{what} as printed", within)


def _tables(tables: Sequence[Table]) -> str:
    cards = "".join(
        f'<figure class="card long"><figcaption><h3>{html.escape(table.title)}</h3></figcaption>'
        f'<p class="caption">{html.escape(table.caption)}</p>'
        f'<div class="scroll" tabindex="0">{to_html(table)}</div></figure>'
        for table in tables
    )
    return f'<section id="tables" class="stack">{cards}</section>'


def _definition(text: str) -> str:
    if not text:
        return ""
    return (
        '<details class="card"><summary>The study\'s file</summary>'
        f"<pre>{html.escape(text)}</pre></details>"
    )


def _stream_data(outcomes: Outcomes, runs: StreamRuns) -> dict[str, Any]:
    order = payload.positions(runs.runs)
    kept = memory_curve(runs, _POINTS)
    return {
        "legend": payload.legend(runs),
        "note": "the best configuration of each method",
        "curves": [payload.lines(curve, order) for curve in accuracy_curves(runs, _POINTS)],
        "memory": None if kept is None else payload.lines(kept, order),
        "front": payload.points(fronts(outcomes, runs.title), order),
        "matrices": [],
        "lives": [],
    }


def _stream_section(number: int, runs: StreamRuns, outcomes: Outcomes) -> str:
    n = outcomes.lengths[runs.title]
    whole = paper.LENGTHS.get(runs.title)
    kind = f"{n:,} examples" if whole is None or n >= whole else f"{n:,} of {whole:,} examples"
    settings = "".join(f"<li>{html.escape(_settings(run))}</li>" for run in runs.runs)
    return (
        f'<section class="stream" id="stream-{number}" data-stream="{number}">'
        f'<header><p class="kind">{kind}</p><h2>{html.escape(runs.title)}</h2>'
        f'<p class="answer">{html.escape(_answer(runs))}</p></header>'
        '<div class="figures"></div>'
        '<figure class="card wide"><figcaption><h3>The best configuration of each method</h3>'
        f'</figcaption><div class="scroll" tabindex="0">{html_table(runs)}</div>'
        f"<details><summary>Their settings</summary><ul>{settings}</ul></details></figure>"
        "</section>"
    )


def _settings(run: Run) -> str:
    chosen = json.dumps(dict(run.record.configuration), default=str)
    return f"{run.label}: {run.record.learner} {chosen}"


def _answer(runs: StreamRuns) -> str:
    """Who is best here, how no-change compares, and what the paper found."""
    best = runs.runs[0]
    text = (
        f"{best.label} is best: {percent(accuracy(best.record))} % mean running accuracy with "
        f"{memory(size(best.record))} on average."
    )
    no_change = next((run for run in runs.runs if run.label == "NC"), None)
    implied = implied_no_change(runs)
    if no_change is not None and no_change is not best:
        text += f" Predicting the last label again gets {percent(accuracy(no_change.record))} %."
    elif no_change is None and implied is not None:
        text += f" No-change was not run; it would be right on {percent(implied)} % of all."
    printed = {
        method: column[runs.title]
        for method, column in paper.ACCURACY.items()
        if runs.title in column
    }
    if printed:
        method = max(printed, key=lambda name: printed[name])
        text += f" In the paper {method} is best with {percent(printed[method])} %."
    return text
