"""`shrubs follow kafka://` on the brokers that librdkafka makes for tests, in real processes."""

import json
import random
import signal
import subprocess
import sys
import time
from unittest.mock import Mock

import pytest

import shrubs
from shrubs.interrupts import Stop
from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live import Model
from shrubs.live.kafka import KafkaAddress, _AgainError, _Follower, follow_kafka
from shrubs.live.states import OneState
from tests.unit.cli.forked import Forked
from tests.unit.runners.waiting import wait_for

pytest.importorskip("typer")
kafka = pytest.importorskip("confluent_kafka")

N_KILLS = 10
QUICK = ("--kafka", "fetch.wait.max.ms=10")
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
               "fetch.wait.max.ms": "10",
               "error_cb": lambda error: None}  # fmt: skip
    consumer = kafka.Consumer(options)
    left = set(consumer.list_topics(topic, timeout=10).topics[topic].partitions)
    consumer.assign([kafka.TopicPartition(topic, i, kafka.OFFSET_BEGINNING) for i in left])
    found = []
    while left:
        for message in consumer.consume(1, 0.1) + consumer.consume(1000, 0):
            if message.error() is None:
                found.append(message)
            else:
                left.discard(message.partition())
    consumer.close()
    return found


def start(brokers, topic, model, *options):
    command = ["follow", f"kafka://{brokers}/{topic}", "-m", model, "--target", "y", *QUICK]
    settings = [f"--set={name}={value}" for name, value in MODEL.items()]
    new = [] if model.exists() else settings
    return Forked(*command, "--ignore", "id", "--columns", "id", *new, *options)


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


def has_learned(brokers, topic, n):
    """Whether the model stands behind so many rows; first what takes no time to ask."""
    if sent(brokers, f"{topic}-predictions") < n:
        return False
    return offsets(last_model(brokers, topic)) == n


def last_model(brokers, topic, name=b"toys"):
    return [each for each in messages(brokers, f"{topic}-models") if each.key() == name][-1]


def offsets(message):
    return json.loads(dict(message.headers())["offsets"])["0"]


def source(message):
    return int(dict(message.headers())["source"].decode().split("/")[-1])


def kill_and_go_on(brokers, topic, model, n, seed, *options, n_kills=N_KILLS):
    """Follow n rows with kills in the middle; returns all predictions in the topic."""
    draw = random.Random(seed)
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n - 10)])
    n_sent = 0
    for _ in range(n_kills):
        process = start(brokers, topic, model, "--save-every", "10", *options)
        wait_for(lambda before=n_sent: sent(brokers, f"{topic}-predictions") > before)
        time.sleep(0.05 * draw.random())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        n_sent = sent(brokers, f"{topic}-predictions")
    assert offsets(last_model(brokers, topic)) < n - 10  # all were in the middle
    process = start(brokers, topic, model, "--save-every", "10", *options)
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n - 10, n)])
    end_after(process, brokers, topic, n)
    return messages(brokers, f"{topic}-predictions")


def end_after(process, brokers, topic, n):
    """End a follower when it has learned so many rows; one that ends before says why."""
    wait_for(lambda: process.poll() is not None or has_learned(brokers, topic, n))
    process.terminate()
    _, said = process.communicate()
    assert process.returncode == 0, said


def check_each_once(answers, expected):
    """A reader of what is committed has each row once: none missing, none twice."""
    assert sorted(map(source, answers)) == list(range(len(expected)))
    assert [json.loads(each.value()) for each in sorted(answers, key=source)] == expected


def check_kills_of_one(brokers, topic, model, n, *, seed, n_kills):
    answers = kill_and_go_on(brokers, topic, model, n, seed, n_kills=n_kills)
    whole, expected = sequential(n)
    assert model.read_bytes() == whole.to_bytes()
    check_each_once(answers, expected)


