"""Tables of all runs in Markdown, LaTeX and HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

from shrubs.analysis.no_change import no_change_accuracy
from shrubs.report.columns import ACCURACIES_EXPLAINED, Column, columns
from shrubs.report.escape import latex, markdown
from shrubs.report.runs import Run, StreamRuns, arrange, is_no_change
from shrubs.results import Record

__all__ = ["Cell", "Row", "html_table", "implied_no_change", "rows", "to_latex", "to_markdown"]

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
    """The lines of the table of a stream, the best first.

    No-change is always among them: where it was not run, its accuracy follows from the others.
    """
    shown = columns(runs)
    bests = [_best(column, runs) for column in shown]
    lines = [_row(run, shown, bests) for run in runs.runs]
    implied = implied_no_change(runs)
    if implied is not None:
        cells = tuple(_implied_cell(column, implied) for column in shown)
        lines.append(Row(*_IMPLIED, None, cells))
    return lines


def implied_no_change(runs: StreamRuns) -> float | None:
    """The accuracy of no-change where it was not run and the others tell it."""
    if runs.task != "classification" or any(is_no_change(run) for run in runs.runs):
        return None
    for run in runs.runs:
        accuracy = run.record.metrics["accuracy"]
        kappa = run.record.metrics.get("kappa_temporal")
        if accuracy is not None and kappa is not None and kappa < 1:
            return no_change_accuracy(accuracy, kappa)
    return None


def _best(column: Column, runs: StreamRuns) -> float | None:
    values = [column.value(run.record) for run in runs.runs]
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    return max(known) if column.better == "higher" else min(known)


def _row(run: Run, shown: Iterable[Column], bests: Iterable[float | None]) -> Row:
    cells = []
    for column, best in zip(shown, bests, strict=True):
        value = column.value(run.record)
        text = _NOTHING if value is None else column.text(value)
        cells.append(Cell(value, text, value is not None and value == best))
    return Row(run.learner, _remark(run), run, tuple(cells))


def _remark(run: Run) -> str:
    stopped = "" if run.record.finished else f"stopped after {run.record.n_examples:,} examples"
    return ", ".join(text for text in (run.detail, stopped) if text)


def _implied_cell(column: Column, accuracy: float) -> Cell:
    value = {"accuracy": accuracy, "kappa_temporal": 0.0}.get(column.name)
    return Cell(value, _NOTHING if value is None else column.text(value))


def to_markdown(records: Iterable[Record]) -> str:
    """One table per stream, the best values in bold."""
    parts = []
    for runs in arrange(records):
        heading = ["learner", *(column.heading for column in columns(runs))]
        lines = [_markdown_line(heading), "|:--" + "|--:" * (len(heading) - 1) + "|"]
        for row in rows(runs):
            cells = (f"**{cell.text}**" if cell.best else cell.text for cell in row.cells)
            lines.append(_markdown_line([markdown(row.label), *cells]))
        parts += [f"### {markdown(runs.title)}", "\n".join(lines)]
    return "\n\n".join([*parts, ACCURACIES_EXPLAINED]) + "\n"


def _markdown_line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def to_latex(records: Iterable[Record]) -> str:
    """One ``table`` per stream for the ``booktabs`` package, the best values in bold."""
    return "\n".join(_latex_table(runs) for runs in arrange(records))


def _latex_table(runs: StreamRuns) -> str:
    shown = columns(runs)
    lines = []
    for row in rows(runs):
        cells = [latex(cell.text) for cell in row.cells]
        marked = [
            f"\\textbf{{{text}}}" if cell.best else text
            for text, cell in zip(cells, row.cells, strict=True)
        ]
        lines.append(" & ".join([latex(row.label), *marked]) + r" \\")
    heading = " & ".join(["learner", *(latex(column.heading) for column in shown)]) + r" \\"
    explained = f" {ACCURACIES_EXPLAINED}" if runs.task == "classification" else ""
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{latex(runs.title)}: {runs.n_examples:,} examples.{explained}}}",
            f"  \\begin{{tabular}}{{l{'r' * len(shown)}}}",
            r"    \toprule",
            f"    {heading}",
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
    shown = columns(runs)
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
