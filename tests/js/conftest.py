"""What the tests of the package for browsers and Node need; `make playground` builds it."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from tests.unit.report.conftest import CHROMIUM, OPTIONS

ROOT = Path(__file__).parents[2]
WASM = ROOT / "js/shrubs.wasm"
PAGE = ROOT / "build/playground/playground.html"


def _built(path: Path, *folders: str) -> Path:
    """A file that was made from these folders, and not before they changed."""
    if not path.is_file():
        pytest.skip(f"{path.relative_to(ROOT)} is not built; make playground builds it")
    sources = [file for folder in folders for file in (ROOT / folder).rglob("*.[chj]*")]
    if any(file.stat().st_mtime > path.stat().st_mtime for file in sources):
        pytest.skip(f"{path.relative_to(ROOT)} is older than its sources; run make playground")
    return path


@pytest.fixture(scope="session")
def wasm() -> Path:
    return _built(WASM, "cpp/include", "cpp/src", "cpp/wasm")


@pytest.fixture(scope="session")
def playground(wasm: Path) -> Path:
    return _built(PAGE, "js/playground")


@pytest.fixture(scope="session")
def node(wasm: Path):
    """Runs Node in the folder of the package."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")

    def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        command = ["node", *arguments]
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            cwd=ROOT / "js",
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(wasm: Path):
    """The folder of the package behind HTTP."""
    handler = functools.partial(_Quiet, directory=ROOT / "js")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
