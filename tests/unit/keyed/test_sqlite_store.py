"""A store in one file: for one process, whole after every error."""

import multiprocessing
import sqlite3
import subprocess
import sys

import pytest

from shrubs import PaperShrubClassifier
from shrubs.keyed import KeyedLearners, SQLiteStore, StoreError

KEYS = ["a", "", "1", 1, -(2**63), b"1", b"\x00", "a\x00b", "ü"]
OPEN = "import sys; from shrubs.keyed import SQLiteStore; SQLiteStore(sys.argv[1], timeout=0.1)"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "learners.db"


def make():
    return PaperShrubClassifier(max_shrubs=2, window_size=8)


def test_keys_of_all_kinds_stay_apart(path):
    states = [(key, bytes([i])) for i, key in enumerate(KEYS)]
    store = SQLiteStore(path)
    store.put_many(states[:4])
    store.commit(states[4:])
    store.close()
    store = SQLiteStore(path)
    assert store.get_many(KEYS) == [state for _, state in states]
    assert set(store.keys()) == set(KEYS)
    assert len(store) == len(KEYS)
    store.close()


def test_what_was_put_and_not_committed_is_seen_and_then_forgotten(path):
    store = SQLiteStore(path)
    store.commit([("a", b"old")], "here")
    store.put_many([("a", b"new"), ("b", b"new")])
    assert store.get_many(["a", "b", "c"]) == [b"new", b"new", None]
    assert len(store) == 2
    store.close()
    store = SQLiteStore(path)
    assert store.get_many(["a", "b"]) == [b"old", None]
    assert store.progress() == "here"
    store.close()


def test_a_store_is_one_file_once_it_is_closed(path):
    SQLiteStore(path).close()
    assert [file.name for file in path.parent.iterdir()] == ["learners.db"]


def test_another_process_is_refused(path):
    store = SQLiteStore(path)
    command = [sys.executable, "-c", OPEN, path]
    other = subprocess.run(command, check=False, capture_output=True, text=True)
    assert other.stderr.rstrip().endswith(
        f"StoreError: {path} is in use by another process; a store serves one at a time"
    )
    store.commit([("a", b"1")])
    store.close()
    subprocess.run(command, check=True)


def test_a_second_store_of_this_process_is_refused(path):
    store = SQLiteStore(path)
    with pytest.raises(StoreError, match="is in use"):
        SQLiteStore(path, timeout=0)
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_store_does_not_survive_a_fork(path):
    store = SQLiteStore(path)
    context = multiprocessing.get_context("fork")
    said = context.SimpleQueue()

    def look():
        try:
            store.get_many(["a"])
        except StoreError as error:
            said.put(str(error))

    child = context.Process(target=look)
    child.start()
    child.join()
    assert said.get() == f"{path} was opened before a fork: open it in each process"
    store.close()


def limit_pages(store, database, spare):
    """Leave room for so many pages more."""
    run = store._connection.execute
    (n_pages,) = run(f"PRAGMA {database}.page_count").fetchone()
    run(f"PRAGMA {database}.max_page_count = {n_pages + spare}")


@pytest.mark.parametrize("database", ["main", "temp"])
def test_a_full_disk_leaves_the_learners_as_they_were(path, database):
    store = SQLiteStore(path)
    learners = KeyedLearners(make, store, memory_budget="16KB")
    learners.learn_one("first", [1.0], "yes").flush("first")
    limit_pages(store, database, spare=4)
    expected = {}

    def learn():
        for i in range(100):
            learners.learn_one(i, [1.0], "yes").learn_one(i, [2.0], "no")
            expected[i] = make().learn_one([1.0], "yes").learn_one([2.0], "no").to_bytes()
            if database == "main":
                learners.flush()

    with pytest.raises(StoreError, match=r"learners.db has no room left: nothing was written"):
        learn()
    assert learners.progress == "first"
    store._connection.execute(f"PRAGMA {database}.max_page_count = 1000000")
    assert {key: learners.learner(key).to_bytes() for key in expected} == expected
    learners.close()
    with KeyedLearners(make, SQLiteStore(path)) as again:
        assert {key: again.learner(key).to_bytes() for key in expected} == expected


def test_what_is_no_store_is_refused(path, tmp_path):
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match=r"learners.db is not a store of learners$"):
        SQLiteStore(path)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE states (id, state)")
    connection.close()
    with pytest.raises(StoreError, match=r"is not a store of learners of this version$"):
        SQLiteStore(other)
    with pytest.raises(StoreError, match="cannot be used: 'unable to open database file'"):
        SQLiteStore(tmp_path / "nowhere" / "learners.db")


def test_a_closed_store_says_so(path):
    store = SQLiteStore(path)
    store.close()
    with pytest.raises(StoreError, match=r"cannot be used: .*closed"):
        store.get_many(["a"])