def test_kills_lose_nothing_and_repeat_nothing(brokers, tmp_path):
    model = tmp_path / "toys.shrubs"
    check_kills_of_one(brokers, "killed", model, 3000, seed=1, n_kills=N_KILLS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_many_kills_lose_nothing_and_repeat_nothing(brokers, tmp_path, seed):
    model = tmp_path / "toys.shrubs"
    check_kills_of_one(brokers, f"many-{seed}", model, 12000, seed=seed, n_kills=40)


def test_what_brokers_show_of_an_aborted_transaction_is_not_written_again(brokers, tmp_path):
    n, topic, model = 40, "aborted", tmp_path / "toys.shrubs"
    _, expected = sequential(n)
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n // 2)])
    end_after(start(brokers, topic, model), brokers, topic, n // 2)
    producer = kafka.Producer({"bootstrap.servers": brokers, "transactional.id": "shrubs-toys"})
    producer.init_transactions(20)
    producer.begin_transaction()
    for name, i in (("toys", 20), ("other", 21), ("toys", 23)):
        headers = {"source": f"{topic}/0/{i}", "model": name}
        producer.produce(f"{topic}-predictions", json.dumps(expected[i]), str(i), headers=headers)
    assert producer.flush(20) == 0
    producer.abort_transaction(20)
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n // 2, n)])
    end_after(start(brokers, topic, model), brokers, topic, n)
    found = messages(brokers, f"{topic}-predictions")
    check_each_once([e for e in found if dict(e.headers())["model"] == b"toys"], expected)


def plain_loop(n):
    """The learner of each colour, and what was said of each row before it was learned."""
    learners, said = {}, []
    for i in range(n):
        x = row(i)
        key, y = x["colour"], x["y"]
        learner = learners.setdefault(key, shrubs.ShrubClassifier(**MODEL))
        said.append({"colour": key, "id": i, "prediction": learner.predict_one({"size": i % 7})})
        learner.learn_one({"size": i % 7}, y)
    return {key: learner.to_bytes() for key, learner in learners.items()}, said


def test_each_key_has_a_model_of_its_own_in_the_topic_also_after_kills(brokers, tmp_path):
    n, topic, model = 3000, "keyed", tmp_path / "toys.db"
    answers = kill_and_go_on(brokers, topic, model, n, 2, "--key", "colour")
    states, expected = plain_loop(n)
    check_each_once(answers, expected)
    with KeyedModelFile(model) as file:  # the copy
        kept = file.load("colour")
        assert {key: kept.learners.state(key) for key in kept.learners} == states
        assert kept.examples_seen == n
    assert [each.name for each in tmp_path.iterdir()] == ["toys.db"]
    keys = {each.key() for each in messages(brokers, f"{topic}-models")}
    assert keys == {b"toys", *(f"toys/{key}".encode() for key in states)}
    for options, said in (
        (("--key", "size"), "the topic keeps a model per 'colour', not 'size'"),
        (("--key", "colour", "--task", "targets"), "this model learned classes"),
    ):
        process = start(brokers, topic, model, *options)
        _, error = process.communicate()
        assert (process.returncode, said in error, error.count("\n")) == (1, True, 1), error
    other = tmp_path / "new" / "toys.db"
    other.parent.mkdir()
    process = start(brokers, topic, other)
    assert "the topic keeps a model per key under this name" in process.communicate()[1]
    process = start(brokers, "nothing", model, "--key", "colour")
    assert "the topic has no models of this name" in process.communicate()[1]


def test_a_bad_message_is_refused_or_skipped(brokers, tmp_path):
    topic, model = "spoilt", tmp_path / "toys.shrubs"
    produce(brokers, topic, [json.dumps(row(0)), json.dumps(row(1)), "{", json.dumps(row(2))])
    process = start(brokers, topic, model)
    _, said = process.communicate()
    assert process.returncode == 1
    assert said.startswith(f"error {topic}/0/2: the line is no JSON")
    process = start(brokers, topic, model, "--skip-bad")
    wait_for(lambda: len(messages(brokers, f"{topic}-predictions")) == 3)
    process.terminate()
    _, said = process.communicate()
    assert "followed 2 rows: 1 learned, 1 skipped" in said
    assert model.read_bytes() == sequential(3)[0].to_bytes()


def check_that_is_waited_for(cluster, brokers, topic, model, *, seconds):
    n = 600
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n // 2)])
    process = start(brokers, topic, model, "--save-every", "5", "--kafka", "socket.timeout.ms=1000")
    wait_for(lambda: sent(brokers, f"{topic}-predictions") > 0)
    cluster.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    cluster.send_signal(signal.SIGCONT)
    produce(brokers, topic, [json.dumps(row(i)) for i in range(n // 2, n)])
    end_after(process, brokers, topic, n)
    whole, expected = sequential(n)
    assert model.read_bytes() == whole.to_bytes()
    found = {
        source(each): json.loads(each.value()) for each in messages(brokers, f"{topic}-predictions")
    }
    assert [found[i] for i in range(n)] == expected


def test_a_broker_that_goes_away_and_comes_back_is_waited_for(cluster, brokers, tmp_path):
    model = tmp_path / "toys.shrubs"
    check_that_is_waited_for(cluster, brokers, "away", model, seconds=3)


@pytest.mark.slow  # until librdkafka gives a broker up, and forgets who waits for it
def test_a_broker_that_is_away_for_long_is_waited_for(cluster, brokers, tmp_path):
    model = tmp_path / "toys.shrubs"
    check_that_is_waited_for(cluster, brokers, "long-away", model, seconds=12)


def test_a_prediction_that_was_sent_again_may_have_no_offset():
    address = KafkaAddress("nobody:9092", "rows")
    follower = _Follower(address, "toys", None, answers=None, tell=print, options={})
    for offset in (3, None):
        message = Mock(**{"topic.return_value": address.predictions, "partition.return_value": 1,
                          "offset.return_value": offset})  # fmt: skip
        follower._delivered(None, message)
    assert follower._written == {1: 4}
    follower.close()


def test_a_transaction_that_was_given_up_at_the_end_is_not_kept(monkeypatch):
    stop, states = Stop(), OneState(None, lambda row: sequential(0)[0], check=lambda model: None)

    def step(*_, **options):
        states.model = states.begin(row(0))
        states.model.learn(row(0))
        stop.asked = True
        raise _AgainError

    monkeypatch.setattr("shrubs.live.kafka._Follower", lambda *_, **options: Mock(step=step))
    address = KafkaAddress("nobody:9092", "rows")
    done = follow_kafka(address, "toys", states, answers=None, stop=stop, tell=print)
    assert (done.rows, states.model) == (0, None)
