"""Ids and rows that wait: bounded in number, bytes and age, and the same after a restart."""

from __future__ import annotations

import pytest

from shrubs.serve.ledger import Bounds, ConflictError, Label, Ledger, UnknownIdError

X = {"a": 1.5, "b": "red"}


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    return Ledger(tmp_path / "m", "d1", Bounds(3, 60.0), clock=clock)


def again(ledger, tmp_path, digest="d1"):
    ledger.close()
    return Ledger(tmp_path / "m", digest, Bounds(3, 60.0), clock=Clock())


def learn(ledger, n, row_id, y="yes"):
    label = Label(n, X, y, row_id)
    ledger.mark([label])
    ledger.log.append([label.record()])


def test_row_waits_until_its_label_comes(ledger):
    assert ledger.remember([("one", X, "yes")]) == ["yes"]
    assert ledger.waiting("one").x == X
    learn(ledger, 1, "one")
    assert ledger.n_waiting == 0
    assert ledger.has_learned("one", "yes")


def test_row_that_is_sent_twice_counts_once_with_its_first_prediction(ledger):
    assert ledger.remember([("one", X, "yes"), ("one", X, "no")]) == ["yes", "yes"]
    assert ledger.remember([("one", X, "no")]) == ["yes"]
    assert ledger.n_waiting == 1


def test_another_row_under_an_id_is_refused_with_all_that_came_with_it(ledger):
    ledger.remember([("one", X, "yes")])
    with pytest.raises(ConflictError, match="another row waits under id 'one'"):
        ledger.remember([("two", X, "yes"), ("one", {"a": 2}, "yes")])
    assert ledger.n_waiting == 1


def test_id_of_a_learned_label_is_not_predicted_again(ledger):
    learn(ledger, 1, "one")
    with pytest.raises(ConflictError, match="has been learned already"):
        ledger.remember([("one", X, "yes")])


def test_another_label_under_an_id_is_refused(ledger):
    learn(ledger, 1, "one")
    with pytest.raises(ConflictError, match="another label"):
        ledger.has_learned("one", "no")


def test_oldest_rows_give_way_to_too_many(ledger):
    ledger.remember([(str(i), X, "yes") for i in range(5)])
    assert ledger.n_waiting == 3
    assert ledger.n_expired == 2
    with pytest.raises(UnknownIdError, match="nothing waits under id '1'"):
        ledger.waiting("1")


def test_rows_wait_no_longer_than_their_age(ledger, clock):
    ledger.remember([("one", X, "yes")])
    clock.now += 59
    ledger.remember([("two", X, "yes")])
    clock.now += 2
    with pytest.raises(UnknownIdError):
        ledger.waiting("one")
    assert ledger.waiting("two") is not None


def test_rows_wait_in_bounded_bytes(tmp_path):
    ledger = Ledger(tmp_path / "m", "d1", Bounds(10**6, 60.0, max_bytes=50_000))
    for i in range(200):
        ledger.remember([(f"row {i}", {"text": "x" * 1000}, "yes")])
    assert 20 < ledger.n_waiting < 50
    assert ledger.waiting("row 199") is not None


def test_everything_is_there_after_a_restart(ledger, tmp_path):
    ledger.remember([("one", X, "yes"), ("two", X, "no")])
    learn(ledger, 1, "one")
    found = again(ledger, tmp_path)
    assert found.labels == [Label(1, X, "yes", "one")]
    assert found.waiting("two").predicted == "no"
    assert found.n_waiting == 1
    assert found.has_learned("one", "yes")


def test_log_that_is_begun_again_keeps_ids_and_waiting_rows(ledger, tmp_path):
    ledger.remember([("one", X, "yes"), ("two", X, "no")])
    learn(ledger, 1, "one")
    ledger.announce("d2")
    ledger.begin("d2")
    found = again(ledger, tmp_path, "d2")
    assert found.labels == []
    assert found.waiting("two").predicted == "no"
    assert found.has_learned("one", "yes")


def test_ids_of_learned_labels_are_bounded(ledger):
    for n in range(1, 6):
        learn(ledger, n, str(n))
    assert not ledger.has_learned("2", "yes")
    assert ledger.has_learned("3", "yes")


def test_log_of_another_model_is_refused(ledger, tmp_path):
    learn(ledger, 1, "one")
    with pytest.raises(ValueError, match="belongs to another model"):
        again(ledger, tmp_path, "d9")


def test_model_that_was_announced_goes_with_the_log(ledger, tmp_path):
    learn(ledger, 1, "one")
    ledger.announce("d2")
    assert again(again(ledger, tmp_path, "d2"), tmp_path, "d1").labels
