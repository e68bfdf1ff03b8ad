"""The site as it is built: complete, readable, and without anything from elsewhere."""

from __future__ import annotations

import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

import shrubs.analysis
import shrubs.experiments
from shrubs.cli.app import app

from .documents import DOCUMENTS, ROOT

MODULES = [
    "shrubs",
    "shrubs.adapters.moa",
    "shrubs.adapters.river",
    "shrubs.evaluation",
    "shrubs.export",
    "shrubs.protocols",
    "shrubs.report",
    "shrubs.results",
    "shrubs.runners.cluster",
    "shrubs.runners.study",
    "shrubs.runners.threads",
    "shrubs.streams",
    *(
        module.name
        for package in (shrubs.analysis, shrubs.experiments)
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        if not module.name.rpartition(".")[2].startswith("_")
    ),
]
COMMANDS = typer.main.get_command(app).commands
SHELL = re.compile(r"(?<=^```sh\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def public_names(module: str) -> list[str]:
    """What a module exports, without importing what may not be installed."""
    path = ROOT / "src" / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    listed = re.search(r"^__all__ = (\[.*?\])", file.read_text(encoding="utf-8"), re.M | re.S)
    return [f"{module}.{name}" for name in re.findall(r'"(\w+)"', listed[1])]


def test_the_site_is_whole_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]
    built = subprocess.run(
        [*command, tmp_path], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr

    pages = {page.stem: page.read_text(encoding="utf-8") for page in tmp_path.glob("*.html")}
    fetched = re.compile(r'<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="(?:https?:)?//')
    doctest_as_quote = re.compile(r"<blockquote>\s*<blockquote>")
    formula_not_set = re.compile(r"arithmatex|<m[a-z]+>\\")
    for page, html in pages.items():
        assert not fetched.search(html), page
        assert not doctest_as_quote.search(html), page
        assert not formula_not_set.search(html), page

    assert "<img" in pages["index"]
    assert (tmp_path / "figures/report.png").stat().st_size < 150_000

    article = re.compile(r"<article.*?</article>", re.S)
    reference = "".join(
        article.search(pages[page])[0] for page in ("reference", "reference-studies")
    )
    entries = re.findall(r'<h\d id="(shrubs\.[^"]*)"', reference)
    assert {name for module in MODULES for name in public_names(module)} - {*entries} == set()
    assert not re.findall(r"\b_+[a-z]\w+", re.sub(r"<[^>]*>", "", reference))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_commands_says_what_help_says(name: str) -> None:
    page = runpy.run_path(str(ROOT / "docs/hooks/commands.py"))["describe_commands"]()
    section = re.search(rf"^## shrubs {name}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output
    options = {*re.findall(r"--[a-z-]+", shown)} - {"--help"}
    assert {option for option in options if f"`{option}" not in section} == set()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_that_are_shown_can_be_typed(path: Path) -> None:
    for block in SHELL.findall(path.read_text(encoding="utf-8")):
        for line in re.findall(r"^(?:\w+=\S+ )?shrubs (.+)$", block.replace("\\\n", " "), re.M):
            name, *arguments = shlex.split(line, comments=True)
            COMMANDS[name].make_context(name, arguments)
