"""The frame of every page: one HTML file that needs nothing else and asks for nothing else.

The script, the style and the frame are the files in ``page/``; the data go in as JSON. A content
security policy in the page itself forbids every request and every other script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from string import Template
from typing import Any

from shrubs.report.summary import Fact
from shrubs.report.theme import AGES, COLOURS

__all__ = ["fill_page", "tiles"]

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
    "diagram.js",
    "table.js",
    "section.js",
    "page.js",
)


def fill_page(
    data: Any,
    *,
    title: str,
    lead: str,
    navigation: str,
    command: str,
    notes: Iterable[str],
    sections: str,
    glossary: Mapping[str, str],
    versions: Iterable[str],
) -> bytes:
    """The whole page; ``navigation`` and ``sections`` are HTML, ``data`` goes to the script."""
    script = "(() => {\n'use strict';\n" + "\n".join(map(_read, _SCRIPTS)) + "\n})();\n"
    first = _read("theme.js")
    page = Template(_read("page.html")).substitute(
        policy=_policy(first, script),
        title=html.escape(title),
        style=_theme_style() + _read("page.css"),
        first=first,
        lead=html.escape(lead),
        navigation=navigation,
        command=_command(command),
        notes="".join(f'<p class="note">{html.escape(note)}</p>' for note in notes if note),
        sections=sections,
        glossary="".join(
            f"<dt>{html.escape(word)}</dt><dd>{html.escape(meaning)}</dd>"
            for word, meaning in glossary.items()
        ),
        versions=html.escape(", ".join(versions)),
        data=_json(data),
        script=script,
    )
    return page.encode()


def tiles(shown: Iterable[Fact]) -> str:
    """A row of figures with their labels."""
    return f'<div class="facts">{"".join(map(_tile, shown))}</div>'


def _tile(fact: Fact) -> str:
    value, unit = html.escape(fact.value), html.escape(fact.unit)
    return (
        f'<div class="fact"><span class="label">{html.escape(fact.label)}</span>'
        f'<span class="value">{value}<small>{unit}</small></span>'
        f'<span class="remark">{html.escape(fact.remark)}</span></div>'
    )


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


def _command(command: str) -> str:
    if not command:
        return ""
    return (
        f'<div class="command"><code>{html.escape(command)}</code>'
        '<button type="button" id="copy" aria-label="Copy the command">Copy</button></div>'
    )
