"""Lines that are alike are read as Python's own reader reads them, or not at all."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shrubs.streams.formats.alike_rows import read_alike_rows

NUMBERS = st.one_of(
    st.integers(-(10**25), 10**25),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=4).map(float),
)
TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)  # surrogates, too


def read(body, max_rows=1000):
    return read_alike_rows(body, max_rows, json.loads)


def bits(value):
    return type(value), value, math.copysign(1, value) if isinstance(value, float) else None


def expected(requests):
    """What columns of these rows hold, by Python alone."""
    names = [name for name, value in requests[0]["x"].items() if not isinstance(value, str)]
    numbers = [[float(request["x"][name]) for name in names] for request in requests]
    texts = {name: [r["x"][name] for r in requests] for name in requests[0]["x"].keys() - {*names}}
    return names, numbers, texts


@st.composite
def alike(draw):
    """Requests with the same columns, and how they are written."""
    columns = draw(st.dictionaries(TEXTS, st.sampled_from([NUMBERS, TEXTS]), min_size=1))
    labels = draw(st.sampled_from([None, NUMBERS, TEXTS, st.booleans(), NUMBERS | TEXTS]))
    requests = []
    for _ in range(draw(st.integers(1, 5))):
        x = {name: draw(values) for name, values in columns.items()}
        label = {} if labels is None else {"y": draw(labels)}
        requests.append(draw(st.sampled_from([{"x": x, **label}, {**label, "x": x}])))
    return requests, draw(st.booleans()), draw(st.sampled_from([(",", ":"), (", ", ": ")]))


@given(alike(), st.sampled_from(["\n", "\r\n", " \t\n"]))
@example(([{"x": {"a": -0.0, "b": 5e-324}}], True, (",", ":")), "\n")
@example(([{"x": {"a": 0.1 + 0.2, "b": 1.7976931348623157e308}}], True, (",", ":")), "\n")
@example(([{"x": {"a": 9007199254740993, "b": 123456789012345678}}], True, (",", ":")), "\n")
def test_rows_that_are_alike_are_read_to_the_bit(written, end):
    requests, ascii_only, separators = written
    lines = [json.dumps(r, ensure_ascii=ascii_only, separators=separators) for r in requests]
    body = "".join(line + end for line in lines).encode(errors="surrogatepass")
    if any("\ud800" <= c <= "\udfff" for line in lines for c in line):
        assert read(body) is None  # it is no UTF-8
        return
    found = read(body)
    names, numbers, texts = expected(requests)
    assert (found.names, found.texts) == (names, texts)
    assert found.numbers.shape == (len(requests), len(names))
    for row, each in zip(found.numbers.tolist(), numbers, strict=True):
        # What is a whole number has no sign at zero.
        assert [value + 0.0 for value in row] == [value + 0.0 for value in each]
    labels = [request["y"] for request in requests if "y" in request] or None
    assert (found.labels and [*map(bits, found.labels)]) == (labels and [*map(bits, labels)])


@given(st.one_of(st.binary(max_size=40), alike().map(lambda w: json.dumps(w[0][0]).encode())))
def test_what_is_read_is_what_python_reads(start):
    """Damaged lines: either they are left alone, or they are fine."""
    for cut in range(len(start) + 1):
        body = start[:cut] + start[cut + 1 :]
        found = read(body)
        if found is not None:
            lines = body.split(b"\n")
            requests = [json.loads(line) for line in lines if line]
            assert (found.names, found.texts) == expected(requests)[::2]
            assert found.numbers.tolist() == expected(requests)[1]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" ",
        b"{}",
        b"[]",
        b"null",
        b'{"x": {}}',
        b'{"x": {"a": 1}',
        b'{"x": {"a": 1}}}',
        b'{"x": {"a": 1}} {"x": {"a": 1}}',
        b'{"x": {"a": 1}, "x": {"a": 1}}',
        b'{"x": {"a": 1}, "y": 1, "y": 1}',
        b'{"x": {"a": 1, "a": 2}}',
        b'{"x": {"a": 1, "\\u0061": 2}}',
        b'{"x": {"a": 1},}',
        b'{"x": {"a": 1,}}',
        b'{"x": {"a" 1}}',
        b'{"x": {a: 1}}',
        b'{"x": {"a": 1}, "id": "7"}',
        b'{"x": {"a": null}}',
        b'{"x": {"a": true}}',
        b'{"x": {"a": NaN}}',
        b'{"x": {"a": Infinity}}',
        b'{"x": {"a": 1e999}}',
        b'{"x": {"a": 1' + b"0" * 400 + b"}}",
        b'{"x": {"a": 01}}',
        b'{"x": {"a": +1}}',
        b'{"x": {"a": .5}}',
        b'{"x": {"a": 1.}}',
        b'{"x": {"a": 1e}}',
        b'{"x": {"a": -}}',
        b'{"x": {"a": 0x1}}',
        b'{"x": {"a": 1_0}}',
        b'{"x": {"a": "b}}',
        b'{"x": {"a": "\\x"}}',
        b'{"x": {"a": "\\"}}',
        b'{"x": {"a": "\x01"}}',
        b'{"x": {"a": "\xff"}}',
        b'{"x": {"\xed\xa0\x80": 1}}',
        b'{"x": {"a": 1},\r"y": 2}',  # a log could not hold it
        b'{"x": {"a": 1}, "y": null}',
        b'{"x": {"a": 1}, "y": [1]}',
        b'{"x": {"a": 1}, "y": tru}',
        b'\xef\xbb\xbf{"x": {"a": 1}}',
        b'{"x": {"a": 1}}\x00',
    ],
)
def test_what_is_wrong_or_odd_is_left_alone(line):
    assert read(line) is None
    assert read(b'{"x": {"a": 1}}\n' + line + b"\n") is None


def test_lines_that_differ_are_left_alone():
    first = b'{"x": {"a": 1, "b": "u"}}\n'
    assert read(first * 3).n_rows == 3
    for other in (b'{"x": {"a": 1}}', b'{"x": {"b": "u", "a": 1}}', b'{"x": {"a": "1", "b": "u"}}'):
        assert read(first + other) is None
        assert read(other + b"\n" + first) is None


def test_more_rows_than_may_be_are_left_alone():
    assert read(b'{"x": {"a": 1}}\n' * 3, max_rows=3).n_rows == 3
    assert read(b'{"x": {"a": 1}}\n' * 4, max_rows=3) is None


def test_many_names_and_many_lines_take_no_memory_of_their_product():
    names = ",".join(f'"{i}":1' for i in range(100_000))
    assert read(f'{{"x":{{{names}}}}}\n'.encode() + b"\n" * 50_000, max_rows=50_000) is None


def test_texts_that_come_again_are_the_same_object():
    first, second = read(b'{"x": {"a": "long enough"}}\n' * 2).texts["a"]
    assert first is second


def test_error_of_a_decoder_that_is_no_value_error_comes_through():
    def decode(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_alike_rows(b'{"x": {"\\n": 1}}\n', 10, decode)
