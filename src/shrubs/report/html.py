"""The page about any runs: an answer, figures and a table for every stream."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shrubs.report import payload
from shrubs.report.columns import ACCURACIES_EXPLAINED, columns
from shrubs.report.confusion import confusion_matrices
from shrubs.report.curves import accuracy_curves, memory_curve
from shrubs.report.ensemble_life import ensemble_lives
from shrubs.report.fronts import memory_front
from shrubs.report.runs import StreamRuns, arrange
from shrubs.report.shell import fill_page, tiles
from shrubs.report.summary import facts, headline, sentence
from shrubs.report.tables import html_table
from shrubs.report.theme import AGES, DASHES
from shrubs.report.units import number
from shrubs.results import Record

__all__ = ["write_html"]

MOST_BYTES = 3_000_000
"""Small enough to mail."""

MOST_LINES = 30
"""Of a stream with more runs, only the best of each learner is drawn over time."""


@dataclass(frozen=True)
class _Detail:
    """How much is shown; a note tells the reader what is left out."""

    most_points: int
    most_lives: int
    only_best: bool = False
    note: str = ""


_DETAILS = (
    _Detail(250, 100),
    _Detail(250, 1, note="The life of the ensemble is shown for the best run of each stream."),
    _Detail(
        250,
        1,
        only_best=True,
        note="There are many runs: this page shows the best of each learner per stream.",
    ),
    _Detail(
        60,
        1,
        only_best=True,
        note="There are many runs: this page shows the best of each learner per stream, coarsely.",
    ),
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
        if len(page) <= MOST_BYTES:
            break
    Path(path).write_bytes(page)


def _page(streams: Sequence[StreamRuns], command: str, detail: _Detail) -> bytes:
    if detail.only_best:
        streams = [runs.best_of_each() for runs in streams]
    data = {
        "dashes": DASHES,
        "nAges": len(AGES),
        "streams": [_stream_data(runs, detail) for runs in streams],
    }
    return fill_page(
        data,
        title=headline(streams),
        lead=_lead(streams),
        navigation=_navigation(streams),
        command=command,
        notes=(ACCURACIES_EXPLAINED, detail.note),
        sections="".join(_section(i, runs) for i, runs in enumerate(streams)),
        glossary=_glossary(streams),
        versions=_versions(streams),
    )


def _stream_data(runs: StreamRuns, detail: _Detail) -> dict[str, Any]:
    order = payload.positions(runs.runs)
    crowded = len(runs.runs) > MOST_LINES
    drawn = runs.best_of_each() if crowded else runs
    memory = memory_curve(drawn, detail.most_points)
    front = memory_front(runs)
    lives = ensemble_lives(drawn, detail.most_points)[: detail.most_lives]
    return {
        "legend": payload.legend(runs),
        "note": "the best run of each learner" if crowded else "",
        "curves": [payload.lines(f, order) for f in accuracy_curves(drawn, detail.most_points)],
        "memory": None if memory is None else payload.lines(memory, order),
        "front": None if front is None else payload.points(front, order),
        "matrices": [payload.matrix(figure, order) for figure in confusion_matrices(drawn)],
        "lives": [payload.bands(figure, order) for figure in lives],
    }


def _lead(streams: Sequence[StreamRuns]) -> str:
    n_runs = sum(len(runs.runs) for runs in streams)
    n_learners = len({run.learner for runs in streams for run in runs.runs})
    return (
        f"{number(n_runs, 'run')} of {number(n_learners, 'learner')} on "
        f"{number(len(streams), 'stream')}. Every example was predicted first, then learned."
    )


def _navigation(streams: Sequence[StreamRuns]) -> str:
    return "".join(
        f'<a href="#stream-{i}">{html.escape(runs.title)}</a>' for i, runs in enumerate(streams)
    )


def _section(i: int, runs: StreamRuns) -> str:
    kind = f"{len(runs.classes)} classes" if runs.task == "classification" else "regression"
    return (
        f'<section class="stream" id="stream-{i}" data-stream="{i}">'
        f'<header><p class="kind">{html.escape(kind)}</p><h2>{html.escape(runs.title)}</h2>'
        f'<p class="answer">{html.escape(sentence(runs))}</p></header>'
        f"{tiles(facts(runs))}"
        '<div class="figures"></div>'
        f'<figure class="card wide"><figcaption><h3>All numbers</h3></figcaption>'
        f'<div class="scroll" tabindex="0">{html_table(runs)}</div></figure></section>'
    )


def _glossary(streams: Sequence[StreamRuns]) -> dict[str, str]:
    return {column.heading: column.explanation for runs in streams for column in columns(runs)}


def _versions(streams: Sequence[StreamRuns]) -> list[str]:
    return sorted({run.record.code_version for runs in streams for run in runs.runs})
