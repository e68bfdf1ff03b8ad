"""The documents tell the truth: code runs, output is as shown, links and names lead somewhere."""

import doctest
import functools
import re
import runpy
from pathlib import Path

import pytest

from .documents import DOCUMENTS, ROOT, Document, missing_packages

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
NAMED_PATH = re.compile(r"`((?:cpp|src|tests|docs|examples|changelog\.d)/[\w./-]+)`")
ALGORITHM = (ROOT / "docs/algorithm.md").read_text(encoding="utf-8")

# One per process, so that the blocks before a block have run.
document = functools.cache(Document)

SESSIONS = [
    pytest.param(path, index, id=f"{path.name}:{session.lineno}")
    for path in DOCUMENTS
    for index, session in enumerate(document(path).sessions)
]


@pytest.mark.parametrize(("path", "index"), SESSIONS)
def test_shown_output_is_the_real_output(
    path: Path, index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = document(path).sessions[index]
    assert session.examples, "a python block needs >>> prompts"
    missing = missing_packages(session)
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    monkeypatch.setenv("MPLBACKEND", "agg")
    differences = document(path).run_upto(index, doctest.DocTestRunner)
    assert not differences, differences


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the site has beside the files in docs: the reports of the studies, all commands."""
    output = tmp_path_factory.mktemp("docs")
    commands = runpy.run_path(str(ROOT / "docs/hooks/commands.py"))["describe_commands"]()
    (output / "commands.md").write_text(commands, encoding="utf-8")
    assert runpy.run_path(str(ROOT / "docs/study/reports.py"))["build_reports"](output)
    return output


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_named_files_exist(path: Path, built: Path) -> None:
    text = path.read_text(encoding="utf-8")
    links = [target for target in LINK.findall(text) if not target.startswith("http")]
    gone = [t for t in links if not (path.parent / t).exists() and not (built / t).exists()]
    gone += [name for name in NAMED_PATH.findall(text) if not (ROOT / name).exists()]
    assert not gone


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_table_begins_with_its_heading(path: Path) -> None:
    tables = re.findall(r"(?:^\|.*\|\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)
    ruled = re.compile(r"\|.*\n\|[-:| ]+\|\n")
    assert [table for table in tables if not ruled.match(table)] == []


@pytest.mark.parametrize("row", re.findall(r"^\| \d.*`cpp/src/.*\|$", ALGORITHM, re.MULTILINE))
def test_functions_beside_the_lines_of_the_algorithm_exist(row: str) -> None:
    step, done_by = row.removesuffix(" |").split(" | ")[-2:]
    file, *functions = re.findall(r"`([^`]+)`", done_by)
    steps = re.findall(r"`([^`]+)`", step)
    assert functions
    assert steps
    assert missing_functions(file, functions) == []
    assert missing_functions("cpp/src/paper/ensemble.cpp", steps) == []


def missing_functions(file: str, functions: list[str]) -> list[str]:
    source = (ROOT / file).read_text(encoding="utf-8")
    return [name for name in functions if f"{name}(" not in source]
