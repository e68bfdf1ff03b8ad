"""The frame of every page: one HTML file that needs nothing else and asks for nothing else.

The script, the style and the frame are the files beside this one; the data go in as JSON. A content
security policy in the page itself forbids every request and every other script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from shrubs.report.figures import KINDS, Figure
from shrubs.report.legend import Entry
from shrubs.report.summary import Fact
from shrubs.report.theme import AGES, COLOURS, DASHES

__all__ = [
    "COMMON",
    "card",
    "command_box",
    "figure_data",
    "figure_scripts",
    "fill_page",
    "folded",
    "frame_parts",
    "page_kind",
    "scrolling",
    "tiles",
    "write_page",
]

COMMON: dict[str, Any] = {"dashes": DASHES, "nAges": len(AGES)}
"""What the scripts of all figures know."""

_HEAD_BYTES = 4096  # where a page says what it is

_FIGURES = (
    *("format.js", "scale.js", "dom.js", "marker.js", "frame.js"),
    *(f"figures/{kind.kind}.js" for kind in KINDS),
)
_SCRIPTS = (*_FIGURES, "kinds.js", "sorting.js", "section.js", "page.js")


def figure_data(
    figures: Iterable[Figure], entries: Sequence[Entry] = (), *, note: str = ""
) -> dict[str, Any]:
    """The figures of a section for the script; ``entries`` is their common legend."""
    order = {entry.label: i for i, entry in enumerate(entries)}
    return {
        "legend": [
            {
                "label": entry.label,
                "learner": entry.learner,
                "detail": entry.detail,
                "slot": entry.style.slot,
                "marker": entry.style.marker,
                "dash": entry.dash,
            }
            for entry in entries
        ],
        "note": note,
        "figures": [
            {
                "kind": figure.kind,
                "title": figure.title,
                "alt": figure.alt,
                **figure.payload(order),
            }
            for figure in figures
        ],
    }


def fill_page(
    data: Mapping[str, Any],
    *,
    kind: str,
    title: str,
    lead: str,
    links: Iterable[tuple[str, str]],
    command: str,
    notes: Iterable[str],
    sections: str,
    glossary: Mapping[str, str],
    origin: str,
) -> bytes:
    """The whole page.

    Args:
        data: the figures (see `figure_data`) of every section that has some, by its id.
        kind: of report: race or study.
        title: the answer in a line.
        lead: what it is about in a sentence.
        links: ids of sections, and what to call them.
        command: what made the page.
        notes: what else the reader should know; empty ones are left out.
        sections: HTML.
        glossary: words and what they mean.
        origin: when, where and by which versions the runs were done.
    """
    page = Template(_read("page.html")).substitute(
        frame_parts("\n".join(map(_read, _SCRIPTS))),
        kind=kind,
        title=html.escape(title),
        lead=html.escape(lead),
        links="".join(f'<a href="#{at}">{html.escape(text)}</a>' for at, text in links),
        command=command_box(command),
        notes="".join(f'<p class="note">{html.escape(note)}</p>' for note in notes if note),
        sections=sections,
        glossary="".join(
            f"<dt>{html.escape(word)}</dt><dd>{html.escape(meaning)}</dd>"
            for word, meaning in glossary.items()
        ),
        origin=html.escape(origin),
        data=_json({**COMMON, "sections": data}),
    )
    return page.encode()


def frame_parts(script: str, *, policy: str = "") -> dict[str, str]:
    """What every page is made of: its style, its scripts, and the policy that allows no others.

    Args:
        script: what the page does.
        policy: what else it may do, in the words of a content security policy.
    """
    first, wrapped = _read("theme.js"), f"(() => {{\n'use strict';\n{script}\n}})();\n"
    return {
        "policy": _policy(first, wrapped) + policy,
        "style": _theme_style() + _read("page.css"),
        "first": first,
        "script": wrapped,
    }


def figure_scripts() -> str:
    """What draws figures, without a page around them."""
    return "\n".join(map(_read, _FIGURES))


def write_page(path: Path, page: bytes) -> None:
    """Write a page; a report of another kind is not overwritten."""
    there = page_kind(path)
    if there not in (None, _kind(page)):
        raise ValueError(f"{path} is the report of a {there}; choose another file with --output")
    path.write_bytes(page)


def page_kind(path: Path) -> str | None:
    """The kind of the report in a file, race or study; None if there is none."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return _kind(file.read(_HEAD_BYTES))


def _kind(page: bytes) -> str | None:
    found = re.search(rb'<meta name="generator" content="shrubs (race|study)">', page[:_HEAD_BYTES])
    return None if found is None else found[1].decode()


def card(title: str, body: str, kind: str = "") -> str:
    """A card around HTML; ``kind`` is a class of the style, such as "wide"."""
    return (
        f'<figure class="{f"card {kind}".strip()}"><figcaption><h3>{html.escape(title)}</h3>'
        f"</figcaption>{body}</figure>"
    )


def command_box(command: str) -> str:
    """A command with a button that copies it; nothing for none."""
    if not command:
        return ""
    return (
        f'<div class="command"><code>{html.escape(command)}</code>'
        '<button type="button" class="copy" aria-label="Copy the command">Copy</button></div>'
    )


def scrolling(table: str) -> str:
    """A table that may be wider than the page: its edges show that it goes on."""
    return f'<div class="scroll" tabindex="0">{table}</div>'


def folded(title: str, body: str, *, is_open: bool = False) -> str:
    """A card that opens by a click on its title."""
    return (
        f'<details class="card long"{" open" if is_open else ""}><summary><h3>{html.escape(title)}'
        f"</h3></summary>{body}</details>"
    )


def tiles(shown: Iterable[Fact]) -> str:
    """A row of numbers with their labels."""
    return f'<div class="facts">{"".join(map(_tile, shown))}</div>'


def _tile(fact: Fact) -> str:
    value, unit = html.escape(fact.value), html.escape(fact.unit)
    return (
        f'<div class="fact"><span class="label">{html.escape(fact.label)}</span>'
        f'<span class="value">{value}<small>{unit}</small></span>'
        f'<span class="remark">{html.escape(fact.remark)}</span></div>'
    )


def _read(name: str) -> str:
    return resources.files("shrubs.report.page").joinpath(name).read_text(encoding="utf-8")


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
