"""What `shrubs follow kafka://` adds to `shrubs follow -` with the same rows: CPU per row.

The broker is the one that librdkafka brings for tests, in a process of its own. What it takes to
start is taken off: both are watched after their first rows.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import confluent_kafka as kafka
import psutil
from results_file import write_results

FIRST = 2000  # rows before it is watched
TOPIC = "rows"
CLUSTER = """
import confluent_kafka
options = {"bootstrap.servers": "none", "test.mock.num.brokers": "1", "log_level": "0"}
cluster = confluent_kafka.Producer(options)
(broker,) = cluster.list_topics(timeout=10).brokers.values()
print(f"{broker.host}:{broker.port}", flush=True)
input()
"""


def rows(n: int, n_keys: int) -> Iterator[str]:
    """Rows of eight numbers as lines of JSON."""
    draw = random.Random(1)
    for _ in range(n):
        x = {f"f{i}": round(draw.random(), 4) for i in range(8)}
        key = {"device": f"device {draw.randrange(n_keys)}"} if n_keys else {}
        yield json.dumps({**x, **key, "y": "yes" if x["f0"] + x["f1"] > 1 else "no"})


def produce(brokers: str, lines: list[str]) -> None:
    """Send rows to the topic."""
    producer = kafka.Producer({"bootstrap.servers": brokers})
    for line in lines:
        producer.produce(TOPIC, line, partition=0)
        producer.poll(0)
        while len(producer) > 50_000:
            producer.poll(0.1)
    assert producer.flush(60) == 0


def count(brokers: str) -> Callable[[], int]:
    """How many predictions the topic has, whenever it is asked."""
    consumer = kafka.Consumer({"bootstrap.servers": brokers, "group.id": "bench", "log_level": "0"})
    topic = f"{TOPIC}-predictions"

    def written() -> int:
        partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
        places = [kafka.TopicPartition(topic, i) for i in partitions]
        return sum(consumer.get_watermark_offsets(place, 10)[1] for place in places)

    return written


def watch(
    process: psutil.Popen, feed: Callable[[], None], done: Callable[[int], bool], n: int
) -> float:
    """Microseconds of CPU for each of the rows behind the first ones."""
    while not done(FIRST):
        time.sleep(0.05)
    before = sum(process.cpu_times()[:2])
    feed()
    while not done(FIRST + n):
        time.sleep(0.05)
    return 1e6 * (sum(process.cpu_times()[:2]) - before) / n


def from_topic(options: list[str], lines: list[str], directory: Path) -> float:
    """By the topic."""
    cluster = subprocess.Popen([sys.executable, "-c", CLUSTER], stdin=-1, stdout=-1, stderr=-3)
    assert cluster.stdout is not None
    brokers = cluster.stdout.readline().decode().strip()
    produce(brokers, lines[:FIRST])
    process = follow(f"kafka://{brokers}/{TOPIC}", directory / "topic", options)
    written = count(brokers)
    try:
        return watch(
            process,
            lambda: produce(brokers, lines[FIRST:]),
            lambda n: written() >= n,
            len(lines) - FIRST,
        )
    finally:
        process.terminate()
        process.wait()
        cluster.kill()
        cluster.wait()


def from_pipe(options: list[str], lines: list[str], directory: Path) -> float:
    """By a pipe."""
    process = follow("-", directory / "pipe", ["--format", "jsonl", *options])
    said: list[bytes] = []
    reader = threading.Thread(target=lambda: said.extend(process.stdout))
    reader.start()

    def feed(part: list[str]) -> None:
        process.stdin.write("".join(f"{line}\n" for line in part).encode())
        process.stdin.flush()

    feed(lines[:FIRST])
    found = watch(
        process, lambda: feed(lines[FIRST:]), lambda n: len(said) >= n, len(lines) - FIRST
    )
    process.stdin.close()
    process.wait()
    reader.join()
    return found


def follow(source: str, model: Path, options: list[str]) -> psutil.Popen:
    """The command."""
    command = [sys.executable, "-m", "shrubs", "follow", source, "-m", model, "--target", "y"]
    return psutil.Popen([*command, *options], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL)


def main() -> None:
    """One model, then one per key."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--keys", type=int, default=500)
    given = parser.parse_args()
    found = {}
    for n_keys, memory in ((0, "64KB"), (given.keys, "16KB")):
        lines = list(rows(FIRST + given.rows, n_keys))
        options = [f"--set=memory_limit={memory}", *(["--key", "device"] if n_keys else [])]
        with tempfile.TemporaryDirectory() as directory:
            topic = from_topic(options, lines, Path(directory))
            pipe = from_pipe(options, lines, Path(directory))
        name = f"{n_keys} keys of {memory}" if n_keys else f"one model of {memory}"
        found[name] = {"topic": topic, "pipe": pipe}
        print(
            f"{name}: {topic:.0f} us of CPU per row, {topic / pipe:.1f} times a pipe's {pipe:.0f}"
        )
    write_results("kafka", found)


if __name__ == "__main__":
    main()
