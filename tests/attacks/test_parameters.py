"""Hostile parameters: each is accepted or refused in one line that names it, and in no time."""

import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)
from tests.unit.learners.states import read_tables, with_tables


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no")


VALUES = [
    *(10**400, -(10**400), 10**5000, Fraction(10**400, 3), Fraction(1, 10**400), Fraction(1, 3)),
    *(Decimal("0.5"), Decimal("1e400"), Decimal("sNaN"), math.inf, math.nan, -0.0, 1j),
    *(np.float16(0.5), np.float32(math.inf), np.float64(math.nan), np.int8(-1), np.True_),
    *(np.array(3), np.arange(10**5), [1] * 10**5, b"1" * 10**6, "1" * 400_000, Unprintable()),
    *("1" * 400_000 + "KB", "0KB", "0.0001B", "9" * 19 + "GB", "0" * 900 + "1B"),
]
SAVED = [
    *(10**400, -(10**400), -1, None, True, {"float": "inf"}, {"float": "nan"}, {"float": "0x0p0"}),
    *({"list": [1] * 10**5}, {"bytes": "00" * 10**6}, {"float": "1" * 400_000}, "1" * 400_000),
    *("1" * 400_000 + "KB", "0KB", "9" * 19 + "GB", {"float": "0x1p+100000"}, {"set": [1, "1"]}),
]
KINDS = {
    ShrubClassifier: ["memory_limit", "seed"],
    ShrubRegressor: ["memory_limit", "seed"],
    WindowedTree: ["window_size", "max_depth", "min_samples_leaf", "max_features", "seed"],
    PaperShrubRegressor: ["max_shrubs", "step_size", "steps_per_example", "grow_every"],
    PaperShrubClassifier: ["memory_limit", "step_size", "loss", "splitter", "cache"],
}
CASES = [(kind, name) for kind, names in KINDS.items() for name in names]


def check(message, beginnings):
    assert message.startswith(beginnings)
    assert len(message) < 300
    assert "\n" not in message


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_parameter_is_taken_or_refused_in_one_line(kind, name):
    start = time.process_time()
    for value in VALUES:
        try:
            kind(**{name: value}).learn_one([1.0], 1)
        except (TypeError, ValueError) as error:
            check(str(error), (f"{name} must be ", f"{name}="))
    assert time.process_time() - start < 5


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_saved_parameter_is_taken_or_refused_in_one_line(kind, name):
    state = kind().learn_one([1.0], 1).to_bytes()
    tables = read_tables(state)
    start = time.process_time()
    for value in SAVED:
        hostile = {**tables, "parameters": {**tables["parameters"], name: value}}
        try:
            kind.from_bytes(with_tables(state, hostile))
        except ValueError as error:
            check(str(error), (f"{name} must be ", f"{name}=", "this saved model is invalid: "))
    assert time.process_time() - start < 5


@pytest.mark.parametrize("limit", [0, -1, "0KB", "0.0001B", "0.0MB"])
@pytest.mark.parametrize("kind", [ShrubClassifier, PaperShrubClassifier])
def test_no_memory_is_no_limit(kind, limit):
    with pytest.raises(ValueError, match=r"^memory_limit must be at least 1 byte, got "):
        kind(memory_limit=limit).learn_one([1.0], 1)
