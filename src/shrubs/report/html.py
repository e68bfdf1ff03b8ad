"""Puts the page together: one HTML file that needs nothing else and asks for nothing else.

The script, the style and the frame are the files in ``page/``; the data go in as JSON. A content
security policy in the page itself forbids every request and every other script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from shrubs.report import payload
from shrubs.report.columns import ACCURACIES_EXPLAINED, columns
from shrubs.report.confusion import confusion_matrices
from shrubs.report.curves import accuracy_curves, memory_curve
from shrubs.report.ensemble_life import ensemble_lives
from shrubs.report.fronts import memory_front
from shrubs.report.runs import StreamRuns, arrange
from shrubs.report.summary import Fact, facts, headline, sentence
from shrubs.report.tables import html_table
from shrubs.report.theme import AGES, COLOURS, DASHES
from shrubs.results import Record

__all__ = ["write_html"]

MOST_BYTES = 3_000_000
"""Small enough to mail."""

MOST_LINES = 30
"""Of a stream with more runs, only the best of each learner is drawn over time."""

_SCRIPTS = (
    "format.js",
    "scale.js",
    "dom.js",
    "marker.js",
    "frame.js",
    "lines.js",
    "bands.js",
    "points.js",
    "matrix.js",
    "table.js",
    "section.js",
    "page.js",
)


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
    style = _theme_style() + _read("page.css")
    script = "(() => {\n'use strict';\n" + "\n".join(map(_read, _SCRIPTS)) + "\n})();\n"
    first = _read("theme.js")
    page = Template(_read("page.html")).substitute(
        policy=_policy(first, script),
        title=html.escape(headline(streams)),
        style=style,
        first=first,
        lead=html.escape(_lead(streams)),
        navigation=_navigation(streams),
        command=_command(command),
        note=f'<p class="note">{html.escape(detail.note)}</p>' if detail.note else "",
        sections="".join(_section(i, runs) for i, runs in enumerate(streams)),
        explained=html.escape(ACCURACIES_EXPLAINED),
        glossary=_glossary(streams),
        versions=html.escape(", ".join(_versions(streams))),
        data=_json(data),
        script=script,
    )
    return page.encode()


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


def _read(name: str) -> str:
    return (resources.files("shrubs.report") / "page" / name).read_text(encoding="utf-8")


def _json(data: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(*scripts: str) -> str:
    """Only these scripts run, and nothing is ever requested."""
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in scripts)
    allowed = " ".join(f"'sha256-{digest.decode()}'" for digest in hashes)
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        f"script-src {allowed}"
    )


def _theme_style() -> str:
    def variables(shade: int) -> str:
        return "".join(f"--slot-{i}:{pair[shade]};" for i, pair in enumerate(COLOURS))

    ages = "".join(f"--age-{i}:{colour};" for i, colour in enumerate(AGES))
    dark = f"@media screen{{:root[data-theme=dark]{{{variables(1)}}}}}"
    return f":root{{{variables(0)}{ages}}}\n{dark}\n"


def _lead(streams: Sequence[StreamRuns]) -> str:
    n_runs = sum(len(runs.runs) for runs in streams)
    n_learners = len({run.learner for runs in streams for run in runs.runs})
    return (
        f"{_number(n_runs, 'run')} of {_number(n_learners, 'learner')} on "
        f"{_number(len(streams), 'stream')}. Every example was predicted first, then learned."
    )


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _navigation(streams: Sequence[StreamRuns]) -> str:
    return "".join(
        f'<a href="#stream-{i}">{html.escape(runs.title)}</a>' for i, runs in enumerate(streams)
    )


def _command(command: str) -> str:
    if not command:
        return ""
    return (
        f'<div class="command"><code>{html.escape(command)}</code>'
        '<button type="button" id="copy" aria-label="Copy the command">Copy</button></div>'
    )


def _section(i: int, runs: StreamRuns) -> str:
    kind = f"{len(runs.classes)} classes" if runs.task == "classification" else "regression"
    tiles = "".join(map(_tile, facts(runs)))
    return (
        f'<section class="stream" id="stream-{i}" data-stream="{i}">'
        f'<header><p class="kind">{html.escape(kind)}</p><h2>{html.escape(runs.title)}</h2>'
        f'<p class="answer">{html.escape(sentence(runs))}</p></header>'
        f'<div class="facts">{tiles}</div>'
        '<div class="figures"></div>'
        f'<figure class="card wide"><figcaption><h3>All numbers</h3></figcaption>'
        f'<div class="scroll" tabindex="0">{html_table(runs)}</div></figure></section>'
    )


def _tile(fact: Fact) -> str:
    value, unit = html.escape(fact.value), html.escape(fact.unit)
    return (
        f'<div class="fact"><span class="label">{html.escape(fact.label)}</span>'
        f'<span class="value">{value}<small>{unit}</small></span>'
        f'<span class="remark">{html.escape(fact.remark)}</span></div>'
    )


def _glossary(streams: Sequence[StreamRuns]) -> str:
    words = {column.heading: column.explanation for runs in streams for column in columns(runs)}
    return "".join(
        f"<dt>{html.escape(word)}</dt><dd>{html.escape(meaning)}</dd>"
        for word, meaning in words.items()
    )


def _versions(streams: Sequence[StreamRuns]) -> list[str]:
    return sorted({run.record.code_version for runs in streams for run in runs.runs})
