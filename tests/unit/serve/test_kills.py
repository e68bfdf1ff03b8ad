"""A service killed at any moment comes back as it was: no label lost, none learned twice."""

from __future__ import annotations

import http.client
import random
import threading

import pytest

from shrubs.live import Model
from tests.unit.serve.serving import Served, new_model, rows

pytest.importorskip("fastapi")

FAST = {"save_every": 0.02, "max_log": 3000}  # so that many kills come while files are written


def send(service, path, body, *expected):
    status, answer = service.post(path, body)
    assert status in (200, *expected), answer


def send_labels(service, examples, start):
    """Send labels in order, some after their predictions; returns how many were acknowledged."""
    for i in range(start, len(examples)):
        (x, y), row_id = examples[i], f"row {i}"
        try:
            if i % 3:
                send(service, "/learn", {"x": x, "y": y, "id": row_id})
            else:
                # It may have been learned, and the answer was lost in the kill.
                send(service, "/predict", {"x": x, "id": row_id}, 409 if i == start else 200)
                send(service, "/learn", {"y": y, "id": row_id})
        except (OSError, http.client.HTTPException):
            return i
    return len(examples)


def check_kills(path, n_kills, seed):
    draw, examples = random.Random(seed), list(rows(40 * n_kills, seed))
    new_model(path, memory_limit="32KB")
    n_sent = 0
    for _ in range(n_kills):
        service = Served(path, **FAST)
        # What was under way when it was killed may have been learned, and is sent again.
        assert service.get("/health")[1]["examples"] - n_sent in (0, 1)
        killer = threading.Timer(draw.uniform(0, 0.25), service.process.kill)
        killer.start()
        n_sent = send_labels(service, examples[: n_sent + 60], n_sent)
        killer.join()
        service.kill()
    service = Served(path, **FAST)
    n_sent = send_labels(service, examples[: n_sent + 5], n_sent)
    _, state = service.ask("GET", "/snapshot")
    service.stop()
    reference = new_model(path.with_name("reference"), memory_limit="32KB")
    model = Model.load(reference)
    for x, y in examples[:n_sent]:
        model.learn({**x, "target": y})
    assert state == model.to_bytes() == path.read_bytes()
    return n_sent


def test_ten_kills_lose_and_repeat_nothing(tmp_path):
    assert check_kills(tmp_path / "m.shrubs", 10, seed=1) > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_two_hundred_kills_lose_and_repeat_nothing(tmp_path, seed):
    assert check_kills(tmp_path / "m.shrubs", 20, seed) > 20
