"""How results are shown: a page to open, figures for papers, tables."""

from shrubs.report.html import write_html
from shrubs.report.static import write_figures
from shrubs.report.study import write_study_report
from shrubs.report.tables import to_latex, to_markdown

__all__ = ["to_latex", "to_markdown", "write_figures", "write_html", "write_study_report"]
