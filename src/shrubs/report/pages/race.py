"""The page about any runs, and its figures as files: an answer and a table for every stream."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shrubs.analysis.fronts import memory_front
from shrubs.analysis.lead import MAX_STRETCHES
from shrubs.analysis.runs import StreamRuns, arrange
from shrubs.analysis.traces import MAX_POINTS
from shrubs.report.columns import ACCURACIES_EXPLAINED, columns
from shrubs.report.escape import prose
from shrubs.report.figures import Figure, bands, lines, matrices, memory_points
from shrubs.report.files import FORMATS, save_figures
from shrubs.report.importances import importances
from shrubs.report.legend import Legend
from shrubs.report.origin import origin_of
from shrubs.report.page.shell import (
    card,
    command_box,
    figure_data,
    fill_page,
    scrolling,
    tiles,
    write_page,
)
from shrubs.report.stream import balance, columns_read, keeping_command
from shrubs.report.summary import drifts_at_a_glance, drifts_in_words, facts, headline, sentence
from shrubs.report.tables.overview import overview_table
from shrubs.report.tables.results import html_table
from shrubs.report.units import number
from shrubs.results import Record

__all__ = ["MAX_BYTES", "write_figures", "write_html"]

MAX_BYTES = 3_000_000
"""Small enough to mail."""

MAX_DRIFTS = 8
"""That are told in words."""

MAX_LINES = 30
"""Of a stream with more runs, only the best of each learner is drawn over time."""


_EXPLAINED = {
    "classification": ACCURACIES_EXPLAINED,
    "regression": "The mean absolute error is how far off predictions are on average, in the units "
    "of the target; the less the better.",
}
_WORDS = {
    "\N{PLUS-MINUS SIGN} behind a lead": "half of its 95 % interval: the stream is cut into at "
    f"most {MAX_STRETCHES} equal stretches, and Student's interval is taken of the mean difference "
    "between both learners in a stretch; it is about this stream, not about others",
    "drift": "a change of what is to be learned: known from how the stream was made, noticed by a "
    "learner without tuning, or detected by HDDM-A where the errors of another begin to rise",
}
_RECENT = (
    '<p class="caption">Recent is over the last 1,000 examples, so recovery is seen up to 1,000 '
    "examples late; positions are those of the trace.</p>"
)


@dataclass(frozen=True)
class _Detail:
    """How much is shown; a note tells the reader what is left out."""

    max_points: int = MAX_POINTS
    max_lives: int = 100
    only_best: bool = False
    note: str = ""


_ONLY_BEST = "There are many runs: this page shows the best of each learner per stream"
_DETAILS = (
    _Detail(),
    _Detail(max_lives=1, note="The life of the ensemble is shown for the best run of each stream."),
    _Detail(max_lives=1, only_best=True, note=f"{_ONLY_BEST}."),
    _Detail(60, max_lives=1, only_best=True, note=f"{_ONLY_BEST}, coarsely."),
)


def write_html(
    records: Iterable[Record], path: str | os.PathLike[str], *, command: str = ""
) -> None:
    """Write one self-contained page about all runs, at most 3 MB where that is possible.

    Args:
        records: of any streams and tasks; see `shrubs.results.read`.
        path: the file to write.
        command: what made this page, shown on it.
    """
    streams = arrange(records)
    for detail in _DETAILS:
        page = _page(streams, command, detail)
        if len(page) <= MAX_BYTES:
            break
    write_page(Path(path), page)


def write_figures(
    records: Iterable[Record],
    directory: str | os.PathLike[str],
    *,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Write every figure of every stream; returns the files, named ``stream-figure.format``.

    Args:
        records: see `shrubs.results.read`.
        directory: made if it does not exist.
        formats: any of "png", "svg" and "pdf".
    """
    streams = arrange(records)
    legend = _legend(streams)
    named = [(runs.title, figure) for runs in streams for figure in _figures(runs, runs, legend)]
    return save_figures(named, directory, formats=formats)


def _legend(streams: Iterable[StreamRuns]) -> Legend:
    return Legend.of(sorted({run.learner for runs in streams for run in runs.runs}))


