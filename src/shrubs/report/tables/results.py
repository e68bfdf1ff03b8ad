"""The results of all runs on a stream as a table in Markdown, LaTeX and HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

from shrubs.analysis.runs import Run, StreamRuns, arrange
from shrubs.analysis.scores import ScoreLine, score_lines
from shrubs.report.columns import ACCURACIES_EXPLAINED, Column, columns
from shrubs.report.escape import latex, latex_row, markdown, markdown_row
from shrubs.results import Record

__all__ = ["Cell", "Row", "html_table", "rows", "to_latex", "to_markdown"]

_NOTHING = "\N{EN DASH}"
_IMPLIED = ("no-change", "not run; follows from kappa-temporal")


@dataclass(frozen=True)
class Cell:
    """A value as a number and as text; ``best`` if no other row has a better one."""

    value: float | None
    text: str
    best: bool = False


@dataclass(frozen=True)
class Row:
    """One line of a table; ``run`` is None for the no-change line that nobody ran."""

    learner: str
    remark: str
    run: Run | None
    cells: tuple[Cell, ...]

    @property
    def label(self) -> str:
        """The name, with the remark in brackets."""
        return f"{self.learner} ({self.remark})" if self.remark else self.learner


def rows(runs: StreamRuns) -> list[Row]:
    """The lines of the table of a stream, the best first."""
    shown = columns(runs.task)
    found = score_lines(runs, {column.name: column.better for column in shown})
    return [_row(line, shown) for line in found]


def _row(line: ScoreLine, shown: Iterable[Column]) -> Row:
    cells = tuple(
        Cell(score.value, _NOTHING if score.value is None else column.text(score.value),
             score.is_best)
        for column, score in zip(shown, line.scores, strict=True)
    )  # fmt: skip
    if line.run is None:
        return Row(*_IMPLIED, None, cells)
    return Row(line.run.learner, _remark(line.run), line.run, cells)


def _remark(run: Run) -> str:
    stopped = "" if run.record.finished else f"stopped after {run.record.n_examples:,} examples"
    return ", ".join(text for text in (run.detail, stopped) if text)


def to_markdown(records: Iterable[Record]) -> str:
    """One table per stream, the best values in bold."""
    parts = []
    for runs in arrange(records):
        heading = ["learner", *(column.heading for column in columns(runs.task))]
        lines = [markdown_row(heading), "|:--" + "|--:" * (len(heading) - 1) + "|"]
        for row in rows(runs):
            cells = (f"**{cell.text}**" if cell.best else cell.text for cell in row.cells)
            lines.append(markdown_row([markdown(row.label), *cells]))
        parts += [f"### {markdown(runs.title)}", "\n".join(lines)]
    return "\n\n".join([*parts, ACCURACIES_EXPLAINED]) + "\n"


def to_latex(records: Iterable[Record]) -> str:
    """One ``table`` per stream for the ``booktabs`` package, the best values in bold."""
    return "\n".join(_latex_table(runs) for runs in arrange(records))


def _latex_table(runs: StreamRuns) -> str:
    shown = columns(runs.task)
    lines = []
    for row in rows(runs):
        cells = (
            f"\\textbf{{{latex(cell.text)}}}" if cell.best else latex(cell.text)
            for cell in row.cells
        )
        lines.append(latex_row([latex(row.label), *cells]))
    explained = f" {ACCURACIES_EXPLAINED}" if runs.task == "classification" else ""
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{latex(runs.title)}: {runs.n_examples:,} examples.{explained}}}",
            f"  \\begin{{tabular}}{{l{'r' * len(shown)}}}",
            r"    \toprule",
            f"    {latex_row(['learner', *(latex(column.heading) for column in shown)])}",
            r"    \midrule",
            *(f"    {line}" for line in lines),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def html_table(runs: StreamRuns) -> str:
    """The table of one stream; the page's script sorts it by ``data-value``."""
    shown = columns(runs.task)
    headings = "".join(
        f'<th scope="col" data-metric="{column.name}" data-better="{column.better}" '
        f'title="{html.escape(column.explanation)}">'
        f'<button type="button">{html.escape(column.heading)}</button></th>'
        for column in shown
    )
    order = {run.label: i for i, run in enumerate(runs.runs)}
    body = "".join(_html_row(row, shown, order) for row in rows(runs))
    return (
        '<table class="results"><thead><tr><th scope="col" data-metric="learner">'
        f'<button type="button">learner</button></th>{headings}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _html_row(row: Row, shown: Iterable[Column], order: dict[str, int]) -> str:
    cells = "".join(
        f'<td data-metric="{column.name}"'
        + ("" if cell.value is None else f' data-value="{cell.value!r}"')
        + (' class="best"' if cell.best else "")
        + f">{html.escape(cell.text)}</td>"
        for column, cell in zip(shown, row.cells, strict=True)
    )
    number = "" if row.run is None else f' data-run="{order[row.run.label]}"'
    remark = f"<small>{html.escape(row.remark)}</small>" if row.remark else ""
    name = f"<span>{html.escape(row.learner)}{remark}</span>"
    settings = html.escape(_configuration(row.run))
    head = f'<th scope="row" data-value="{html.escape(row.label)}">'
    return f'<tr{number}>{head}<div class="who" title="{settings}">{name}</div></th>{cells}</tr>'


def _configuration(run: Run | None) -> str:
    """All settings of a run, for those who point at its name."""
    if run is None:
        return ""
    settings = {**run.record.configuration, "seed": run.record.seed}
    return ", ".join(f"{name}={value}" for name, value in settings.items())
