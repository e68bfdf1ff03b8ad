"""A service with a model per key: as one learner per key in a plain loop, also after kills."""

from __future__ import annotations

import http.client
import json
import random
import resource
import signal
import threading

import pytest

import shrubs
from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live import Model
from tests.unit.serve.serving import LINES, Served, rows, served

KEY, LIMIT = "pump", "16KB"
SMALL = {"key": KEY, "memory_budget": "100KB"}  # so that most keys are in the store


def new_store(path):
    with KeyedModelFile(path) as file:
        file.keyed(Model.new("target", "classes", memory_limit=LIMIT, seed=1), KEY).save(path)
    return path


def examples(n, seed=0):
    draw = random.Random(seed)
    return [({KEY: f"P{draw.randrange(12)}", **x}, y) for x, y in rows(n, seed)]


def plain_loop(lessons):
    """The learner of each key, and what it said of its rows before it learned them."""
    learners, said = {}, []
    for x, y in lessons:
        features = {name: value for name, value in x.items() if name != KEY}
        learner = learners.setdefault(x[KEY], shrubs.ShrubClassifier(memory_limit=LIMIT, seed=1))
        said.append(learner.predict_one(features))
        learner.learn_one(features, y)
    return {key: learner.to_bytes() for key, learner in learners.items()}, said


def states(path):
    with KeyedModelFile(path) as file:
        learners = file.load(KEY).learners
        return {key: learners.learner(key).to_bytes() for key in learners}


def as_lines(requests):
    return "\n".join(map(json.dumps, requests))


@pytest.mark.parametrize("budget", ["256MB", "100KB"])
def test_each_key_has_a_model_of_its_own_whatever_the_budget(tmp_path, budget):
    path, lessons = new_store(tmp_path / "m.db"), examples(300)
    expected, said = plain_loop(lessons)
    with served(path, key=KEY, memory_budget=budget) as service:
        for i, (x, y) in enumerate(lessons[:100]):
            _, answer = service.post("/predict", {"x": x, "id": f"row {i}"})
            assert answer == {"prediction": said[i]}
            assert service.post("/learn", {"id": f"row {i}", "y": y})[1]["learned"] == 1
        batch = as_lines({"x": x, "y": y} for x, y in lessons[100:])
        assert service.post("/learn", batch, LINES)[1] == {"learned": 200, "repeated": 0}
        assert service.get("/health")[1]["examples"] == 300
        asked = as_lines({"x": x} for x, _ in lessons[:50])
        _, many = service.ask("POST", "/predict", asked, LINES)
        single = [service.post("/predict", {"x": x})[1] for x, _ in lessons[:50]]
        assert list(map(json.loads, many.splitlines())) == single
        metrics = service.ask("GET", "/metrics")[1].decode()
        assert f"shrubs_keys {float(len(expected))}" in metrics
        for key, state in expected.items():
            status, found = service.ask("GET", f"/snapshot?key={key}")
            assert (status, Model.from_bytes(found).learner.to_bytes()) == (200, state)
    assert states(path) == expected


@pytest.mark.parametrize("budget", ["256MB", "100KB"])
def test_batches_of_numbers_are_answered_as_single_requests_are(tmp_path, budget):
    path, lessons = new_store(tmp_path / "m.db"), examples(300)
    for x, _ in lessons:
        del x["c"]  # a text
    with served(path, key=KEY, memory_budget=budget) as service:
        batch = as_lines({"x": x, "y": y} for x, y in lessons)
        assert service.post("/learn", batch, LINES)[0] == 200
        # Columns that a key does not know, or in another order, and a key that nobody has taught.
        service.post("/learn", {"x": {"new": 1, KEY: "P1", "a": 0.5}, "y": "yes"})
        asked = [{"x": x} for x, _ in lessons]
        others = [{"x": {"new": i, KEY: f"P{i % 3}"}} for i in range(9)]
        for batch in (asked, others, asked[:1], [*asked, {"x": {**asked[0]["x"], KEY: "none"}}]):
            single = [service.post("/predict", each)[1] for each in batch]
            status, many = service.ask("POST", "/predict", as_lines(batch), LINES)
            assert status == 200
            assert list(map(json.loads, many.splitlines())) == single
        wrong = [*asked, {"x": {**asked[0]["x"], KEY: ""}}]
        status, answer = service.post("/predict", as_lines(wrong), LINES)
        assert (status, "line 301: column 'pump': the row has no key" in answer["error"]) == (
            422,
            True,
        )


def test_wrong_keys_are_refused_and_unknown_ones_know_nothing(tmp_path):
    path = new_store(tmp_path / "m.db")
    with served(path, **SMALL) as service:
        assert service.post("/predict", {"x": {KEY: "new", "a": 1}}) == (200, {"prediction": None})
        for key, said in (
            (None, "column 'pump': the row has no key"),
            ("", "column 'pump': the row has no key"),
            (1.5, "a key must be a text or a whole number, got 1.5"),
            (True, "a key must be a text or a whole number, got True"),
            ("\ud800", "a key must be a text without lone surrogates"),
        ):
            for route in ("/predict", "/learn", "/explain"):
                label = {"y": "no"} if route == "/learn" else {}
                status, answer = service.post(route, {"x": {KEY: key, "a": 1}, **label})
                assert (status, said in answer["error"]) == (422, True), answer
        assert service.post("/learn", {"x": {"a": 1}, "y": "no"})[0] == 422
        status, answer = service.get("/snapshot")
        assert (status, answer) == (422, {"error": "say of which pump: ?key=..."})
        assert service.get("/health")[1]["examples"] == 0
        for key in (7, "7"):
            assert service.post("/learn", {"x": {KEY: key, "a": 1}, "y": "no"})[0] == 200
        answer = service.post("/predict?probabilities=1", {"x": {KEY: 7, "a": 1}})[1]
        assert answer == {"prediction": "no", "probabilities": {"no": 1.0}}
        assert service.post("/explain", {"x": {KEY: "7", "a": 1}})[1]["prediction"] == "no"
    assert [*states(path)] == ["7"]


