"""What every request passes first: who may ask, how much may come, and how long it takes."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Guard", "Limits", "RefusedError", "problem"]

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

LINES = ("application/x-ndjson", "application/jsonl", "application/jsonlines")
_TYPES = ("application/json", *LINES)
_OPEN = ("/", "/health", "/docs", "/openapi.json")  # they tell nothing about the model's data
_SECONDS_OF_BODY = 20.0
_BODIES_AT_ONCE = 8  # as large as they may be
_READ_TO_REFUSE = 4  # times what a body may have


@dataclass(frozen=True)
class Limits:
    """Who may ask what.

    Args:
        max_body: bytes of a request.
        max_connections: at a time.
        token: that requests must carry; none for everybody.
        hosts: the names by which browsers may call the service; empty for all. A page on another
            site could lead its own name here, and ask in the name of the reader.
    """

    max_body: int = 8 * 2**20
    max_connections: int = 256
    token: str = ""
    hosts: tuple[str, ...] = ()


class RefusedError(Exception):
    """An answer that is an error: its status, and what to say."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """Around an application: refuses what may not come in, and tells ``measured`` of the rest.

    Args:
        app: gets requests whose bodies are there, whole: ``body`` in their scope, and whether it
            is ``many`` lines. A scope with ``is_whole`` says that the whole body has come.
        limits: see `Limits`.
        measured: is told path, status and seconds of every request.
    """

    def __init__(
        self, app: App, limits: Limits, measured: Callable[[str, int, float], None]
    ) -> None:
        self._app = app
        self._limits = limits
        self._measured = measured
        self._bearer = f"Bearer {limits.token}".encode()
        self._n_bytes = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """As ASGI asks for it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        start, status = time.perf_counter(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if scope["method"] == "GET":
                    message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        scope["body"] = body = b""
        try:
            scope["body"] = body = await self._admitted(scope, receive)
            self._n_bytes += len(body)
            await self._app(scope, receive, answer)
        except RefusedError as refused:
            await _refuse(refused, answer)
        finally:
            self._n_bytes -= len(body)
            self._measured(scope["path"], status, time.perf_counter() - start)
        return None

    async def _admitted(self, scope: MutableMapping[str, Any], receive: Receive) -> bytes:
        """The body of a request that may come in; raises RefusedError."""
        headers = dict(scope["headers"])
        self._check_host(headers)
        if self._limits.token and scope["path"] not in _OPEN:
            self._check_token(headers)
        if scope["method"] != "POST":
            return b""
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower().decode("latin-1")
        if kind not in _TYPES:
            raise RefusedError(415, f"the content type must be {_TYPES[0]} or {_TYPES[1]}")
        scope["many"] = kind != _TYPES[0]
        announced = headers.get(b"content-length", b"")
        return await self._body(announced, receive, is_whole=scope.get("is_whole", False))

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1").rpartition(":")
        name = host[0] if host[0] and host[2].isdigit() else "".join(host)
        if self._limits.hosts and name.lower() not in self._limits.hosts:
            raise RefusedError(421, f"this service is called {self._limits.hosts[0]}")

    def _check_token(self, headers: dict[bytes, bytes]) -> None:
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._bearer):
            raise RefusedError(401, "the header Authorization must be Bearer and the token")

    async def _body(self, announced: bytes, receive: Receive, *, is_whole: bool) -> bytes:
        limit = self._limits.max_body
        if self._n_bytes > _BODIES_AT_ONCE * limit:
            raise RefusedError(503, "too much is coming in at once; try again")
        is_too_long = announced.isdigit() and int(announced[:20]) > limit
        until = time.monotonic() + _SECONDS_OF_BODY
        message: Message = {"more_body": True}
        body = b""
        while message.get("more_body") and len(body) <= limit and not is_too_long:
            try:
                if is_whole:  # then it takes no time, and a clock takes long
                    message = await receive()
                else:
                    message = await asyncio.wait_for(receive(), until - time.monotonic())
            except asyncio.TimeoutError:
                raise RefusedError(408, "the body did not come in time") from None
            body += message.get("body", b"")
        if is_too_long or len(body) > limit:
            if message.get("more_body"):
                await _throw_away(receive, _READ_TO_REFUSE * limit)
            raise RefusedError(413, f"a body must have at most {limit:,} bytes")
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "the body did not come")
        return body


async def _throw_away(receive: Receive, most: int) -> None:
    """What else comes within a second: who is still writing may never read why it was refused."""
    until = time.monotonic() + 1.0
    message: Message = {"more_body": True}
    while message.get("more_body") and most > 0:
        try:
            message = await asyncio.wait_for(receive(), until - time.monotonic())
        except asyncio.TimeoutError:
            return
        most -= len(message.get("body", b""))


_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
]


def problem(message: str) -> bytes:
    """The body of an answer that is an error."""
    return json.dumps({"error": message}).encode()


async def _refuse(refused: RefusedError, send: Send) -> None:
    """Answer, and end the connection: the rest of the request may be still coming."""
    body = problem(str(refused))
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
