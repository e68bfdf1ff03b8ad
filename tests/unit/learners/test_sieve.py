"""The sieve of the core against its reference."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrubs import _core
from tests.reference.sieve import INTERVAL, Sieve, is_present

KEPT = [5, 0, 9]
VALUES = (0.0, 1.0, 1.5, -3.0, 1e30, math.nan, None)


def make(width, n_slots, n_classes, kept=KEPT):
    tables = _core.Tables()
    tables.named = False
    tables.set_room(4096, 4096)
    tables.keep(width, kept)
    for _ in kept:
        tables.add_feature(None, False, False)
    tables.add_labels(list(range(n_classes)))
    tables.begin_sieve(n_slots, len(kept))
    return tables, Sieve(n_slots, kept)


def assert_agree(tables, sieve):
    assert tables.calls() == sieve.calls
    assert [tables.standing(i) for i in range(len(sieve.kept))] == sieve.standing


@pytest.mark.parametrize("n_classes", [0, 2, 5])
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(0, 2))
def test_core_and_reference_agree(n_classes, seed, n_slots, n_answered):
    rng = np.random.default_rng(seed)
    width = 24
    tables, sieve = make(width, n_slots, n_classes)
    for t in range(INTERVAL * 12):
        row = [VALUES[k] for k in rng.choice(7, width, p=[0.4, 0.3, 0.1, 0.1, 0.02, 0.04, 0.04])]
        y = int(rng.integers(n_classes)) if n_classes else float(rng.normal())
        row[3] = float(y % 3) if t < 200 else row[3]
        row[11] = float(y) * 2.0
        surprise = bool(rng.random() < 0.3)
        row[17] = 1.0 if surprise else row[17]
        tables.sift(row, float(y), surprise)
        seen = {i: (value, False) for i, value in enumerate(row) if is_present(value)}
        outcome = {"label": y} if n_classes else {"target": y}
        sieve.sift(seen, surprise=surprise, **outcome)
        assert_agree(tables, sieve)
        for i, _, _ in tables.calls()[:n_answered]:
            column = int(rng.integers(3)) if rng.random() < 0.8 else None
            tables.answer_call(i, column)
            sieve.answer(i, column)
            if column is not None:
                tables.replace_feature(column, None, False, i)
        assert_agree(tables, sieve)
        if t % 40 == 0:
            crowd = tables.crowd()
            again = make(width, n_slots, n_classes, sieve.kept)[0]
            again.restore(crowd)
            assert again.crowd() == crowd
            tables = again


def test_a_matrix_is_seen_as_its_rows_are():
    rng = np.random.default_rng(3)
    rows, matrix = make(24, 20, 2)[0], make(24, 20, 2)[0]
    for _ in range(20):
        X = rng.integers(0, 3, (INTERVAL, 24)).astype(np.float64)
        y = X[:, 20] % 2
        surprises = int(rng.integers(2**32))
        for i, (x, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
            rows.sift(x, label, bool(surprises >> (INTERVAL - 1 - i) & 1))
        matrix.sift_many(X, y, surprises)
        assert rows.crowd() == matrix.crowd()
    assert 20 in [i for i, _, _ in rows.calls()]


def test_a_feature_of_texts_is_called_as_one_and_a_mixed_one_never():
    rng = np.random.default_rng(3)
    tables, _ = make(24, 24, 2)
    for t in range(INTERVAL * 4):
        y = int(rng.integers(2))
        row = [0.0] * 24
        row[7], row[8] = f"text {y}", f"text {y}" if t % 3 else float(y)
        tables.sift(row, y, False)
    assert [(i, texts) for i, texts, _ in tables.calls()] == [(7, True)]


def test_names_are_seen_in_any_order():
    rng = np.random.default_rng(3)
    a, b = (_core.Tables() for _ in range(2))
    for tables in (a, b):
        tables.named = True
        tables.set_room(4096, 4096)
        tables.add_feature("kept", False, False)
        tables.add_labels([0, 1])
        tables.begin_sieve(20, 4)
    for _ in range(INTERVAL * 8):
        row = {f"feature {i}": float(rng.integers(3)) for i in range(40)}
        y = int(row["feature 4"] > 0)
        row["kept"] = 1.0
        a.sift(row, y, False)
        b.sift(dict(reversed(row.items())), y, False)
        assert a.crowd() == b.crowd()
    assert [i for i, _, _ in a.calls()] == [_core.digest_of_name("feature 4")]


@pytest.mark.parametrize("damage", ["short", "long", "slots", "counts"])
def test_damaged_bytes_are_refused(damage):
    tables, _ = make(24, 20, 2)
    for t in range(40):
        tables.sift([float(t % 3)] * 24, t % 2, False)
    *others, sieve = tables.crowd()
    damaged = {
        "short": sieve[:-1],
        "long": sieve + b"0",
        "slots": b"\xff\xff\xff\xff" + sieve[4:],
        "counts": sieve[:50] + b"\xff" * 40 + sieve[90:],
    }[damage]
    with pytest.raises(ValueError, match="sieve"):
        make(24, 20, 2)[0].restore((*others, damaged))
