"""A file whose numbers or dates are written in a way that is not read says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from shrubs.streams import open_stream
from shrubs.streams.one_hot import OneHotStream

NUMBERS = "are read as categories but look like numbers, such as"
DATES = "are read as categories but look like dates or times, such as"

ODD = {
    "12,5": (NUMBERS, [f"{i},5" for i in range(40)]),
    "1,234": (NUMBERS, [f"{i},234" for i in range(1, 40)]),
    "1.234,50": (NUMBERS, [f"{i}.234,50" for i in range(1, 40)]),
    "1 234 567": (NUMBERS, [f"{i} 234 567" for i in range(1, 40)]),
    "$5.50": (NUMBERS, [f"${i}.50" for i in range(40)]),
    "-$1,234": (NUMBERS, [f"-${i},234" for i in range(1, 40)]),
    "5 %": (NUMBERS, [f"{i} %" for i in range(40)]),
    "(5)": (NUMBERS, [f"({i})" for i in range(40)]),
    "31/12/2024": (DATES, [f"{i}/12/2024" for i in range(1, 31)]),
    "2024/01/05 08:30": (DATES, [f"2024/01/05 08:{i:02}" for i in range(30)]),
    "31.12.2024": (DATES, [f"{i}.12.2024" for i in range(1, 31)]),
    "1/5/24 8:30 PM": (DATES, [f"1/5/24 8:{i:02} PM" for i in range(30)]),
    "Jan 5 2024": (DATES, [f"Jan {i} 2024" for i in range(1, 31)]),
    "5-Jan-2024": (DATES, [f"{i}-Jan-2024" for i in range(1, 31)]),
    "2024-01-05 08:30 UTC": (DATES, [f"2024-01-05 08:{i:02} UTC" for i in range(30)]),
    "08:30:00": (DATES, [f"08:{i:02}:00" for i in range(30)]),
}
PLAIN = {
    "names": [f"user{i}" for i in range(40)],
    "addresses": [f"192.168.0.{i}" for i in range(40)],
    "versions": [f"1.{i}.2" for i in range(40)],
    "ranges": [f"{i}-{i + 1}" for i in range(40)],
    "codes": [f"{i:03}-{i:04}" for i in range(40)],
    "few": [f"${i % 3}.50" for i in range(40)],
    "mostly names": [f"${i}.50" if i < 15 else f"user{i}" for i in range(40)],
}


def write(folder: Path, values: list[str]) -> Path:
    path = folder / "toys.csv"
    rows = (f'{i},"{value}",{"ab"[i % 2]}\n' for i, value in enumerate(values))
    path.write_text("i,odd,y\n" + "".join(rows))
    return path


@pytest.mark.parametrize("name", ODD)
def test_a_column_that_is_written_otherwise_is_told(tmp_path: Path, name: str) -> None:
    doubt, values = ODD[name]
    (told,) = open_stream(write(tmp_path, values), "y").doubts
    assert told.startswith(f"the values of column 'odd' {doubt} '")
    assert any(f"'{value}'" in told for value in values)


@pytest.mark.parametrize("name", ODD)
def test_a_target_that_is_written_otherwise_is_told(tmp_path: Path, name: str) -> None:
    stream = open_stream(write(tmp_path, ODD[name][1]), "odd")
    assert [told.split(",")[0] for told in stream.doubts] == [
        f"the values of column 'odd' {ODD[name][0].split(',')[0]}"
    ]


@pytest.mark.parametrize("name", PLAIN)
def test_other_texts_raise_no_doubt(tmp_path: Path, name: str) -> None:
    assert open_stream(write(tmp_path, PLAIN[name]), "y").doubts == ()


def test_a_column_that_is_called_nominal_raises_no_doubt(tmp_path: Path) -> None:
    path = write(tmp_path, ODD["12,5"][1])
    assert open_stream(path, "y", nominal=["odd"]).doubts == ()


def test_decimal_commas_between_semicolons_are_told_once_per_column(tmp_path: Path) -> None:
    path = tmp_path / "toys.csv"
    path.write_text("a;b;y\n" + "".join(f"{i},5;{i},25;{'ab'[i % 2]}\n" for i in range(40)))
    stream = open_stream(path)
    assert [told.split("'")[1] for told in stream.doubts] == ["a", "b"]
    assert OneHotStream(stream).doubts == stream.doubts
