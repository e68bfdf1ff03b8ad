"""The same figures as files for papers, drawn by matplotlib (the ``report`` extra)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from shrubs.report.confusion import confusion_matrices
from shrubs.report.critical_difference import Diagram
from shrubs.report.curves import accuracy_curves, memory_curve
from shrubs.report.drawing import SETTINGS, draw
from shrubs.report.ensemble_life import ensemble_lives
from shrubs.report.figure import Bands, Figure, Matrix
from shrubs.report.fronts import memory_front
from shrubs.report.runs import StreamRuns, arrange
from shrubs.results import Record

__all__ = ["save_figures", "slug", "write_figures"]

_FORMATS = ("png", "svg", "pdf")

# No dates: the same records give the same files.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


def write_figures(
    records: Iterable[Record],
    directory: str | os.PathLike[str],
    *,
    formats: Sequence[str] = _FORMATS,
) -> list[Path]:
    """Write every figure of every stream; returns the files, named ``stream-figure.format``.

    Args:
        records: see `shrubs.results.read`.
        directory: made if it does not exist.
        formats: any of "png", "svg" and "pdf".
    """
    named = []
    taken: set[str] = set()
    for runs in arrange(records):
        for figure in _figures(runs):
            name = _free_name(f"{slug(runs.title)}-{_name(figure)}", taken)
            named.append((name, figure))
    return save_figures(named, directory, formats=formats)


def save_figures(
    figures: Iterable[tuple[str, Figure | Diagram]],
    directory: str | os.PathLike[str],
    *,
    formats: Sequence[str] = _FORMATS,
) -> list[Path]:
    """Draw figures into files of these names; see `write_figures`."""
    for kind in formats:
        if kind not in _FORMATS:
            raise ValueError(f"formats must be of 'png', 'svg' and 'pdf', got {kind!r}")
    try:
        import matplotlib as mpl
    except ImportError:
        raise ImportError(
            "figures need matplotlib: install it with `pip install shrubs[report]`"
        ) from None
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    with mpl.rc_context(cast(Any, SETTINGS)):
        for name, figure in figures:
            canvas = draw(figure)
            for kind in formats:
                files.append(folder / f"{name}.{kind}")
                canvas.savefig(files[-1], dpi=200, metadata=_METADATA[kind], bbox_inches="tight")
    return files


def _figures(runs: StreamRuns) -> list[Figure]:
    figures: list[Figure | None] = [
        *accuracy_curves(runs),
        memory_curve(runs),
        memory_front(runs),
        *confusion_matrices(runs),
        *ensemble_lives(runs),
    ]
    return [figure for figure in figures if figure is not None]


def _name(figure: Figure) -> str:
    if isinstance(figure, (Bands, Matrix)):
        return f"{figure.name}-{slug(figure.run.label)}"
    return slug(figure.name)


def slug(text: str) -> str:
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
