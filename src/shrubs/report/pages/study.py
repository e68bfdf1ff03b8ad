"""The report of a study: the paper's tables and figures from its runs, beside the printed ones."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shrubs import results
from shrubs.analysis import paper_numbers as paper
from shrubs.analysis.comparison import Comparison, best_under_budgets, compared_areas
from shrubs.analysis.runs import Run, StreamRuns
from shrubs.analysis.scores import no_change
from shrubs.analysis.study import (
    CAUSES,
    Outcomes,
    accuracy,
    best_of_each,
    compare_areas,
    compare_areas_everywhere,
    compare_printed,
    method_fronts,
    size,
)
from shrubs.report.columns import ACCURACIES_EXPLAINED, columns
from shrubs.report.escape import prose
from shrubs.report.figures import Figure, diagram, lines, method_points
from shrubs.report.figures.diagram import Diagram
from shrubs.report.figures.lines import Lines
from shrubs.report.figures.points import Points
from shrubs.report.files import save_figures
from shrubs.report.legend import Legend
from shrubs.report.methods import METHODS
from shrubs.report.origin import origin_of
from shrubs.report.page.shell import (
    card,
    figure_data,
    fill_page,
    folded,
    scrolling,
    tiles,
    write_page,
)
from shrubs.report.summary import Fact
from shrubs.report.tables.comparison import (
    Table,
    latex_document,
    to_html,
    to_latex,
    to_markdown,
)
from shrubs.report.tables.results import html_table
from shrubs.report.tables.study import ACCURACY, AREA, Quantity, stream_length, tables
from shrubs.report.units import memory, number, percent

__all__ = ["diagrams", "write_study_report"]

_MAX_POINTS = 120
"""Of each curve on the page: a study has many."""

_WORDS = {
    "area under the front": "the area under the Pareto front of accuracy over size, divided by the "
    "largest size; 1 would be a perfect model without size",
    "front": "the configurations of a method that no other of its configurations beats in both "
    "accuracy and size",
    "average rank": "the mean over the streams of a method's place; 1 is always first",
    "prefix": "a shorter stream than in the paper: the beginning of a real one, or a synthetic one "
    "with its drifts closer together; its numbers are not comparable with those of the whole",
}


def write_study_report(
    directory: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    page: str = "report.html",
    command: str = "",
    figures: bool = True,
) -> list[Path]:
    """Write the report of a study; returns the files.

    It reads the study's records and ``study.toml`` (shown on the page, if it is there) and writes
    ``report.html``, ``tables/*.md``, ``.tex`` and ``.html``, and ``figures/*.svg``, ``.png`` and
    ``.pdf`` (these need matplotlib).

    Args:
        directory: of the study.
        output: the directory to write to, that of the study if not given.
        page: what to call the page there.
        command: what made the report, shown on it.
        figures: whether to draw the files for papers; the page has its own figures.
    """
    source = Path(directory)
    folder = source if output is None else Path(output)
    records = results.read(source)
    outcomes = Outcomes.of(records)
    shown, drawn = tables(outcomes), diagrams(outcomes)
    definition = source / "study.toml"
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    filled = _page(
        outcomes,
        shown,
        drawn,
        name=source.resolve().name,
        command=command,
        origin=origin_of(records),
        definition=definition.read_text("utf-8", "replace") if definition.exists() else "",
    )
    written = [folder / page]
    write_page(written[0], filled)
    for table in shown:
        for kind, text in (("md", to_markdown), ("tex", to_latex), ("html", to_html)):
            written.append(folder / "tables" / f"{table.name}.{kind}")
            written[-1].write_text(text(table), encoding="utf-8")
    written.append(folder / "tables" / "all.tex")
    written[-1].write_text(latex_document(shown), encoding="utf-8")
    if figures:
        named = [*_stream_figures(outcomes), *(("", each) for each in drawn)]
        written += save_figures(named, folder / "figures")
    return written


def diagrams(outcomes: Outcomes) -> list[Diagram]:
    """Ours, the paper's from its printed areas, and ours by the logarithmic area.

    Where methods were not tried on every stream, also those that were.
    """
    ours, everywhere = compare_areas(outcomes), compare_areas_everywhere(outcomes)
    compared = (
        ("ours", "This study, by area under the front", ours),
        (
            "everywhere",
            "This study, the methods that were run on every stream",
            None if everywhere == ours else everywhere,
        ),
        ("paper", "The paper, from its printed areas", compare_printed()),
        (
            "ours-log",
            "This study, by area with logarithmic size",
            compare_areas(outcomes, log=True),
        ),
    )
    return [
        diagram(f"critical-difference-{name}", title, found)
        for name, title, found in compared
        if found is not None
    ]


def _stream_figures(outcomes: Outcomes) -> list[tuple[str, Figure]]:
    """For every stream the paper's three figures."""
    legend = Legend.of(outcomes.methods)
    named: list[tuple[str, Figure]] = []
    for stream in outcomes.streams:
        runs = best_of_each(outcomes, stream)
        if runs is not None:
            shown: list[Lines | Points] = [
                each for each in lines(runs, legend) if each.name in ("accuracy", "memory")
            ]
            shown.append(method_points(method_fronts(outcomes, stream), legend))
            for figure in shown:
                titled = replace(figure, title=f"{stream}: {figure.title.lower()}")
                named.append((stream, titled))
    return named


def _page(
    outcomes: Outcomes,
    shown: Sequence[Table],
    drawn: Sequence[Diagram],
    *,
    name: str,
    command: str,
    origin: str,
    definition: str,
) -> bytes:
    legend = Legend.of(outcomes.methods)
    found = filter(None, (best_of_each(outcomes, stream) for stream in outcomes.streams))
    streams = {f"stream-{i}": runs for i, runs in enumerate(found)}
    data = {"diagrams": figure_data(drawn)}
    for at, runs in streams.items():
        front = method_points(method_fronts(outcomes, runs.title), legend)
        data[at] = figure_data(
            [*lines(runs, legend, _MAX_POINTS), front],
            [legend.entry(run) for run in runs.runs],
            note="the best configuration of each method",
        )
    sections = [
        _overview(outcomes),
        _tables(shown),
        _definition(definition),
        *(
            _stream_section(at, runs, outcomes, is_open=i == 0)
            for i, (at, runs) in enumerate(streams.items())
        ),
    ]
    words = {column.heading: column.explanation for column in columns("classification")}
    return fill_page(
        data,
        kind="study",
        title=_headline(outcomes, name),
        lead=_lead(outcomes),
        links=[
            ("diagrams", "Ranks"),
            ("tables", "Tables"),
            *((at, runs.title) for at, runs in streams.items()),
        ],
        command=command,
        notes=(_prefix_note(outcomes), ACCURACIES_EXPLAINED),
        sections="".join(sections),
        glossary={**_WORDS, **words},
        origin=origin,
    )


def _headline(outcomes: Outcomes, name: str) -> str:
    found = compare_areas(outcomes)
    if found is None:
        return f"Study {name}"
    if len(found.leaders) > 1:
        return f"{' and '.join(found.leaders)} share the best rank"
    return (
        f"{found.leaders[0]} ranks first: {found.ranks[0]:.2f} on average among "
        f"{len(found.methods)} methods"
    )


def _lead(outcomes: Outcomes) -> str:
    text = (
        f"{number(outcomes.n_counted, 'run')} of {number(len(outcomes.methods), 'method')} on "
        f"{number(len(outcomes.streams), 'stream')}"
    )
    dropped = outcomes.n_dropped
    if dropped:
        causes = ", ".join(f"{cause} {dropped[cause]}" for cause in CAUSES if dropped[cause])
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


def _overview(outcomes: Outcomes) -> str:
    n_dropped = sum(outcomes.n_dropped.values())
    free, *_ = best_under_budgets(outcomes)
    shown = [
        Fact(f"{outcomes.n_counted:,}", "", "runs that count", f"{n_dropped:,} dropped"),
        Fact(str(len(outcomes.streams)), "", "streams", f"{len(outcomes.methods)} methods"),
        _agreement("best accuracies", free.accuracies, ACCURACY),
        _agreement("areas", compared_areas(outcomes), AREA),
    ]
    return (
        f'{tiles(shown)}<section id="diagrams"><div class="figures">{_paper_says()}'
        f"{_methods(outcomes)}</div></section>"
    )


def _methods(outcomes: Outcomes) -> str:
    """What the labels stand for; of others, the learner that the registry knows."""
    learners = {runs[0].label: runs[0].learner for runs in outcomes.counted.values()}
    names = {label: METHODS.get(label, learners.get(label, "")) for label in outcomes.methods}
    items = "".join(
        f"<dt>{html.escape(label)}</dt><dd>{html.escape(name)}</dd>"
        for label, name in names.items()
    )
    return card("The methods", f"<dl>{items}</dl>", "wide")


def _paper_says() -> str:
    """The ranking and the cliques of the paper's text, and which follow from its numbers."""
    found = compare_printed()
    same = "as" if found.methods == paper.RANKING else "unlike"
    cliques = "".join(
        f"<li>{html.escape(', '.join(clique))}: "
        f"{'follows' if clique in found.cliques else 'does not follow'} from its numbers</li>"
        for clique in paper.CLIQUES
    )
    return card(
        "What the paper says",
        f"<p>It ranks {html.escape(', '.join(paper.RANKING))}, {same} its printed areas do, and "
        f"calls three groups statistically similar:</p><ul>{cliques}</ul>"
        '<p class="caption">It joins HT with SDT, though SDT is below HT on every stream: no '
        "p-value can be smaller than that of this pair, so no test that joins it could part any "
        "other. SE has the largest printed area on 6 streams; the seventh mark, on led_g, belongs "
        "to SB.</p>",
    )


def _agreement(what: str, found: Comparison, quantity: Quantity) -> Fact:
    if not found.n_compared:
        return Fact("\N{EN DASH}", "", f"{what} as printed", "prefixes are not compared")
    within = f"within {quantity.tolerance} of the paper"
    return Fact(str(found.n_agreeing), f"of {found.n_compared}", f"{what} as printed", within)


def _tables(tables: Sequence[Table]) -> str:
    cards = "".join(
        folded(
            table.title,
            f'<p class="caption">{html.escape(table.caption)}</p>{scrolling(to_html(table))}',
            is_open=i == 0,
        )
        for i, table in enumerate(tables)
    )
    return f'<section id="tables" class="stack">{cards}</section>'


def _definition(text: str) -> str:
    if not text:
        return ""
    return folded("The study's file", f"<pre>{html.escape(text)}</pre>")


def _stream_section(at: str, runs: StreamRuns, outcomes: Outcomes, *, is_open: bool) -> str:
    settings = "".join(f"<li>{html.escape(_settings(run))}</li>" for run in runs.runs)
    body = (
        f"{scrolling(html_table(runs))}"
        f"<details><summary>Their settings</summary><ul>{settings}</ul></details>"
    )
    return (
        f'<section class="stream" id="{at}"><details{" open" if is_open else ""}><summary>'
        f'<header><p class="kind">{stream_length(outcomes, runs.title)}</p>'
        f"<h2>{html.escape(runs.title)}</h2>"
        f'<p class="answer">{prose(_answer(runs))}</p></header></summary>'
        f'<div class="figures"></div>'
        f"{card('The best configuration of each method', body, 'wide')}</details></section>"
    )


def _settings(run: Run) -> str:
    chosen = json.dumps(dict(run.record.configuration), default=str)
    return f"{run.label}: {run.record.learner} {chosen}"


def _answer(runs: StreamRuns) -> str:
    """Who is best here, how no-change compares, and what the paper found."""
    best = runs.best
    text = (
        f"{best.label} is best: {percent(accuracy(best.record))} % mean running accuracy with "
        f"{memory(size(best.record))} on average."
    )
    last_label = next((run for run in runs.runs if run.is_no_change), None)
    implied = no_change(runs)
    if last_label is not None and last_label is not best:
        text += f" Predicting the last label again gets {percent(accuracy(last_label.record))} %."
    elif last_label is None and implied is not None:
        text += f" No-change was not run; it would be right on {percent(implied)} % of all."
    winner = paper.most_accurate(runs.title)
    if winner is not None:
        printed = percent(paper.ACCURACY[winner][runs.title])
        text += f" In the paper {winner} is best with {printed} %."
    return text
