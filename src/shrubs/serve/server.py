"""The server: uvicorn with limits on connections, on what comes before a body, and on patience."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from shrubs.serve.app import make_app
from shrubs.serve.guard import Limits
from shrubs.serve.service import Service

__all__ = ["Protocol", "bind", "serve"]

_SECONDS_OF_HEAD = 10.0
_MAX_HEAD = 64 * 1024
_KEEP_ALIVE = 30
_LAST_SECONDS = 10
_OBJECTS_BETWEEN_LOOKS = 10_000
_SWITCH_SECONDS = 0.001  # so that no thread waits long for its turn


class Protocol(HttpToolsProtocol):
    """A connection whose client has to say in time, and in few bytes, what it wants."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See uvicorn."""
        super().connection_made(transport)
        # An answer goes out at once: asyncio leaves that to us where a socket does not say TCP.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._n_head = 0
        self._patience = self.loop.call_later(_SECONDS_OF_HEAD, transport.abort)
        if len(self.connections) > 2 * (self.limit_concurrency or len(self.connections)):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """See uvicorn."""
        self._patience.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See uvicorn."""
        if self._n_head >= 0:
            self._n_head += len(data)
        super().data_received(data)
        if self._n_head > _MAX_HEAD:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """See uvicorn."""
        self._patience.cancel()
        self._patience = self.loop.call_later(_SECONDS_OF_HEAD, self.transport.abort)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """See uvicorn."""
        self._n_head = -1  # the body has a limit of its own
        self._patience.cancel()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """See uvicorn."""
        self._n_head = 0
        self.scope["is_whole"] = True  # type: ignore[typeddict-unknown-key]
        super().on_message_complete()

    def timeout_keep_alive_handler(self) -> None:
        """Also a client that does not read its answer has to go."""
        self.transport.abort()


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:  # Python adds the address in brackets, in its own words
        reason = str(error.strerror).partition(" (")[0]
        raise OSError(error.errno, reason, f"{host}:{port}") from None


def serve(service: Service, listening: socket.socket, limits: Limits) -> None:
    """Serve until SIGTERM or SIGINT; then what has come is learned and the model saved."""
    app: Any = make_app(service, limits, ends=lambda: server.should_exit)
    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=limits.max_connections,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    server = uvicorn.Server(config)
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.freeze()  # what is there stays, and rows make no circles: looking for some would take long
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)

    def end(number: int, frame: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):  # before uvicorn listens to them, and after
        signal.signal(number, end)
    service.start()
    try:
        server.run(sockets=[listening])
    finally:
        service.stop()
