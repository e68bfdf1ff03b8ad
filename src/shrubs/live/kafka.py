"""Follows a Kafka topic: predictions, changed states and offsets are one transaction.

A message of the state topic is a model with the offsets up to which it has learned, so that the two
can never be apart. Where there is a model per key, each has its own, and one more says what they
have in common. That one, or the only one, is the last of its transaction: states with offsets
beyond its own belong to a transaction that was never committed.

Not all brokers hide what such a transaction has sent. So a start looks which predictions of rows
that are still to be learned can be read already; these are not written again.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from shrubs.interrupts import Stop
from shrubs.live.follow import Answers, Followed
from shrubs.live.states import States
from shrubs.messages import shown
from shrubs.streams.formats.jsonl import parse_object

__all__ = ["KafkaAddress", "follow_kafka"]

_TICK = 0.2  # seconds between two looks
_PATIENCE = 10.0  # seconds for one attempt at what a broker has to answer
_MAX_UNPACKED = 2**30


@dataclass(frozen=True)
class KafkaAddress:
    """Brokers, and the topics of rows, predictions and models."""

    brokers: str
    topic: str

    @classmethod
    def of(cls, text: str) -> KafkaAddress:
        """The address in ``kafka://host:port,host:port/topic``.

        >>> KafkaAddress.of("kafka://localhost/clicks")
        KafkaAddress(brokers='localhost', topic='clicks')
        """
        parts = urlsplit(text)
        topic = parts.path.strip("/")
        if not parts.netloc or not topic or "/" in topic:
            raise ValueError(f"a topic is given as kafka://host:port/topic, got {shown(text)}")
        return cls(parts.netloc, topic)

    @property
    def predictions(self) -> str:
        """The topic of predictions."""
        return f"{self.topic}-predictions"

    @property
    def models(self) -> str:
        """The topic of models, by name; it should be compacted."""
        return f"{self.topic}-models"


class _AgainError(Exception):
    """A transaction was given up: begin with what is committed."""


def follow_kafka(
    address: KafkaAddress,
    name: str,
    states: States,
    *,
    answers: Answers,
    stop: Stop,
    tell: Callable[[str], None],
    skip_bad: bool = False,
    batch: int = 500,
    options: Mapping[str, str] | None = None,
) -> Followed:
    """Predict and learn the rows of a topic until it is asked to stop.

    Rows are JSON objects. Their predictions have the key of their row, and headers: ``source``
    names its partition and offset, ``model`` the model. Where the topic of models has a model of
    this name, it goes on, not the one that is given. A second follower of the same name fences the
    first off.

    Args:
        address: where the topics are.
        name: the name of the model.
        states: the model to begin with, as messages carry it.
        answers: what to answer.
        stop: says when to stop.
        tell: is told in words that brokers are waited for.
        skip_bad: whether to pass over what is refused; otherwise it raises ValueError.
        batch: rows in a transaction, at most.
        options: further settings of librdkafka.
    """
    done = Followed()
    while not stop.asked:
        follower = _Follower(
            address, name, states, answers=answers, tell=tell, options=options or {}
        )
        try:
            follower.start(stop)
            while not stop.asked:
                follower.step(done, batch, stop, skip_bad=skip_bad)
        except _AgainError:
            states.reset()  # it has learned what is not committed
        finally:
            follower.close()
    return done


class _Follower:
    """One session with the brokers, from what is committed to the first transaction that fails."""

    def __init__(
        self,
        address: KafkaAddress,
        name: str,
        states: States,
        *,
        answers: Answers,
        tell: Callable[[str], None],
        options: Mapping[str, str],
    ) -> None:
        self._kafka = _import_kafka()
        self._tell, self._is_away = tell, False
        self._address = address
        self._name = name
        self._states = states
        self._answers = answers
        common = {
            "bootstrap.servers": address.brokers,
            "log_level": "0",
            "error_cb": self._wait_for,
            **options,
        }
        quick = {"fetch.wait.max.ms": "100"}  # the first rows of a partition wait for the others
        self._producer = self._kafka.Producer(
            {**common, "transactional.id": f"shrubs-{name}", "linger.ms": "0"}
        )
        self._consumer = self._kafka.Consumer(
            {
                **quick,
                **common,
                "group.id": f"shrubs-{name}",
                "isolation.level": "read_committed",
                "enable.auto.commit": "false",
                "auto.offset.reset": "earliest",
                "enable.partition.eof": "true",
            }
        )
        self._offsets: dict[int, int] = {}  # by partition, of the next row
        self._written: dict[int, int] = {}  # by partition, behind the last prediction
        self._readable: set[str] = set()  # rows still to be learned whose prediction is there

    def start(self, stop: Stop) -> None:
        """Fence off whoever had this model, and go on with what it committed."""
        self._insist(self._producer.init_transactions, stop)
        self._read_states(stop)
        self._read_predictions(stop)
        topic = self._address.topic
        self._assign(topic, self._partitions(topic, stop), self._offsets)

    def close(self) -> None:
        """Leave; a producer that lives on, and tries again, could fence the next one off."""
        self._consumer.close()
        del self._producer

    def step(self, done: Followed, batch: int, stop: Stop, *, skip_bad: bool) -> None:
        """Take what has come, and commit what became of it."""
        messages = [m for m in self._some(batch) if m.error() is None]
        if not messages:
            return
        self._is_away = False
        self._insist(lambda timeout: self._producer.begin_transaction(), stop)
        counted = Followed(last_problem=done.last_problem)
        refused = None
        for message in messages:
            try:
                self._row(message, counted, skip_bad)
            except ValueError as error:
                refused = error  # after what came before it is committed
                break
            self._offsets[message.partition()] = message.offset() + 1
        self._commit(stop)
        done.rows += counted.rows
        done.learned += counted.learned
        done.skipped += counted.skipped
        done.last_problem = counted.last_problem
        if refused is not None:
            raise refused

    def _row(self, message: Any, counted: Followed, skip_bad: bool) -> None:
        source = f"{self._address.topic}/{message.partition()}/{message.offset()}"
        try:
            row = parse_object(message.value() or b"")
            model = self._states.model or self._states.begin(row)
            model.check(row)
            answer = self._answers.line(model, row, row).rstrip("\n")
            if model.learn(row):
                counted.learned += 1
                self._states.learned(row)
            self._states.model = model
        except ValueError as error:
            if not skip_bad:
                raise ValueError(f"{source}: {error}") from None
            counted.skipped += 1
            counted.last_problem = f"{source}: {error}"
        else:
            if source not in self._readable:
                headers = {"source": source.encode(), "model": self._name.encode()}
                self._produce(self._address.predictions, message.key(), answer.encode(), headers)
        counted.rows += 1

    def _commit(self, stop: Stop) -> None:
        """Predictions first, then states with their offsets, that of the whole last."""
        if not self._offsets or self._states.model is None:
            self._insist(self._producer.abort_transaction, stop)
            return
        self._flush(stop)
        for part, state in self._states.changed():
            self._produce_state(f"{self._name}/{part}", state)
        self._flush(stop)
        self._produce_state(self._name, self._states.whole())
        positions = [
            self._kafka.TopicPartition(self._address.topic, partition, offset)
            for partition, offset in self._offsets.items()
        ]
        group = self._consumer.consumer_group_metadata()
        self._insist(lambda timeout: self._send_offsets(positions, group, timeout, stop), stop)
        self._insist(self._producer.commit_transaction, stop)

    def _send_offsets(self, positions: Any, group: Any, timeout: float, stop: Stop) -> None:
        """In a thread of its own: librdkafka may wait for a broker that it gave up, for ever."""
        sent = _in_thread(self._producer.send_offsets_to_transaction, positions, group, timeout)
        until = time.monotonic() + 1.5 * timeout
        while not sent.done() and time.monotonic() < until and not stop.asked:
            wait([sent], _TICK)
        if not sent.done():
            raise _AgainError
        sent.result()

    def _flush(self, stop: Stop) -> None:
        """Wait until a broker has all that was sent; what it refuses fails at the commit."""
        while self._insist(self._producer.flush, stop):
            if stop.asked:
                raise _AgainError

    def _produce_state(self, name: str, state: bytes) -> None:
        packed = zlib.compress(state, 1)
        headers = {"offsets": self._offsets, "predictions": self._written}
        encoded = {name: json.dumps(value).encode() for name, value in headers.items()}
        self._produce(self._address.models, name, packed, encoded)

    def _produce(self, topic: str, key: Any, value: bytes, headers: dict[str, bytes]) -> None:
        while True:
            try:
                self._producer.produce(
                    topic, value, key, headers=headers, on_delivery=self._delivered
                )
                self._producer.poll(0)
                return
            except BufferError:
                self._producer.poll(_TICK)
            except self._kafka.KafkaException as error:
                raise OSError(f"{topic}: {error.args[0].str()}") from None

    def _delivered(self, error: Any, message: Any) -> None:
        if error is None and message.topic() == self._address.predictions:
            offset = message.offset()  # unknown of one that was sent again, and had arrived before
            if offset is not None:
                self._written[message.partition()] = offset + 1

    def _read_states(self, stop: Stop) -> None:
        """Take the last state of this name with its offsets, and those of its parts."""
        whole = None
        for message in self._messages(self._address.models, stop):
            if message.key() == self._name.encode():
                whole, self._offsets, self._written = self._state(message)
        self._states.take(whole, self._parts(stop) if self._states.has_parts else ())

    def _parts(self, stop: Stop) -> Iterator[tuple[str, bytes]]:
        """The states of parts that were committed; not all brokers hide the others."""
        prefix = f"{self._name}/".encode()
        for message in self._messages(self._address.models, stop):
            if (message.key() or b"").startswith(prefix):
                state, offsets, _ = self._state(message)
                if all(end <= self._offsets.get(i, 0) for i, end in offsets.items()):
                    yield message.key()[len(prefix) :].decode(), state

    def _read_predictions(self, stop: Stop) -> None:
        """Note what was written behind the last state: nothing, if the broker hides it."""
        for message in self._messages(self._address.predictions, stop, self._written):
            headers = dict(message.headers() or ())
            if headers.get("model") == self._name.encode():
                self._readable.add(headers["source"].decode())

    def _messages(
        self, topic: str, stop: Stop, begin: Mapping[int, int] = MappingProxyType({})
    ) -> Iterator[Any]:
        """All that a topic holds from these offsets on; those of a partition in order."""
        left = set(self._partitions(topic, stop))
        self._assign(topic, left, begin)
        while left:
            for message in self._some(100):
                error = message.error()
                if error is None:
                    yield message
                elif error.code() == self._kafka.KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
            if stop.asked:
                raise _AgainError

    def _assign(self, topic: str, partitions: Iterable[int], begin: Mapping[int, int]) -> None:
        places = [(i, begin.get(i, self._kafka.OFFSET_BEGINNING)) for i in partitions]
        self._consumer.assign([self._kafka.TopicPartition(topic, *place) for place in places])

    def _some(self, most: int) -> list[Any]:
        """What has come, as soon as anything has; none after a moment without."""
        first = self._consumer.consume(1, _TICK)
        return [*first, *(self._consumer.consume(most - 1, 0) if first and most > 1 else ())]

    def _state(self, message: Any) -> tuple[bytes, dict[int, int], dict[int, int]]:
        """A byte state, and the offsets up to which it has learned, and predicted."""
        try:
            state = zlib.decompressobj().decompress(message.value(), _MAX_UNPACKED)
            headers = dict(message.headers() or ())
            offsets = _by_partition(headers["offsets"])
            return state, offsets, _by_partition(headers.get("predictions", b"{}"))
        except (zlib.error, KeyError, ValueError, AttributeError, TypeError):
            raise ValueError(f"{self._address.models}: a model in it is not readable") from None

    def _partitions(self, topic: str, stop: Stop) -> list[int]:
        """Those of a topic; one that is not there yet may be made by the broker when asked for."""
        while not stop.asked:
            found = self._insist(
                lambda timeout: self._producer.list_topics(topic, timeout=timeout), stop
            )
            described = found.topics[topic]
            if described.error is None and described.partitions:
                return sorted(described.partitions)
            time.sleep(_TICK)
        raise _AgainError

    def _insist(self, ask: Callable[[float], Any], stop: Stop) -> Any:
        """Ask until a broker answers, however long it is away."""
        while True:
            try:
                return ask(_PATIENCE)
            except self._kafka.KafkaException as failure:
                error = failure.args[0]
                if error.txn_requires_abort():
                    self._give_up()
                if error.fatal():
                    raise OSError(f"{self._address.brokers}: {error.str()}") from None
                if stop.asked:
                    raise _AgainError from None
                if not (error.retriable() or error.code() in _away(self._kafka)):
                    raise OSError(f"{self._address.brokers}: {error.str()}") from None
                self._wait_for(error)

    def _wait_for(self, error: Any) -> None:
        """Say once that brokers are away."""
        if error.code() in _away(self._kafka) and not self._is_away:
            self._is_away = True
            self._tell(f"waiting for {self._address.brokers}: {error.str()}")

    def _give_up(self) -> None:
        with contextlib.suppress(self._kafka.KafkaException):  # whoever begins again ends it
            self._producer.abort_transaction(_PATIENCE)
        raise _AgainError


def _in_thread(work: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """What becomes of a call; nobody waits for its thread at the end."""
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(work(*arguments))
        except Exception as error:
            found.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return found


def _by_partition(header: bytes) -> dict[int, int]:
    return {int(partition): int(offset) for partition, offset in json.loads(header).items()}


def _away(kafka: Any) -> tuple[int, ...]:
    """What is said while a broker is away."""
    error = kafka.KafkaError
    return error._TIMED_OUT, error._TRANSPORT, error._ALL_BROKERS_DOWN, error._RESOLVE


def _import_kafka() -> Any:
    try:
        import confluent_kafka
    except ImportError:
        raise ImportError("following a topic needs an extra: pip install 'shrubs[kafka]'") from None
    return confluent_kafka
