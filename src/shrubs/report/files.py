"""Figures as files for papers, drawn by matplotlib (the ``report`` extra)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from shrubs.messages import shown
from shrubs.report.figures import Figure
from shrubs.report.figures.plot import SETTINGS

__all__ = ["FORMATS", "save_figures"]

FORMATS = ("png", "svg", "pdf")

# No dates: the same records give the same files.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


def save_figures(
    figures: Iterable[tuple[str, Figure]],
    directory: str | os.PathLike[str],
    *,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Draw figures into files; returns them, named ``stream-figure.format``.

    Args:
        figures: each with the name of its stream; none if it is about several.
        directory: made if it does not exist.
        formats: any of "png", "svg" and "pdf".
    """
    for kind in formats:
        if kind not in FORMATS:
            raise ValueError(f"formats must be of 'png', 'svg' and 'pdf', got {shown(kind)}")
    try:
        import matplotlib as mpl
    except ImportError:
        raise ImportError(
            "figures need matplotlib: install it with `pip install shrubs[report]`"
        ) from None
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    taken: set[str] = set()
    with mpl.rc_context(cast(Any, SETTINGS)):
        for stream, figure in figures:
            parts = filter(None, (stream, figure.name))
            name = _free_name("-".join(map(_slug, parts)), taken)
            canvas = figure.draw()
            for kind in formats:
                files.append(folder / f"{name}.{kind}")
                canvas.savefig(files[-1], dpi=200, metadata=_METADATA[kind], bbox_inches="tight")
    return files


def _slug(text: str) -> str:
    """Safe in any file system: lower-case letters, digits and dashes."""
    words = "".join(c.lower() if c.isalnum() and c.isascii() else " " for c in text).split()
    return "-".join(words)[:80] or "unnamed"


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if another figure has it already."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    taken.add(free)
    return free
