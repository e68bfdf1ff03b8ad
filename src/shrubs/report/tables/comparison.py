"""A table of a study, ours beside the paper's: plain data, and Markdown, LaTeX and HTML of it."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from shrubs.report.escape import latex, latex_row, markdown, markdown_row

__all__ = ["Cell", "Group", "Line", "Table", "latex_document", "to_html", "to_latex", "to_markdown"]

_HEAD = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage[a4paper, landscape, margin=12mm]{geometry}
\usepackage{booktabs}
\usepackage{longtable}
\setlength{\tabcolsep}{3.5pt}
\setlength{\LTcapwidth}{\textwidth}
\begin{document}
\scriptsize
"""


@dataclass(frozen=True)
class Cell:
    """A text, and whether it is the best of its line or a difference that matters."""

    text: str
    mark: Literal["", "best", "agrees", "differs"] = ""


@dataclass(frozen=True)
class Line:
    """One line: what it shows, and a cell per column.

    ``kind`` tells our numbers from the paper's and from their difference.
    """

    label: str
    kind: Literal["ours", "paper", "difference", "more"]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Group:
    """The lines of one stream, and a remark about it."""

    name: str
    remark: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Table:
    """Methods as columns, streams as groups of lines."""

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    groups: tuple[Group, ...]


def to_markdown(table: Table) -> str:
    """A heading, the caption and the table; the best in bold."""
    heading = ["stream", "", *table.columns]
    lines = [markdown_row(heading), "|:--|:--" + "|--:" * len(table.columns) + "|"]
    for group in table.groups:
        for i, line in enumerate(group.lines):
            texts = [_bold(markdown(cell.text), cell, "**{}**") for cell in line.cells]
            lines.append(
                markdown_row([markdown(_name(group)) if i == 0 else "", line.label, *texts])
            )
    body = "\n".join(lines)
    return f"## {markdown(table.title)}\n\n{markdown(table.caption)}\n\n{body}\n"


def _bold(text: str, cell: Cell, bold: str) -> str:
    return bold.format(text) if cell.mark == "best" else text


def _name(group: Group) -> str:
    return f"{group.name} ({group.remark})" if group.remark else group.name


def to_latex(table: Table) -> str:
    """A ``longtable`` with the rules of ``booktabs``; it goes on over pages."""
    heading = latex_row(["stream", "", *map(latex, table.columns)])
    body = []
    for number, group in enumerate(table.groups):
        if number:
            body.append(r"\addlinespace")
        for i, line in enumerate(group.lines):
            texts = [_bold(latex(cell.text), cell, r"\textbf{{{}}}") for cell in line.cells]
            name = latex(_first_words(group, i))
            end = r"\\*" if i < len(group.lines) - 1 else r"\\"
            body.append(latex_row([name, latex(line.label), *texts], end))
    return "\n".join(
        [
            rf"\begin{{longtable}}{{@{{}}ll{'r' * len(table.columns)}@{{}}}}",
            rf"\caption{{{latex(table.title)}. {latex(table.caption)}}}\\",
            r"\toprule",
            heading,
            r"\midrule",
            r"\endfirsthead",
            r"\toprule",
            heading,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endlastfoot",
            *body,
            r"\end{longtable}",
            "",
        ]
    )


def _first_words(group: Group, line: int) -> str:
    """The name on the first line of a group, the remark on the second."""
    words = (group.name, group.remark)
    return words[line] if line < len(words) else ""


def latex_document(tables: Iterable[Table]) -> str:
    """A document that reads the file of every table, to print them; it lies beside them."""
    inputs = "".join(f"\\input{{{table.name}.tex}}\n\\clearpage\n" for table in tables)
    return f"{_HEAD}{inputs}\\end{{document}}\n"


def to_html(table: Table) -> str:
    """A table that scrolls under its heading."""
    heading = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in table.columns)
    body = "".join(_html_group(group) for group in table.groups)
    return (
        f'<table class="compared" id="table-{table.name}"><thead><tr><th scope="col">stream</th>'
        f'<th scope="col"></th>{heading}</tr></thead>{body}</table>'
    )


def _html_group(group: Group) -> str:
    remark = f"<small>{html.escape(group.remark)}</small>" if group.remark else ""
    name = f"{html.escape(group.name)}{remark}"
    rows = []
    for i, line in enumerate(group.lines):
        head = f'<th scope="rowgroup" rowspan="{len(group.lines)}">{name}</th>' if i == 0 else ""
        cells = "".join(map(_html_cell, line.cells))
        rows.append(
            f'<tr class="{line.kind}">{head}<th scope="row">{html.escape(line.label)}</th>'
            f"{cells}</tr>"
        )
    return f"<tbody>{''.join(rows)}</tbody>"


def _html_cell(cell: Cell) -> str:
    marked = f' class="{cell.mark}"' if cell.mark else ""
    return f"<td{marked}>{html.escape(cell.text)}</td>"
