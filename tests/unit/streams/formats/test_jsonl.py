from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from shrubs.streams import open_stream, read_rows
from shrubs.streams.formats.limits import MAX_FEATURES
from tests.unit.streams.reading import read_all


def write(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_values_say_what_columns_hold(tmp_path: Path) -> None:
    rows: list[object] = [
        {"a": 1, "b": "x", "c": True, "when": "2024-01-05", "zip": "7", "y": "u"},
        {"a": 2.5, "b": None, "when": "2024-01-06", "zip": "8", "y": "v", "late": 1},
    ]
    stream = open_stream(write(tmp_path / "x.jsonl", rows), "y")
    assert list(stream) == [
        ({"a": 1.0, "b": "x", "c": 1.0, "when: weekday": 4.0, "when: days since 1970": 19727.0,
          "zip": "7"}, "u"),
        ({"a": 2.5, "when: weekday": 5.0, "when: days since 1970": 19728.0, "zip": "8",
          "late": 1.0}, "v"),
    ]  # fmt: skip
    assert stream.schema.classes == ("u", "v")


def test_it_is_the_same_as_csv(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"a": float(a), "b": "rgb"[i % 3], "y": i % 2} for i, a in enumerate(rng.normal(size=3000))
    ]
    (tmp_path / "x.csv").write_text(
        "a,b,y\n" + "".join(f"{row['a']!r},{row['b']},{row['y']}\n" for row in rows)
    )
    ours = open_stream(write(tmp_path / "x.ndjson", [*rows]))
    csv = open_stream(tmp_path / "x.csv")
    assert ours.schema == csv.schema
    mine, other = read_all(ours), read_all(csv)
    np.testing.assert_array_equal(mine.X, other.X)
    np.testing.assert_array_equal(mine.y, other.y)


def test_rows_are_read_without_a_target(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [{"a": 1, "b": "x"}, {"a": None}, {"b": "y"}])
    assert list(read_rows(path)) == [{"a": 1.0, "b": "x"}, {}, {"b": "y"}]
    assert next(iter(read_rows(path, kinds={"a": "nominal"}))) == {"a": "1", "b": "x"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "the line is no JSON"),
        ("[1]", r"the line must be a JSON object, got \[1\]"),
        ("7", "the line must be a JSON object, got 7"),
        ('{"a": [1]}', r"'a' holds \[1\]; values must not be nested"),
        ("[" * 100_000, "the line is no JSON"),
        ('{"a": ' + "9" * 5000 + "}", "the line is no JSON"),
        ('{"a": "x"}', "column 'a': 'x' is not a number"),
        ('{"a": Infinity}', "column 'a': inf is not a finite number"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1, "y": 0}\n' * 3 + line + '\n{"a": 1, "y": 1}\n')
    with pytest.raises(ValueError, match=f"^x.jsonl, line 4[,:] ?{problem}"):
        read_all(open_stream(path, "y"))


def test_too_many_names_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [{f"{i}": 1} for i in range(MAX_FEATURES + 2)])
    with pytest.raises(ValueError, match=f"line {MAX_FEATURES + 2}: a learner takes at most"):
        open_stream(path)


def test_lines_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'{"a": 1, "y": "u"}\n' * 60_000 + b'{"new": 1, "y": "u"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    stream = open_stream("-", file_format="jsonl")
    with pytest.raises(ValueError, match="line 60001: the first lines do not have the name 'new'"):
        list(stream)
