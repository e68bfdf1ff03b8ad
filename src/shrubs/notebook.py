"""What a notebook shows: facts, tables and small pictures in plain HTML, every text escaped.

No script, no style sheet, no colour of the page's own: it reads the same in a saved notebook, on a
dark page and offline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

__all__ = ["card", "curve", "stems", "table"]

_WIDTH, _HEIGHT, _MARGIN = 420, 96, 16
_GREEN = "#1b9077"
_MAX_TEXT = 300


def card(title: str, facts: Mapping[str, str], *parts: str) -> str:
    """A title, facts by name, and parts that are HTML already."""
    named = " · ".join(f"{_text(name)} <b>{_text(value)}</b>" for name, value in facts.items())
    return f"<div><code>{_text(title)}</code><div>{named}</div>{''.join(parts)}</div>"


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts under their heading."""
    head = "".join(f'<th style="text-align:left">{_text(cell)}</th>' for cell in heading)
    lines = (
        "".join(f'<td style="text-align:left">{_text(cell)}</td>' for cell in row) for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def stems(heights: Sequence[tuple[float, float, str]], left: str, right: str, title: str) -> str:
    """A stem for each (place in [0, 1], height, what it is), between two words below the line."""
    highest = max((height for _, height, _ in heights), default=0.0) or 1.0
    drawn = []
    for place, height, what in heights:
        x, y = _x(place), _y(height / highest)
        drawn.append(
            f'<g stroke="{_GREEN}" fill="{_GREEN}"><title>{_text(what)}</title>'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_y(0):.1f}" y2="{y:.1f}"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/></g>'
        )
    return _picture(drawn, left, right, title)


def curve(points: Sequence[tuple[float, float]], marks: Iterable[float], title: str) -> str:
    """A line through points (position, value), with a dashed mark at each of some positions."""
    known = [(x, y) for x, y in points if math.isfinite(y)]
    if not known:
        return ""
    end = max(x for x, _ in known) or 1.0
    low, high = min(y for _, y in known), max(y for _, y in known)
    line = " ".join(
        f"{_x(x / end):.1f},{_y((y - low) / (high - low) if high > low else 0.5):.1f}"
        for x, y in known
    )
    drawn = [
        f'<line x1="{_x(m / end):.1f}" x2="{_x(m / end):.1f}" y1="{_y(0)}" y2="{_y(1)}" '
        f'stroke="currentColor" stroke-dasharray="2 3"><title>{m:,}</title></line>'
        for m in marks
        if 0 <= m <= end
    ]
    drawn.append(f'<polyline points="{line}" fill="none" stroke="{_GREEN}" stroke-width="1.5"/>')
    return _picture(drawn, "0", f"{end:,.0f}", f"{title}, {low:.4g} to {high:.4g}")


def _picture(drawn: Iterable[str], left: str, right: str, title: str) -> str:
    base, below = _y(0), _HEIGHT - 2
    return (
        f'<svg role="img" aria-label="{_text(title)}" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" style="max-width:100%;display:block" font-size="11" '
        f'fill="currentColor"><text x="2" y="10">{_text(title)}</text>{"".join(drawn)}'
        f'<line x1="0" x2="{_WIDTH}" y1="{base}" y2="{base}" stroke="currentColor"/>'
        f'<text x="2" y="{below}">{_text(left)}</text>'
        f'<text x="{_WIDTH - 2}" y="{below}" text-anchor="end">{_text(right)}</text></svg>'
    )


def _x(share: float) -> float:
    return 6 + share * (_WIDTH - 12)


def _y(share: float) -> float:
    return _HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN - 6)


def _text(text: str) -> str:
    """As text and never as markup, cut where it would fill the page."""
    cut = text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}\N{HORIZONTAL ELLIPSIS}"
    return escape(cut.encode(errors="backslashreplace").decode())
