"""Adds the notebooks of ``examples``, with what they showed when they ran (a hook of mkdocs)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add a page for every notebook."""
    from mkdocs.structure.files import File

    for path in sorted(Path(config.config_file_path).parent.glob("examples/*.ipynb")):
        name = f"{path.stem.replace('_', '-')}.md"
        files.append(File.generated(config, name, content=page(path)))
    return files


def page(path: Path) -> str:
    """The notebook in Markdown."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return "\n\n".join(map(_cell, notebook["cells"])) + "\n"


def _cell(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    shell = source.startswith("%%sh\n")
    code = f"```{'sh' if shell else 'python'}\n{source.removeprefix('%%sh').lstrip()}\n```"
    kept = [output for output in cell["outputs"] if output.get("name") != "stderr"]  # progress
    return "\n\n".join([code, *map(_output, kept)])


def _output(output: dict[str, Any]) -> str:
    shown = output.get("data", {"text/plain": output.get("text")})
    if "text/html" in shown:
        return "".join(shown["text/html"])
    return f"```text\n{_COLOUR.sub('', ''.join(shown['text/plain'])).rstrip()}\n```"
