"""The report of a study: the paper's tables and figures from its runs, beside the printed ones."""

from __future__ import annotations

import os
from pathlib import Path

from shrubs import results
from shrubs.report.static import save_figures
from shrubs.report.study.comparison import tables
from shrubs.report.study.document import latex_document
from shrubs.report.study.figures import diagrams, static_figures
from shrubs.report.study.outcomes import Outcomes
from shrubs.report.study.page import study_page
from shrubs.report.study.table import to_html, to_latex, to_markdown

__all__ = ["write_study_report"]


def write_study_report(
    directory: str | os.PathLike[str], *, command: str = "", figures: bool = True
) -> list[Path]:
    """Write the report of a study into its directory; returns the files.

    It reads ``results.jsonl`` and ``study.toml`` (shown on the page, if it is there) and writes
    ``report.html``, ``tables/*.md``, ``.tex`` and ``.html``, and ``figures/*.svg``, ``.png`` and
    ``.pdf`` (these need matplotlib).

    Args:
        directory: of the study.
        command: what made the report, shown on it.
        figures: whether to draw the files for papers; the page has its own figures.
    """
    folder = Path(directory)
    outcomes = Outcomes.of(results.read(folder / "results.jsonl"))
    shown, drawn = tables(outcomes), diagrams(outcomes)
    definition = folder / "study.toml"
    page = study_page(
        outcomes,
        shown,
        drawn,
        name=folder.resolve().name,
        command=command,
        definition=definition.read_text(encoding="utf-8") if definition.exists() else "",
    )
    written = [folder / "report.html"]
    written[0].write_bytes(page)
    (folder / "tables").mkdir(exist_ok=True)
    for table in shown:
        for kind, text in (("md", to_markdown), ("tex", to_latex), ("html", to_html)):
            written.append(folder / "tables" / f"{table.name}.{kind}")
            written[-1].write_text(text(table), encoding="utf-8")
    written.append(folder / "tables" / "all.tex")
    written[-1].write_text(latex_document(shown), encoding="utf-8")
    if figures:
        named = [*static_figures(outcomes), *((diagram.name, diagram) for diagram in drawn)]
        written += save_figures(named, folder / "figures")
    return written
