"""Fetches a file and verifies it; the only network code in the package."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shrubs.streams._extra import import_extra

__all__ = ["fetch_file"]

TIMEOUT_SECONDS = 30.0


def fetch_file(url: str, path: Path, *, sha256: str, timeout: float = TIMEOUT_SECONDS) -> Path:
    """Fetches ``url`` to ``path``; nothing is there until the checksum was found right.

    A file that is there already and has the right checksum is not fetched again.

    Args:
        url: an ``http`` or ``https`` address.
        path: where the file will be; its directory is made if needed.
        sha256: the checksum in hexadecimal digits.
        timeout: how long the server may be silent, in seconds.
    """
    pooch = import_extra("pooch", "fetching files")
    failures = import_extra("requests.exceptions", "fetching files")
    path.parent.mkdir(parents=True, exist_ok=True)
    by_hand = f"fetch it by hand and put it at {path}"
    try:
        with _quiet(pooch.get_logger()):
            fetched = pooch.retrieve(
                url,
                known_hash=f"sha256:{sha256}",
                fname=path.name,
                path=path.parent,
                downloader=pooch.HTTPDownloader(timeout=timeout),
            )
    except failures.RequestException as error:
        reason = _reason(error, failures)
        if error.response is not None:
            error.response.close()
        raise ConnectionError(f"{url} cannot be fetched: {reason}; {by_hand}") from error
    except ValueError as error:
        problem = "what came has the wrong sha256 checksum and was not kept"
        raise ValueError(f"{url}: {problem}; expected {sha256}") from error
    return Path(fetched)


def _reason(error: Any, failures: Any) -> str:
    """Gives the cause in a few words; the texts of the library are long."""
    if isinstance(error, failures.HTTPError):
        return f"the server answered {error.response.status_code}"
    if isinstance(error, failures.Timeout):
        return "the server did not answer in time"
    if isinstance(error, failures.ChunkedEncodingError):
        return "the connection broke off in the middle"
    if isinstance(error, failures.ConnectionError):
        return "the connection to the server failed"
    return type(error).__name__


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
