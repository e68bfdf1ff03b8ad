"""The same figures as files for papers, drawn by matplotlib (the ``report`` extra)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from shrubs.report.confusion import confusion_matrices
from shrubs.report.curves import accuracy_curves, memory_curve
from shrubs.report.drawing import SETTINGS, draw
from shrubs.report.ensemble_life import ensemble_lives
from shrubs.report.figure import Bands, Figure, Matrix
from shrubs.report.fronts import memory_front
from shrubs.report.runs import StreamRuns, arrange
from shrubs.results import Record

__all__ = ["write_figures"]

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
    for kind in formats:
        if kind not in _FORMATS:
            raise ValueError(f"formats must be of 'png', 'svg' and 'pdf', got {kind!r}")
    streams = arrange(records)
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
        for runs in streams:
            for figure in _figures(runs):
                name = _free_name(f"{_slug(runs.title)}-{_name(figure)}", taken)
                canvas = draw(figure)
                for kind in formats:
                    path = folder / f"{name}.{kind}"
                    canvas.savefig(path, dpi=200, metadata=_METADATA[kind], bbox_inches="tight")
                    files.append(path)
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
        return f"{figure.name}-{_slug(figure.run.label)}"
    return _slug(figure.name)


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
