from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from shrubs.streams.download import fetch_file

pytest.importorskip("pooch", reason="needs shrubs[files]")

CONTENT = b"a,y\n1,2\n" * 50_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves CONTENT on /whole, breaks off on /half, is silent on /silent and counts requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.n_requests = 0
        self.closing = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.n_requests += 1
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path == "/silent":
            self.server.closing.wait()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        half = self.path == "/half"
        self.wfile.write(CONTENT[: len(CONTENT) // 2] if half else CONTENT)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.closing.set()
        running.shutdown()
        thread.join()


def one_line(error: pytest.ExceptionInfo[Exception]) -> str:
    message = str(error.value)
    assert "\n" not in message
    return message


def test_fetched_file_has_the_content(server: Server, tmp_path: Path) -> None:
    path = fetch_file(server.url("whole"), tmp_path / "new" / "x.csv", sha256=SHA256)
    assert path == tmp_path / "new" / "x.csv"
    assert path.read_bytes() == CONTENT


def test_fetching_is_silent(
    server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fetch_file(server.url("whole"), tmp_path / "x.csv", sha256=SHA256)
    assert capfd.readouterr() == ("", "")


def test_file_with_the_right_checksum_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    fetch_file(server.url("whole"), tmp_path / "x.csv", sha256=SHA256)
    fetch_file(server.url("whole"), tmp_path / "x.csv", sha256=SHA256)
    assert server.n_requests == 1


def test_file_with_a_wrong_checksum_is_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"damaged")
    fetch_file(server.url("whole"), tmp_path / "x.csv", sha256=SHA256)
    assert (tmp_path / "x.csv").read_bytes() == CONTENT


def test_wrong_checksum_is_one_clear_line_and_leaves_nothing(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"wrong sha256 checksum and was not kept") as error:
        fetch_file(server.url("whole"), tmp_path / "x.csv", sha256="0" * 64)
    assert server.url("whole") in one_line(error)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "reason", "timeout"),
    [
        ("half", "the connection broke off in the middle", 300),
        ("missing", "the server answered 404", 300),
        ("silent", "the server did not answer in time", 0.5),
    ],
)
def test_failing_server_is_one_clear_line_and_leaves_nothing(
    server: Server, tmp_path: Path, path: str, reason: str, timeout: float
) -> None:
    with pytest.raises(ConnectionError, match=reason) as error:
        fetch_file(server.url(path), tmp_path / "x.csv", sha256=SHA256, timeout=timeout)
    assert f"put it at {tmp_path / 'x.csv'}" in one_line(error)
    assert list(tmp_path.iterdir()) == []


def test_no_server_is_one_clear_line(tmp_path: Path) -> None:
    with Server() as other:
        url = other.url("whole")
    with pytest.raises(ConnectionError, match=r"the connection to the server failed") as error:
        fetch_file(url, tmp_path / "x.csv", sha256=SHA256)
    one_line(error)
