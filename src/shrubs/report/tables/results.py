"""The results of all runs on a stream as a table in Markdown, LaTeX and HTML."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable

from shrubs.analysis.runs import StreamRuns, arrange
from shrubs.analysis.scores import Score, ScoreLine, score_lines
from shrubs.report.columns import ACCURACIES_EXPLAINED, Column, columns
from shrubs.report.escape import latex, latex_row, markdown, markdown_row
from shrubs.results import Record

__all__ = ["html_table", "to_latex", "to_markdown"]


def to_markdown(records: Iterable[Record]) -> str:
    """One table per stream, the best values in bold."""
    parts = []
    for runs in arrange(records):
        heading, *rows = _rows(runs, markdown, "**{}**")
        rule = "|:--" + "|--:" * (len(heading) - 1) + "|"
        lines = [markdown_row(heading), rule, *map(markdown_row, rows)]
        parts += [f"### {markdown(runs.title)}", "\n".join(lines)]
    return "\n\n".join([*parts, ACCURACIES_EXPLAINED]) + "\n"


def to_latex(records: Iterable[Record]) -> str:
    """One ``table`` per stream for the ``booktabs`` package, the best values in bold."""
    return "\n".join(_latex_table(runs) for runs in arrange(records))


def _latex_table(runs: StreamRuns) -> str:
    n_columns = len(_columns(runs))
    heading, *rows = (latex_row(row) for row in _rows(runs, latex, r"\textbf{{{}}}"))
    explained = f" {ACCURACIES_EXPLAINED}" if runs.task == "classification" else ""
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{latex(runs.title)}: {runs.n_examples:,} examples.{explained}}}",
            f"  \\begin{{tabular}}{{l{'r' * n_columns}}}",
            r"    \toprule",
            f"    {heading}",
            r"    \midrule",
            *(f"    {row}" for row in rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _rows(runs: StreamRuns, escape: Callable[[str], str], bold: str) -> list[list[str]]:
    """The heading, then a row per run."""
    shown = _columns(runs)
    rows = [["learner", *(escape(column.heading) for column in shown)]]
    for line in _lines(runs):
        learner, remark = _name(line)
        cells = (
            (bold if score.is_best else "{}").format(escape(_text(column, score)))
            for column, score in zip(shown, line.scores, strict=True)
        )
        rows.append([escape(f"{learner} ({remark})" if remark else learner), *cells])
    return rows


def _columns(runs: StreamRuns) -> list[Column]:
    """Those in which there is something to see."""
    known = {name for run in runs.runs for name, v in run.record.metrics.items() if v is not None}
    return [column for column in columns(runs.task) if column.name in known]


def _lines(runs: StreamRuns) -> list[ScoreLine]:
    return score_lines(runs, {column.name: column.better for column in _columns(runs)})


def _name(line: ScoreLine) -> tuple[str, str]:
    """The learner, and a remark."""
    if line.run is None:
        return "no-change", "not run; follows from kappa-temporal"
    record = line.run.record
    stopped = "" if record.finished else f"stopped after {record.n_examples:,} examples"
    return line.run.learner, ", ".join(filter(None, (line.run.detail, stopped)))


def _text(column: Column, score: Score) -> str:
    return "\N{EN DASH}" if score.value is None else column.text(score.value)


def html_table(runs: StreamRuns) -> str:
    """The table of one stream; the page's script sorts it by ``data-value``."""
    shown = _columns(runs)
    headings = "".join(
        f'<th scope="col" data-metric="{column.name}" data-better="{column.better}" '
        f'title="{html.escape(column.explanation)}">'
        f'<button type="button">{html.escape(column.heading)}</button></th>'
        for column in shown
    )
    body = "".join(_html_row(i, line, shown) for i, line in enumerate(_lines(runs)))
    return (
        '<table class="results"><thead><tr><th scope="col" data-metric="learner">'
        f'<button type="button">learner</button></th>{headings}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _html_row(i: int, line: ScoreLine, shown: Iterable[Column]) -> str:
    """The row of a run, with the registry's name of its learner, and all settings on its name."""
    cells = "".join(
        f'<td data-metric="{column.name}"'
        + ("" if score.value is None else f' data-value="{score.value!r}"')
        + (' class="best"' if score.is_best else "")
        + f">{html.escape(_text(column, score))}</td>"
        for column, score in zip(shown, line.scores, strict=True)
    )
    learner, remark = map(html.escape, _name(line))
    small, settings, number = [remark], "", ""
    if line.run is not None:
        record = line.run.record
        if record.learner != record.label:
            small.insert(0, html.escape(record.learner))
        chosen = {**record.configuration, "seed": record.seed}
        settings = html.escape(", ".join(f"{name}={value}" for name, value in chosen.items()))
        number = f' data-run="{i}"'
    below = "".join(f"<small>{text}</small>" for text in small if text)
    name = f"<span>{learner}{below}</span>"
    head = f'<th scope="row" data-value="{f"{learner} ({remark})" if remark else learner}">'
    return f'<tr{number}>{head}<div class="who" title="{settings}">{name}</div></th>{cells}</tr>'