def _figures(
    runs: StreamRuns, drawn: StreamRuns, legend: Legend, detail: _Detail = _DETAILS[0]
) -> list[Figure]:
    """All figures of a stream; only the runs in ``drawn`` have figures of their own."""
    front = memory_front(runs)
    return [
        *lines(drawn, legend, detail.max_points),
        *([] if front is None else [memory_points(front, legend)]),
        *matrices(drawn, legend),
        *bands(drawn, legend, detail.max_points)[: detail.max_lives],
    ]


def _page(streams: Sequence[StreamRuns], command: str, detail: _Detail) -> bytes:
    if detail.only_best:
        streams = [runs.best_of_each() for runs in streams]
    legend = _legend(streams)
    named = {f"stream-{i}": runs for i, runs in enumerate(streams)}
    overview = _overview(named) if len(named) > 1 else ""
    return fill_page(
        {at: _stream_data(runs, legend, detail) for at, runs in named.items()},
        kind="race",
        title=headline(streams),
        lead=_lead(streams),
        links=[
            *([("overview", "Overview")] if overview else []),
            *((at, runs.title) for at, runs in named.items()),
        ],
        command=command,
        notes=(*(_EXPLAINED[task] for task in sorted({r.task for r in streams})), detail.note),
        sections=overview + "".join(_section(at, runs, command) for at, runs in named.items()),
        glossary={
            **{c.heading: c.explanation for runs in streams for c in columns(runs.task)},
            **_WORDS,
        },
        origin=origin_of(run.record for runs in streams for run in runs.runs),
    )


def _overview(named: Mapping[str, StreamRuns]) -> str:
    table = overview_table(list(named.values()), list(named))
    return (
        '<section class="stream" id="overview"><h2>All streams</h2>'
        f"{card('Learners and streams', scrolling(table), 'wide')}</section>"
    )


def _stream_data(runs: StreamRuns, legend: Legend, detail: _Detail) -> dict[str, Any]:
    crowded = len(runs.runs) > MAX_LINES
    figures = _figures(runs, runs.best_of_each() if crowded else runs, legend, detail)
    note = "the best run of each learner" if crowded else ""
    return figure_data(figures, [legend.entry(run) for run in runs.runs], note=note)


def _lead(streams: Sequence[StreamRuns]) -> str:
    n_runs = sum(len(runs.runs) for runs in streams)
    n_learners = len({run.learner for runs in streams for run in runs.runs})
    return (
        f"{number(n_runs, 'run')} of {number(n_learners, 'learner')} on "
        f"{number(len(streams), 'stream')}. Every example was predicted first, then learned."
    )


def _section(at: str, runs: StreamRuns, command: str) -> str:
    kind = f"{len(runs.classes)} classes" if runs.task == "classification" else "regression"
    return (
        f'<section class="stream" id="{at}">'
        f'<header><p class="kind">{html.escape(kind)}</p><h2>{html.escape(runs.title)}</h2>'
        f'<p class="answer">{prose(_answer(runs))}</p></header>'
        f'{tiles(facts(runs))}{_keeping(runs, command)}<div class="figures">{_about(runs)}</div>'
        f"{card('All numbers', scrolling(html_table(runs)), 'wide')}</section>"
    )


def _answer(runs: StreamRuns) -> str:
    return " ".join(filter(None, (sentence(runs), drifts_at_a_glance(runs))))


def _keeping(runs: StreamRuns, command: str) -> str:
    keeping = keeping_command(runs, command)
    if not keeping:
        return ""
    return f'<p class="keep">Keep a model of this stream:</p>{command_box(keeping)}'


def _about(runs: StreamRuns) -> str:
    """What the stream is made of, and its drifts in words."""
    read = columns_read(runs)
    made_of = balance(runs) + (f'<p class="caption">{html.escape(read)}</p>' if read else "")
    drifts = drifts_in_words(runs)
    listed = "".join(f"<li>{prose(text)}</li>" for text in drifts[:MAX_DRIFTS])
    more = len(drifts) - MAX_DRIFTS
    rest = f"<p>And {number(more, 'more drift')}.</p>" if more > 0 else ""
    said = f"<p>{html.escape(runs.best.label)}, the best:</p><ul>{listed}</ul>{rest}"
    cards = {
        "Drifts": said + _RECENT if drifts else "",
        "Which features mattered": importances(runs),
        "The data": made_of,
    }
    shown = {title: body for title, body in cards.items() if body}
    alone = [title for title in shown if len(shown) % 2][-1:]
    return "".join(card(t, body, "wide" if t in alone else "") for t, body in shown.items())
