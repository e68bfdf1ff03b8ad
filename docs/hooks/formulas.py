"""Sets formulas as MathML, which browsers draw by themselves (a hook of mkdocs).

``$...$`` within a line, ``$$...$$`` on lines of its own, both in LaTeX.
"""

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)


def on_page_content(html: str, **_: Any) -> str:
    """Put MathML in the place of every formula."""
    return _FORMULA.sub(_as_mathml, html)


def _as_mathml(formula: re.Match[str]) -> str:
    latex = unescape(formula["latex"])
    if formula["tag"] == "span":
        return convert(latex)
    return f'<div class="formula">{convert(latex, display="block")}</div>'
