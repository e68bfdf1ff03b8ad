"""A LaTeX document around the tables, to print them or to check that they compile."""

from __future__ import annotations

from collections.abc import Iterable

from shrubs.report.study.table import Table

__all__ = ["latex_document"]

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


def latex_document(tables: Iterable[Table]) -> str:
    """Reads the file of every table; it lies beside them."""
    inputs = "".join(f"\\input{{{table.name}.tex}}\n\\clearpage\n" for table in tables)
    return f"{_HEAD}{inputs}\\end{{document}}\n"
