"""The live page: one HTML file with the scripts and the style of the report, and its own."""

from __future__ import annotations

import functools
from importlib import resources
from string import Template

from shrubs.report.page.shell import figure_scripts, frame_parts

__all__ = ["live_page"]


@functools.cache
def live_page() -> str:
    """The whole page. It holds no data: the events bring them."""
    script = figure_scripts() + "\n" + _read("live.js")
    return Template(_read("live.html")).substitute(
        frame_parts(script, policy="; connect-src 'self'"), own_style=_read("live.css")
    )


def _read(name: str) -> str:
    return resources.files("shrubs.serve.page").joinpath(name).read_text(encoding="utf-8")