def test_nothing_of_a_batch_with_a_wrong_line_is_learned(tmp_path):
    path, lessons = new_store(tmp_path / "m.db"), examples(40)
    with served(path, **SMALL) as service:
        good = [{"x": x, "y": y} for x, y in lessons]
        first = {"x": {KEY: "P0", "a": 0.5, "new column": 1}, "y": "no"}
        second = {
            "x": {KEY: "P1", "a": 0.5, "new column": "text"},
            "y": "no",
        }  # numbers, says first
        status, answer = service.post("/learn", as_lines([*good, first, second]), LINES)
        assert (status, answer["error"].startswith("line 42: column 'new column'")) == (422, True)
        assert service.get("/health")[1]["examples"] == 0
        assert service.post("/learn", as_lines([*good, second]), LINES)[0] == 200
    expected = plain_loop([*lessons, (second["x"], "no")])[0]
    assert states(path) == expected


def limit_files():
    """No file may grow beyond 60 KB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def test_full_store_loses_nothing_that_was_acknowledged(tmp_path):
    path = new_store(tmp_path / "m.db")
    lessons = [({KEY: f"P{i // 4}", "a": i % 7}, "yes" if i % 7 > 3 else "no") for i in range(900)]
    with served(path, before=limit_files, save_every=0.05, **SMALL) as service:
        learned = []
        for start in range(0, 900, 30):
            part = enumerate(lessons[start : start + 30], start)
            batch = [{"x": x, "y": y, "id": f"row {i}"} for i, (x, y) in part]
            status, answer = service.post("/learn", as_lines(batch), LINES)
            if status != 200:
                break
            learned += lessons[start : start + 30]
        assert status == 503, answer
        assert 30 <= len(learned) < 900
        service.kill()
    with served(path, **SMALL) as service:
        extra = service.get("/health")[1]["examples"] - len(learned)
        assert extra in (0, 30)  # learned, and not acknowledged
    assert states(path) == plain_loop(lessons[: len(learned) + extra])[0]


def send_labels(service, lessons, start):
    """Send labels in order, every third by the id of its row; how many were acknowledged."""
    for i in range(start, len(lessons)):
        (x, y), row_id = lessons[i], f"row {i}"
        try:
            if i % 3 == 0:
                assert service.post("/predict", {"x": x, "id": row_id})[0] in (200, 409)
            label = {"id": row_id, "y": y, **({"x": x} if i % 3 else {})}
            assert service.post("/learn", label)[0] == 200
        except (OSError, http.client.HTTPException):
            return i
    return len(lessons)


def check_kills(path, n_kills, seed):
    draw, lessons = random.Random(seed), examples(100 * n_kills, seed)
    new_store(path)
    settings = {"save_every": 0.05, "max_log": 5000, **SMALL}
    n_sent = 0
    for _ in range(n_kills):
        service = Served(path, **settings)
        assert service.get("/health")[1]["examples"] - n_sent in (0, 1)
        killer = threading.Timer(draw.uniform(0, 0.3), service.process.kill)
        killer.start()
        n_sent = send_labels(service, lessons[: n_sent + 90], n_sent)
        killer.join()
        service.kill()
    with served(path, **settings) as service:
        n_sent = send_labels(service, lessons[: n_sent + 5], n_sent)
    assert states(path) == plain_loop(lessons[:n_sent])[0]
    return n_sent


def test_kills_lose_and_repeat_nothing(tmp_path):
    assert check_kills(tmp_path / "m.db", 5, seed=1) > 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_kills_lose_and_repeat_nothing(tmp_path, seed):
    assert check_kills(tmp_path / "m.db", 20, seed) > 20


def test_others_on_the_store_are_refused(tmp_path):
    path = new_store(tmp_path / "m.db")
    refused = pytest.raises(RuntimeError, match="another process keeps this model")
    with served(path, **SMALL), refused:
        Served(path, **SMALL)
    with pytest.raises(RuntimeError, match="keeps a model per 'pump', not 'valve'"):
        Served(path, key="valve")


def test_log_of_another_store_is_not_learned(tmp_path):
    path = new_store(tmp_path / "m.db")
    service = Served(path, **SMALL)
    service.post("/learn", {"x": {KEY: "a", "a": 1}, "y": "yes"})
    service.kill()
    for each in tmp_path.glob("m.db*"):
        if each.suffix != ".log":
            each.unlink()
    new_store(path)  # with the same contract
    with pytest.raises(RuntimeError, match="belongs to another model"):
        Served(path, **SMALL)
