"""Byte states in a Redis server (extra ``shrubs[redis]``), out of reach of a lost machine."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from shrubs.keyed.keys import Key
from shrubs.keyed.store import StoreError
from shrubs.messages import shown

__all__ = ["RedisStore"]

_STATES_AT_ONCE = 256
_LOST = "another process has opened this store"
# Scripts run as a whole or not at all. KEYS: owner, pending, states, progress.
_IF_OURS = f"""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('{_LOST}') end
"""
_PUT = f"{_IF_OURS} redis.call('HSET', KEYS[2], unpack(ARGV, 2))"
_COMMIT = f"""{_IF_OURS}
for _, key in ipairs(redis.call('HKEYS', KEYS[2])) do
    redis.call('HSET', KEYS[3], key, redis.call('HGET', KEYS[2], key))
end
redis.call('DEL', KEYS[2])
if ARGV[2] then redis.call('SET', KEYS[4], ARGV[2]) end
"""
_ROLLBACK = f"{_IF_OURS} redis.call('DEL', KEYS[2])"


class RedisStore:
    """A `Store` in a Redis server.

    It belongs to the process that opened it last: one that opened it earlier is refused from then
    on, so a process that is only cut off cannot undo what its successor learned. A commit is as
    durable as the server makes it (``appendonly yes``, ``appendfsync always`` outlive its power).

    Args:
        url: of the server: ``redis://host:6379/0``, ``rediss://...``, ``unix:///path``.
        name: of this store among others of the same server.
        timeout: seconds to wait for an answer.
    """

    def __init__(self, url: str, *, name: str = "learners", timeout: float = 30.0) -> None:
        try:
            import redis
        except ModuleNotFoundError as error:
            message = "RedisStore needs redis-py: pip install 'shrubs[redis]'"
            raise ModuleNotFoundError(message, name=error.name) from None
        self._errors = (redis.RedisError, ValueError)
        self._name = name
        # In a cluster, the braces keep all of it on one server.
        self._keys = [f"{{{name}}}:{part}" for part in ("owner", "pending", "states", "progress")]
        self._owner, self._pending, self._states, self._progress = self._keys
        self._token = secrets.token_hex(16)
        with self._explained():
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=timeout, socket_connect_timeout=timeout
            )
            with self._client.pipeline(transaction=True) as together:
                together.execute_command("SET", self._owner, self._token)
                together.execute_command("DEL", self._pending)
                together.execute()

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        """The newest state of each key, None for a key that has none."""
        fields = [_field(key) for key in keys]
        if not fields:
            return []
        with self._explained(), self._client.pipeline(transaction=False) as together:
            together.execute_command("HMGET", self._pending, *fields)
            together.execute_command("HMGET", self._states, *fields)
            pending, committed = together.execute()
        return [new or old for new, old in zip(pending, committed, strict=True)]

    def put_many(self, states: Iterable[tuple[Key, bytes]]) -> None:
        """Put states aside until the next commit."""
        rest = iter(states)
        while some := list(islice(rest, _STATES_AT_ONCE)):
            self._run(_PUT, *(part for key, state in some for part in (_field(key), state)))

    def commit(self, states: Iterable[tuple[Key, bytes]], progress: str | None = None) -> None:
        """Make these states and all that were put part of the store, in one script."""
        self.put_many(states)
        self._run(_COMMIT, *([] if progress is None else [progress]))

    def rollback(self) -> None:
        """Forget what was put since the last commit."""
        self._run(_ROLLBACK)

    def progress(self) -> str | None:
        """What the caller said at its last commit with progress."""
        with self._explained():
            said = self._client.execute_command("GET", self._progress)
        return None if said is None else said.decode()

    def keys(self) -> Iterator[Key]:
        """All keys that have a state."""
        with self._explained(), self._client.pipeline(transaction=False) as together:
            together.execute_command("HKEYS", self._pending)
            together.execute_command("HKEYS", self._states)
            pending, committed = together.execute()
        return map(_key, {*pending, *committed})

    def __len__(self) -> int:
        return sum(1 for _ in self.keys())

    def close(self) -> None:
        """Close the connections; what was put and not committed is forgotten."""
        try:
            self.rollback()
        finally:
            self._client.close()

    def _run(self, script: str, *arguments: Any) -> None:
        with self._explained():
            self._client.execute_command(
                "EVAL", script, len(self._keys), *self._keys, self._token, *arguments
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of the server in our words."""
        try:
            yield
        except self._errors as error:
            reason = _reason(str(error))
            raise StoreError(f"the Redis store {shown(self._name)} {reason}") from error


def _reason(said: str) -> str:
    if _LOST in said:
        return f"is not ours any more: {_LOST}"
    if "maxmemory" in said:
        return "has no room left: nothing was committed, and what was learned is still in memory"
    return f"cannot be used: {shown(said)}"


def _field(key: Key) -> bytes:
    if isinstance(key, bytes):
        return b"b" + key
    return f"i{key}".encode() if isinstance(key, int) else f"s{key}".encode()


def _key(field: bytes) -> Key:
    kind, content = field[:1], field[1:]
    if kind == b"b":
        return content
    return int(content) if kind == b"i" else content.decode()
