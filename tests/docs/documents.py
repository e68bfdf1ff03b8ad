"""The documents and the sessions in them.

A fenced block marked ``python`` is an interactive session with ``>>>`` prompts and the output it
shows; ``...`` in the output stands for anything. The blocks of a file run in order, in one
namespace and one directory. A block that imports a package that is not installed is left out.

``python -m tests.docs.documents`` writes the real output wherever another one is shown. Read the
difference before you commit it.
"""

import ast
import contextlib
import doctest
import functools
import importlib.util
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shrubs.adapters.moa_jvm import has_java

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

_BLOCK = re.compile(r"(?<=^```python\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_FLAGS = doctest.ELLIPSIS | doctest.REPORT_UDIFF


def missing_packages(session: doctest.DocTest) -> list[str]:
    """The packages that a session imports and that are not installed."""
    imported = set()
    for example in session.examples:
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module).partition(".")[0])
    missing = [name for name in imported if importlib.util.find_spec(name) is None]
    if "capymoa" in imported and not missing and not has_java():
        missing.append("Java")
    return sorted(missing)


@dataclass
class Document:
    """A document whose sessions run one after the other."""

    path: Path
    namespace: dict[str, Any] = field(default_factory=dict)
    n_run: int = 0

    @functools.cached_property
    def sessions(self) -> list[doctest.DocTest]:
        """The blocks as doctests."""
        text = self.path.read_text(encoding="utf-8")
        parser = doctest.DocTestParser()
        return [
            parser.get_doctest(
                block[0], {}, self.path.name, str(self.path), text[: block.start()].count("\n")
            )
            for block in _BLOCK.finditer(text)
        ]

    @functools.cached_property
    def _directory(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory()

    def run_upto(self, index: int, runner: type[doctest.DocTestRunner]) -> str:
        """Run the blocks up to ``index`` that have not run yet; the report of the last one."""
        report: list[str] = []
        while self.n_run <= index:
            report = []
            session = self.sessions[self.n_run]
            self.n_run += 1
            if missing_packages(session):
                continue
            session.globs = self.namespace
            with _inside(self._directory.name):
                runner(optionflags=_FLAGS, verbose=False).run(
                    session, out=report.append, clear_globs=False
                )
        return "".join(report)


class _Correcting(doctest.DocTestRunner):
    """Puts what it got in place of what the example wants."""

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        head = "Traceback (most recent call last):\n"
        if got.startswith(head):
            got = f"{head}    ...\n{got.splitlines()[-1]}\n"
        example.want = got

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        kind, error, _ = exc_info
        example.want = f"Traceback (most recent call last):\n    ...\n{kind.__name__}: {error}\n"


@contextlib.contextmanager
def _inside(directory: str) -> Any:
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def _as_text(session: doctest.DocTest) -> str:
    lines = []
    for example in session.examples:
        first, *others = example.source.splitlines()
        lines += [f">>> {first}", *(f"... {line}".rstrip() for line in others)]
        lines += example.want.splitlines()
    return "\n".join(lines) + "\n"


def _correct(path: Path) -> None:
    document = Document(path)
    document.run_upto(len(document.sessions) - 1, _Correcting)
    sessions = iter(document.sessions)
    text = path.read_text(encoding="utf-8")
    path.write_text(_BLOCK.sub(lambda _: _as_text(next(sessions)), text), encoding="utf-8")


if __name__ == "__main__":
    for document_path in DOCUMENTS:
        _correct(document_path)
