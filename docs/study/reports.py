"""Builds the reports of the tracked studies into the documentation (a hook of mkdocs).

Only their records and files are tracked: ``shrubs report`` makes the rest from them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shrubs.analysis.study import Outcomes
from shrubs.report import write_study_report
from shrubs.report.files import save_figures
from shrubs.report.pages.study import diagrams
from shrubs.results import read

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

STUDIES = Path(__file__).parent
BUILT = Path("build/docs")


def build_reports(output: Path) -> list[Path]:
    """Write the reports of all studies below ``study`` in ``output``; returns the files."""
    files = []
    for records in sorted(STUDIES.glob("*/results.jsonl.xz")):
        study, folder = records.parent, output / "study" / records.parent.name
        command = f"shrubs report docs/study/{study.name}"
        files += write_study_report(study, output=folder, command=command, figures=False)
        drawn = [("", each) for each in diagrams(Outcomes.of(read(study)))]
        files += save_figures(drawn, folder / "figures", formats=["svg"])
    return files


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the reports to the files of the site."""
    from mkdocs.structure.files import File

    output = Path(config.config_file_path).parent / BUILT
    for path in build_reports(output):
        name = path.relative_to(output).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files
