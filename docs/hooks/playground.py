"""Puts the playground on the front page, if it is built (a hook of mkdocs)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

BUILT = Path("build/playground/playground.html")
PICTURE = "(figures/playground.png)](browser.md)"
FRAME = """
<iframe class="playground" src="playground.html" title="The playground" loading="lazy"></iframe>

[In a window of its own](playground.html){target=_blank} · [how it is made](browser.md)
"""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the playground to the site."""
    from mkdocs.structure.files import File

    built = Path(config.config_file_path).parent / BUILT
    if built.is_file():
        files.append(File.generated(config, "playground.html", abs_src_path=str(built)))
    return files


def on_page_markdown(markdown: str, *, page: Page, files: Files, **_: object) -> str:
    """Put it where its picture stands."""
    is_built = files.get_file_from_path("playground.html") is not None
    if page.file.src_uri != "index.md" or not is_built:
        return markdown
    lines = markdown.splitlines()
    return "\n".join(FRAME if line.endswith(PICTURE) else line for line in lines)
