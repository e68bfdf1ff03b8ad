"""Follows a Kafka topic: predictions, the changed model and offsets are one transaction.

A message of the state topic is the whole model with the offsets up to which it has learned, so that
the two can never be apart. It is the last one of its transaction.
"""

from __future__ import annotations

import contextlib
import json
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from shrubs.interrupts import Stop
from shrubs.live.follow import Answers, Followed
from shrubs.live.model import Model
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
    model: Model | None,
    begin: Callable[[Mapping[str, Any]], Model],
    *,
    answers: Answers,
    stop: Stop,
    skip_bad: bool = False,
    batch: int = 500,
    options: Mapping[str, str] | None = None,
) -> tuple[Followed, Model | None]:
    """Predict and learn the rows of a topic until it is asked to stop; gives the last model.

    Rows are JSON objects. Their predictions have the key of their row, and a header ``source`` that
    names its partition and offset. Where the topic of models has a model of this name, it goes on,
    not ``model``. A second follower of the same name fences the first off.

    Args:
        address: where the topics are.
        name: the name of the model.
        model: the model to begin with; None for a new one.
        begin: makes a model of the first row.
        answers: what to answer.
        stop: says when to stop.
        skip_bad: whether to pass over what is refused; otherwise it raises ValueError.
        batch: rows in a transaction, at most.
        options: further settings of librdkafka.
    """
    done = Followed()
    state = None if model is None else model.to_bytes()
    while not stop.asked:
        first = None if state is None else Model.from_bytes(state)
        follower = _Follower(
            address, name, first, begin=begin, answers=answers, options=options or {}
        )
        try:
            follower.start(stop)
            while not stop.asked:
                follower.step(done, batch, stop, skip_bad=skip_bad)
        except _AgainError:
            continue
        finally:
            follower.close()
        return done, follower.model
    return done, model


class _Follower:
    """One session with the brokers, from what is committed to the first transaction that fails."""

    def __init__(
        self,
        address: KafkaAddress,
        name: str,
        model: Model | None,
        *,
        begin: Callable[[Mapping[str, Any]], Model],
        answers: Answers,
        options: Mapping[str, str],
    ) -> None:
        self._kafka = _import_kafka()
        self._address = address
        self._name = name
        self.model = model
        self._begin = begin
        self._answers = answers
        common = {
            "bootstrap.servers": address.brokers,
            "log_level": "0",
            "error_cb": lambda error: None,  # a broker that is away is waited for
            **options,
        }
        self._producer = self._kafka.Producer(
            {**common, "transactional.id": f"shrubs-{name}", "linger.ms": "0"}
        )
        self._consumer = self._kafka.Consumer(
            {
                **common,
                "group.id": f"shrubs-{name}",
                "isolation.level": "read_committed",
                "enable.auto.commit": "false",
                "auto.offset.reset": "earliest",
                "enable.partition.eof": "true",
            }
        )
        self._offsets: dict[int, int] = {}  # by partition, of the next row

    def start(self, stop: Stop) -> None:
        """Fence off whoever had this model, and go on with what it committed."""
        self._insist(self._producer.init_transactions, stop)
        self._read_state(stop)
        starts = [
            self._kafka.TopicPartition(
                self._address.topic, i, self._offsets.get(i, self._kafka.OFFSET_BEGINNING)
            )
            for i in self._partitions(self._address.topic, stop)
        ]
        self._consumer.assign(starts)

    def close(self) -> None:
        """Leave."""
        self._consumer.close()

    def step(self, done: Followed, batch: int, stop: Stop, *, skip_bad: bool) -> None:
        """Take what has come, and commit what became of it."""
        messages = [m for m in self._consumer.consume(batch, _TICK) if m.error() is None]
        if not messages:
            return
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
            model = self.model or self._begin(row)
            model.check(row)
            answer = self._answers.line(model, row, row).rstrip("\n")
            counted.learned += model.learn(row)
            self.model = model
        except ValueError as error:
            if not skip_bad:
                raise ValueError(f"{source}: {error}") from None
            counted.skipped += 1
            counted.last_problem = f"{source}: {error}"
        else:
            headers = {"source": source.encode()}
            self._produce(self._address.predictions, message.key(), answer.encode(), headers)
        counted.rows += 1

    def _commit(self, stop: Stop) -> None:
        """Predictions first, then the model with its offsets."""
        if not self._offsets or self.model is None:
            self._insist(self._producer.abort_transaction, stop)
            return
        self._insist(self._producer.flush, stop)
        offsets = json.dumps(self._offsets).encode()
        state = zlib.compress(self.model.to_bytes(), 1)
        self._produce(self._address.models, self._name, state, {"offsets": offsets})
        positions = [
            self._kafka.TopicPartition(self._address.topic, partition, offset)
            for partition, offset in self._offsets.items()
        ]
        group = self._consumer.consumer_group_metadata()
        self._insist(
            lambda timeout: self._producer.send_offsets_to_transaction(positions, group, timeout),
            stop,
        )
        self._insist(self._producer.commit_transaction, stop)

    def _produce(self, topic: str, key: Any, value: bytes, headers: dict[str, bytes]) -> None:
        while True:
            try:
                self._producer.produce(topic, value, key, headers=headers)
                self._producer.poll(0)
                return
            except BufferError:
                self._producer.poll(_TICK)
            except self._kafka.KafkaException as error:
                raise OSError(f"{topic}: {error.args[0].str()}") from None

    def _read_state(self, stop: Stop) -> None:
        """The last model of this name, and its offsets."""
        topic = self._address.models
        partitions = self._partitions(topic, stop)
        begin = self._kafka.OFFSET_BEGINNING
        self._consumer.assign([self._kafka.TopicPartition(topic, i, begin) for i in partitions])
        left = set(partitions)
        while left:
            for message in self._consumer.consume(1, _TICK):
                error = message.error()
                if error is not None and error.code() == self._kafka.KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
                elif error is None and message.key() == self._name.encode():
                    self._take_state(message)
            if stop.asked:
                raise _AgainError

    def _take_state(self, message: Any) -> None:
        unpacker = zlib.decompressobj()
        try:
            state = unpacker.decompress(message.value(), _MAX_UNPACKED)
            found = json.loads(dict(message.headers() or ())["offsets"])
            self._offsets = {int(partition): int(offset) for partition, offset in found.items()}
        except (zlib.error, KeyError, ValueError, AttributeError, TypeError):
            raise ValueError(f"{self._address.models}: a model in it is not readable") from None
        target = None if self.model is None else self.model.target
        self.model = Model.from_bytes(state)
        self.model.expect(target)

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

    def _give_up(self) -> None:
        with contextlib.suppress(self._kafka.KafkaException):  # whoever begins again ends it
            self._producer.abort_transaction(_PATIENCE)
        raise _AgainError


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
