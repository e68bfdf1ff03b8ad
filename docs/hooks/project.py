"""Adds the documents beside ``docs`` that developers read (a hook of mkdocs)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PAGES = {"CONTRIBUTING.md": "contributing.md", "STYLE.md": "style.md", "CHANGELOG.md": "changes.md"}
_LINK = re.compile(r"\[([^]]*)\]\(([^)]*)\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the documents to the pages of the site."""
    from mkdocs.structure.files import File

    root = Path(config.config_file_path).parent
    for name, page in PAGES.items():
        text = (root / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_LINK.sub(_within_the_site, text)))
    return files


def _within_the_site(link: re.Match[str]) -> str:
    """The same link seen from the site; only the words where it has no such page."""
    words, target = link.groups()
    if target.startswith(("http", "#")):
        return link[0]
    page = PAGES.get(target) or target.removeprefix("docs/")
    return f"[{words}]({page})" if target != page else words
