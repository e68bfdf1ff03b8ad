"""Any text as HTML, Markdown and LaTeX: no letter of it is taken for markup."""

from __future__ import annotations

import html
from collections.abc import Iterable

__all__ = ["latex", "latex_row", "markdown", "markdown_row", "prose"]

_LATEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "µ": r"\textmu{}",
    "²": "$^2$",
}


def prose(text: str) -> str:
    """A sentence as HTML; no line ends between a number and its percent sign.

    >>> print(prose("a < b on 93 %"))
    a &lt; b on 93&nbsp;%
    """
    return html.escape(text).replace(" %", "&nbsp;%")


def markdown(text: str) -> str:
    r"""On one line, with a backslash before every letter that means something.

    >>> print(markdown("led_a | 2*3"))
    led\_a \| 2\*3
    """
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(text.split()))


def latex(text: str) -> str:
    r"""On one line, with a command for every letter that means something.

    >>> print(latex("led_a: 93 %"))
    led\_a: 93 \%
    """
    return "".join(_LATEX.get(c, c) for c in " ".join(text.split()))


def markdown_row(cells: Iterable[str]) -> str:
    """A line of a table, from cells that are Markdown."""
    return "| " + " | ".join(cells) + " |"


def latex_row(cells: Iterable[str], end: str = r"\\") -> str:
    """A line of a table, from cells that are LaTeX."""
    return " & ".join(cells) + f" {end}"
