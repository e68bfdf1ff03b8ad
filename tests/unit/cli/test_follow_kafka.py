"""`shrubs follow kafka://` on the brokers that librdkafka makes for tests, in real processes."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from shrubs.live import Model
from tests.unit.runners.waiting import wait_for

pytest.importorskip("typer")
kafka = pytest.importorskip("confluent_kafka")

SHRUBS = [sys.executable, "-c", "from shrubs.cli import main; main()"]
N_KILLS = 3
MODEL = {"memory_limit": "32KB", "seed": 0}


CLUSTER = """
import confluent_kafka
cluster = confluent_kafka.Producer(
    {"bootstrap.servers": "none", "test.mock.num.brokers": "1", "log_level": "0"}
)
found = cluster.list_topics(timeout=10).brokers.values()
print(",".join(f"{each.host}:{each.port}" for each in found), flush=True)
input()
"""


@pytest.fixture(scope="module")
def cluster():
    command = [sys.executable, "-c", CLUSTER]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL) as process:
        yield process
        process.kill()


@pytest.fixture(scope="module")
def brokers(cluster):
    return cluster.stdout.readline().decode().strip()


def row(i):
    return {"id": i, "size": i % 7, "colour": "rgb"[i % 3], "y": "yes" if i % 7 > 2 else "no"}


def produce(brokers, topic, values):
    producer = kafka.Producer({"bootstrap.servers": brokers})
    for i, value in enumerate(values):
        producer.produce(topic, value, str(i), partition=0)
    assert producer.flush(20) == 0


def messages(brokers, topic):
    """All that a topic holds; those of a partition in order."""
    options = {"bootstrap.servers": brokers, "group.id": "test", "log_level": "0",
               "isolation.level": "read_committed", "enable.partition.eof": "true",
               "error_cb": lambda error: None}  # fmt: skip
    consumer = kafka.Consumer(options)
    left = set(consumer.list_topics(topic, timeout=10).topics[topic].partitions)
    consumer.assign([kafka.TopicPartition(topic, i, kafka.OFFSET_BEGINNING) for i in left])
    found = []
    while left:
        for message in consumer.consume(1000, 0.1):
            if message.error() is None:
                found.append(message)
            else:
                left.discard(message.partition())
    consumer.close()
    return found


def start(brokers, topic, model, *options):
    command = [*SHRUBS, "follow", f"kafka://{brokers}/{topic}", "-m", model, "--target", "y"]
    settings = [f"--set={name}={value}" for name, value in MODEL.items()]
    new = [] if model.exists() else settings
    return subprocess.Popen(
        [*map(str, command), "--ignore", "id", "--columns", "id", *new, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def sequential(n):
    model = Model.new("y", "classes", ignored=["id"], **MODEL)
    said = []
    for i in range(n):
        said.append({"id": i, "prediction": model.predict(row(i))})
        model.learn(row(i))
    return model, said


def sent(brokers, topic):
    """How much was sent to a topic, committed or not."""
    consumer = kafka.Consumer({"bootstrap.servers": brokers, "group.id": "test"})
    partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
    places = [kafka.TopicPartition(topic, i) for i in partitions]
    return sum(consumer.get_watermark_offsets(place, 10)[1] for place in places)


def n_answered(brokers, topic):
    return len(messages(brokers, f"{topic}-predictions"))


def test_kills_lose_nothing_and_repeat_nothing_that_was_committed(brokers, tmp_path):
    n, topic, model = 3000, "killed", tmp_path / "toys.shrubs"
    draw = random.Random(1)
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n - 10)])
    n_sent = 0
    for _ in range(N_KILLS):
        process = start(brokers, topic, model, "--save-every", "10")
        wait_for(lambda before=n_sent: sent(brokers, f"{topic}-predictions") > before)
        time.sleep(0.1 * draw.random())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        n_sent = sent(brokers, f"{topic}-predictions")
    assert offsets(messages(brokers, f"{topic}-models")[-1]) < n - 10  # all were in the middle
    process = start(brokers, topic, model, "--save-every", "10")
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n - 10, n)])
    wait_for(lambda: offsets(messages(brokers, f"{topic}-models")[-1]) == n)
    process.terminate()
    _, said = process.communicate()
    assert process.returncode == 0, said
    whole, expected = sequential(n)
    assert model.read_bytes() == whole.to_bytes()
    answers = messages(brokers, f"{topic}-predictions")
    found = {}
    for each in answers:
        source = dict(each.headers())["source"].decode()
        assert found.setdefault(source, each.value()) == each.value()
    # These brokers do not hide what the transaction had sent that a kill left open.
    assert n <= len(answers) <= n + N_KILLS * 10
    assert [json.loads(found[f"{topic}/0/{i}"]) for i in range(n)] == expected


def offsets(message):
    return json.loads(dict(message.headers())["offsets"])["0"]


def test_a_bad_message_is_refused_or_skipped(brokers, tmp_path):
    topic, model = "spoilt", tmp_path / "toys.shrubs"
    produce(brokers, topic, [json.dumps(row(0)), json.dumps(row(1)), "{", json.dumps(row(2))])
    process = start(brokers, topic, model)
    _, said = process.communicate()
    assert process.returncode == 1
    assert said.startswith(f"error {topic}/0/2: the line is no JSON")
    process = start(brokers, topic, model, "--skip-bad")
    wait_for(lambda: n_answered(brokers, topic) == 3)
    process.terminate()
    _, said = process.communicate()
    assert "followed 2 rows: 1 learned, 1 skipped" in said
    assert model.read_bytes() == sequential(3)[0].to_bytes()


def test_a_broker_that_goes_away_and_comes_back_is_waited_for(cluster, brokers, tmp_path):
    n, topic, model = 600, "away", tmp_path / "toys.shrubs"
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n // 2)])
    process = start(brokers, topic, model, "--save-every", "5", "--kafka", "socket.timeout.ms=1000")
    wait_for(lambda: sent(brokers, f"{topic}-predictions") > 0)
    cluster.send_signal(signal.SIGSTOP)
    time.sleep(3)
    cluster.send_signal(signal.SIGCONT)
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n // 2, n)])
    wait_for(lambda: offsets(messages(brokers, f"{topic}-models")[-1]) == n)
    process.terminate()
    _, said = process.communicate()
    assert process.returncode == 0, said
    whole, expected = sequential(n)
    assert model.read_bytes() == whole.to_bytes()
    found = {
        dict(each.headers())["source"].decode(): json.loads(each.value())
        for each in messages(brokers, f"{topic}-predictions")
    }
    assert [found[f"{topic}/0/{i}"] for i in range(n)] == expected
