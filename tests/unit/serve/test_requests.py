"""What clients send: hostile requests are refused in words, good ones read as they are."""

from __future__ import annotations

import json

import pytest

from shrubs.serve.block import are_known, columns_of, last_line, read_rows, rows_of
from shrubs.serve.requests import (
    Lesson,
    Question,
    read_body,
    read_lesson,
    read_lines,
    read_question,
)

HOSTILE = {
    b"": "not JSON",
    b"\xff\xfe": "not UTF-8",
    b"{": "not JSON",
    b"[" * 100_000: "nested too deeply|not JSON",
    b"null": "an object must come",
    b"[]": "an object must come",
    b"{}": '"x" is missing',
    b'{"x": []}': '"x" must be an object',
    b'{"x": {}}': "1 to 10,000 features, got 0",
    b'{"x": {"": 1}}': "a name must have 1 to 256 characters",
    b'{"x": {"a": NaN}}': "NaN is not JSON",
    b'{"x": {"a": 1e999}}': "must be a finite number",
    b'{"x": {"a": -Infinity}}': "-Infinity is not JSON",
    b'{"x": {"a": [1]}}': "'a' must be a finite number",
    b'{"x": {"a": {}}}': "'a' must be a finite number",
    b'{"x": {"a": 1}, "id": 5}': '"id" must be a text',
    b'{"x": {"a": 1}, "id": ""}': '"id" must be a text of 1 to 256',
    b'{"x": {"a": 1}, "id": null}': '"id" must be a text',
    b'{"x": {"a": 1}, "weight": 5}': "there is no member 'weight'",
    json.dumps({"x": {"a" * 300: 1}}).encode(): "a name must have",
    json.dumps({"x": {"a": "b" * 5000}}).encode(): "at most 4,096 characters",
    json.dumps({"x": {str(i): 1 for i in range(10_001)}}).encode(): "got 10,001",
    json.dumps({"x": {"a": 1}, "id": "i" * 300}).encode(): '"id" must be a text',
    b'{"x": {"a": 1' + b"0" * 400 + b"}}": "must be a finite number",
    b'{"x": {"a": 1' + b"0" * 9000 + b"}}": "digits",
}


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_questions_are_refused_in_words(body):
    with pytest.raises(ValueError, match=HOSTILE[body]) as refused:
        read_body(body, read_question)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"x": {"a": 1}}, '"y" is missing'),
        ({"y": 1}, '"x" or "id" is missing'),
        ({"x": {"a": 1}, "y": None}, '"y" must be a text'),
        ({"x": {"a": 1}, "y": [1]}, '"y" must be a text'),
        ({"x": {"a": 1}, "y": "y" * 300}, '"y" must have at most 256'),
    ],
)
def test_hostile_lessons_are_refused_in_words(data, said):
    with pytest.raises(ValueError, match=said):
        read_lesson(data)


def test_good_requests_are_read_as_they_are():
    x = {"a": 1, "b": -2.5, "c": "red", "d": True, "e": None}
    assert read_body(json.dumps({"x": x}).encode(), read_question) == Question(x)
    assert read_lesson({"x": x, "y": "yes", "id": "7"}) == Lesson("yes", x, "7")
    assert read_lesson({"id": "7", "y": 2.5}) == Lesson(2.5, None, "7")


def test_lines_are_read_in_order():
    body = b'{"x": {"a": 1}}\r\n{"x": {"a": 2}}\n'
    assert [q.x["a"] for q in read_lines(body, read_question)] == [1, 2]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "1 to 50,000 lines, got none"),
        (b"\n" * 60_000, "1 to 50,000 lines, got more"),
        (b'{"x": {"a": 1}}\n\n{"x": {"a": 2}}\n', "line 2: this is not JSON"),
        (b'{"x": {"a": 1}}\n{"x": {"a": []}}\n', "line 2: 'a' must be"),
        (b'{"x": {"a": 1}}, {"x": {"a": 2}}\n', "line 1: this is not JSON"),
        # Together they would be JSON.
        (b'{"x": {"a": "b\nc"}}, {"x": {"a": 2}}', "line 1: this is not JSON"),
        (b'{"x": {"a": 1}}], [{"x": {"a": 1}}\n', "line 1: this is not JSON"),
    ],
)
def test_wrong_lines_are_told_by_their_number(body, said):
    with pytest.raises(ValueError, match=said):
        read_lines(body, read_question)


KINDS = {"a": "number", "c": "nominal"}


def known_rows(*requests):
    """As columns; None where they are not alike or not known."""
    found = read_rows("\n".join(map(json.dumps, requests)).encode())
    return found if found is not None and are_known(found, KINDS) else None


def test_rows_that_are_alike_become_columns():
    found = known_rows({"x": {"a": 1, "c": "u"}}, {"x": {"a": 2.5, "c": "v"}})
    assert columns_of(found)["a"].tolist() == [1.0, 2.5]
    assert columns_of(found)["c"] == ["u", "v"]
    assert rows_of(found) == [{"a": 1, "c": "u"}, {"a": 2.5, "c": "v"}]


@pytest.mark.parametrize(
    "second",
    [
        {"x": {"a": 1}},
        {"x": {"c": "u", "a": 1}},
        {"x": {"a": 1, "c": 5}},
        {"x": {"a": None, "c": "u"}},
        {"x": {"a": True, "c": "u"}},
        {"x": {"a": "1", "c": "u"}},
        {"x": {"a": 1e39, "c": "u"}},  # more than a model takes
        {"x": {"a": -1e301, "c": "u"}},
        {"x": {"a": 10**400, "c": "u"}},
        {"x": {"a": 1, "c": "u" * 5000}},
        {"x": {"a": 1, "c": "u"}, "id": "7"},
        {"x": {"a": 1, "c": "u"}, "y": "yes"},
        {"x": [1, 2]},
        {"y": {"a": 1, "c": "u"}},
        [1],
        None,
    ],
)
def test_any_other_rows_do_not(second):
    assert known_rows({"x": {"a": 1, "c": "u"}}, second) is None


@pytest.mark.parametrize(
    "x", [{"b": 1}, {"a": 1, "b": 1}, {"a": "u"}, {"c": 1}, {"a": 1, "c": "u" * 5000}]
)
def test_rows_that_are_not_known_do_not(x):
    assert known_rows({"x": x}, {"x": x}) is None


@pytest.mark.parametrize("body", [b"one\ntwo\n", b"one\ntwo", b"two"])
def test_last_line_is_that_before_the_end(body):
    assert last_line(body) == b"two"
