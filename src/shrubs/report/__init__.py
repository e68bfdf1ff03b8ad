"""How results are shown: a page to open, figures for papers, tables."""

from shrubs.report.pages.race import write_figures, write_html
from shrubs.report.pages.study import write_study_report
from shrubs.report.tables.results import to_latex, to_markdown

__all__ = ["to_latex", "to_markdown", "write_figures", "write_html", "write_study_report"]
