from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shrubs.protocols import Feature, Stream
from shrubs.streams import open_stream
from shrubs.streams.formats.source import SAMPLE_ROWS
from tests.unit.streams.reading import read_all

MIXED = """\
wind,sky,open,day,rain
1.5,blue,true,1970-01-02,no
?,grey,FALSE,1970-01-01T00:01:00Z,yes
-2e3,,True,1970-01-01 01:00:00+01:00,no
,blue,?,,yes
"""


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.fixture(params=["pyarrow", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test that takes this runs with and without pyarrow."""
    if request.param == "python":
        monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    return str(request.param)


@pytest.mark.usefixtures("parser")
def test_mixed_columns_become_numbers_and_codes(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "weather.csv", MIXED), "rain")
    block = read_all(stream)
    nan = math.nan
    # blue is 0 and grey is 1; hour, weekday and day of a date are those on the wall.
    expected = [
        [1.5, 0, 1, nan, 4, 1],
        [nan, 1, 0, 1 / 60, 3, 0],
        [-2000, nan, 1, 1, 3, 0],
        [nan, 0, nan, nan, nan, nan],
    ]
    np.testing.assert_array_equal(block.X, np.array(expected, dtype=np.float32))
    np.testing.assert_array_equal(block.y, [0, 1, 0, 1])
    assert block.X.dtype == np.float32
    assert block.y.dtype == np.int64


def test_schema_names_features_categories_and_classes(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "weather.csv", MIXED), "rain")
    assert isinstance(stream, Stream)
    assert stream.name == "weather"
    assert stream.n_examples == 4
    assert stream.schema.classes == ("no", "yes")
    assert stream.schema.features == (
        Feature("wind"),
        Feature("sky", nominal=True, categories=("blue", "grey")),
        Feature("open"),
        Feature("day: hour", of_date=True),
        Feature("day: weekday", of_date=True),
        Feature("day: days since 1970", of_date=True),
    )


@pytest.mark.usefixtures("parser")
def test_broken_number_names_file_line_and_column(tmp_path: Path) -> None:
    rows = ["0.5,UP"] * 15 + ["abc,DOWN"] + ["0.5,UP"] * 3
    path = write(tmp_path / "elec.csv", "\n".join(["nswprice,class", *rows]))
    with pytest.raises(ValueError, match=r"^elec.csv, line 17, column 'nswprice': 'abc' is not a"):
        read_all(open_stream(path))


@pytest.mark.usefixtures("parser")
def test_line_numbers_count_blank_lines_and_lines_inside_quotes(tmp_path: Path) -> None:
    text = 'a,b,y\n1,"x\ny",p\n\n2,z,q\r\nbad,z,p\n3,z,p\n4,z,q\n'
    with pytest.raises(ValueError, match=r"line 6, column 'a': 'bad'"):
        read_all(open_stream(write(tmp_path / "x.csv", text)))


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("row", ["1,2", "1,2,3,4"])
def test_row_of_wrong_length_names_the_line(tmp_path: Path, row: str) -> None:
    path = write(tmp_path / "x.csv", f"a,b,y\n1,2,3\n{row}\n")
    got = row.count(",") + 1
    with pytest.raises(ValueError, match=rf"^x.csv, line 3: expected 3 values, got {got}$"):
        open_stream(path)


@pytest.mark.usefixtures("parser")
def test_row_of_wrong_length_far_down_names_the_line(tmp_path: Path) -> None:
    rows = ["1,2,p"] * 5000
    rows[4000] = "1,2"
    path = write(tmp_path / "x.csv", "\n".join(["a,b,y", *rows]))
    with pytest.raises(ValueError, match=r"^x.csv, line 4002: expected 3 values, got 2$"):
        open_stream(path)


def test_broken_boolean_and_date_name_line_and_column(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,y\ntrue,1\nfalse,0\nmaybe,1\n")
    with pytest.raises(ValueError, match=r"line 4, column 'a': 'maybe' is neither true nor false"):
        read_all(open_stream(path))
    path = write(tmp_path / "x.csv", "a,y\n2001-01-01,1\n2001-13-01,0\n2001-01-03,1\n")
    with pytest.raises(ValueError, match=r"line 3, column 'a': '2001-13-01' is not an ISO 8601"):
        read_all(open_stream(path))


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("value", ["inf", "-1e39", "1e400"])
def test_number_outside_single_precision_is_refused(tmp_path: Path, value: str) -> None:
    path = write(tmp_path / "x.csv", f"a,y\n1,0\n{value},1\n")
    with pytest.raises(ValueError, match=r"line 3, column 'a': .* is not a finite number"):
        read_all(open_stream(path))


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("labels", [["u", "v"], ["0.5", "1.5"], ["true", "false"]])
def test_rows_without_a_label_are_counted_and_skipped(tmp_path: Path, labels: list[str]) -> None:
    rows = f"1,{labels[0]}\n2,?\n3,{labels[1]}\n4,\n"
    stream = open_stream(write(tmp_path / "x.csv", f"a,y\n{rows}"))
    assert (stream.n_examples, stream.n_unlabelled) == (2, 2)
    np.testing.assert_array_equal(read_all(stream).X, [[1], [3]])
    assert [x for x, _ in stream] == [{"a": 1.0}, {"a": 3.0}]


def test_a_file_without_any_label_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,y\n1,?\n2,\n")
    with pytest.raises(ValueError, match=r"^x.csv: no row has a value of the target 'y'$"):
        open_stream(path)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("first", "rest", "nominal"),
    [
        ("?", "x", True),  # nothing but missing values at first
        ("1", "x", True),  # numbers at first, mostly texts
        ("2020-01-01", "x", True),
        ("true", "7", False),
        ("1", "2020-01-01", False),
    ],
)
def test_the_whole_file_decides_what_a_column_holds(
    tmp_path: Path, first: str, rest: str, nominal: bool
) -> None:
    rows = [f"{first},0"] * 300 + [f"{rest},1"] * 400
    path = write(tmp_path / "x.csv", "\n".join(["a,y", *rows]))
    if nominal:
        stream = open_stream(path)
        assert stream.schema.features[0].categories == tuple(sorted({first, rest} - {"?"}))
        assert len(read_all(stream)) == 700
    else:
        with pytest.raises(ValueError, match=r"^x.csv, line 2, column 'a': .* is not a"):
            open_stream(path)
        assert open_stream(path, nominal=["a"]).schema.features[0].nominal


def test_a_column_of_texts_at_first_may_hold_numbers(tmp_path: Path) -> None:
    rows = ["off,0"] * 300 + [f"{i},1" for i in range(1000)]
    path = write(tmp_path / "x.csv", "\n".join(["a,y", *rows]))
    with pytest.raises(ValueError, match=r"^x.csv, line 2, column 'a': 'off' is not a number"):
        open_stream(path)
    mostly_texts = ["off,0"] * 3000 + [f"{i},1" for i in range(1000)]
    path = write(tmp_path / "x.csv", "\n".join(["a,y", *mostly_texts]))
    assert len(open_stream(path).schema.features[0].categories) == 1001


def test_the_whole_file_decides_what_the_target_holds(tmp_path: Path) -> None:
    rows = ["1,?"] * 300 + ["2,u", "3,v"]
    stream = open_stream(write(tmp_path / "x.csv", "\n".join(["a,y", *rows])))
    assert (stream.schema.classes, stream.n_unlabelled) == (("u", "v"), 300)


def test_a_stream_gives_its_examples_by_name(tmp_path: Path) -> None:
    text = "a,b,day,y\n1.5,x,2001-01-01,u\n?,z,,v\n2,,2001-01-02,u\n"
    examples = list(open_stream(write(tmp_path / "x.csv", text), nominal=["a"]))
    assert examples == [
        ({"a": "1.5", "b": "x", "day: weekday": 0, "day: days since 1970": 11323}, "u"),
        ({"b": "z"}, "v"),
        ({"a": "2", "day: weekday": 1, "day: days since 1970": 11324}, "u"),
    ]
    targets = list(open_stream(write(tmp_path / "t.csv", "a,y\n1,0.5\n2,1.5\n")))
    assert targets == [({"a": 1.0}, 0.5), ({"a": 2.0}, 1.5)]


@pytest.mark.parametrize("text", ["a,,y\n1,2,3\n", "a,b,y\n1,2,3\n", "﻿a,b,y\r\n1,2,3\r\n"])
def test_header_may_have_byte_order_mark_and_an_unnamed_column(tmp_path: Path, text: str) -> None:
    stream = open_stream(write(tmp_path / "x.csv", text), "y")
    assert stream.schema.features[0].name == "a"
    np.testing.assert_array_equal(read_all(stream).X, [[1, 2]])


@pytest.mark.parametrize(("name", "separator"), [("x.csv", ";"), ("x.tsv", "\t")])
def test_separator_is_taken_from_the_header(tmp_path: Path, name: str, separator: str) -> None:
    path = write(tmp_path / name, "a,b,y\n1,2,u\n3,4,v\n".replace(",", separator))
    np.testing.assert_array_equal(read_all(open_stream(path)).X, [[1, 2], [3, 4]])


def test_header_of_numbers_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "1.5,2,u\n3,4,v\n")
    with pytest.raises(ValueError, match=r"line 1: the first line must hold column names, got the"):
        open_stream(path)


def test_doubled_column_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"line 1: the column name 'a' appears twice"):
        open_stream(write(tmp_path / "x.csv", "a,a,y\n1,2,3\n"))


def test_text_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,y\n1,u\n2,\xff\n")
    with pytest.raises(ValueError, match=r"^x.csv, line 3: the text is not UTF-8$"):
        open_stream(path)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_on_any_machine(tmp_path: Path, end: str) -> None:
    text = 'a,b,y\n1,"x\nz",u\n\n3,w,v\n'.replace("\n", end)
    stream = open_stream(write(tmp_path / "x.csv", text))
    assert stream.schema.features[1].categories == ("w", "x\nz")
    np.testing.assert_array_equal(read_all(stream).X, [[1, 1], [3, 0]])
    with pytest.raises(ValueError, match=r"^x.csv, line 6: expected 3 values, got 1$"):
        open_stream(write(tmp_path / "x.csv", text + "4"))


def test_name_that_is_too_long_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^x.csv, line 1: field larger than field limit"):
        open_stream(write(tmp_path / "x.csv", f"{'a' * 200_000},y\n1,2\n"))


def test_category_nan_does_not_disturb_the_order(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,y\n10,u\nnan,v\n9,u\n")
    assert open_stream(path, nominal=["a"]).schema.features[0].categories == ("10", "9", "nan")


def test_column_missing_in_the_first_rows_is_numeric(tmp_path: Path) -> None:
    rows = ["?,u"] * (SAMPLE_ROWS + 10) + ["3,v"]
    stream = open_stream(write(tmp_path / "x.csv", "\n".join(["a,y", *rows])))
    assert read_all(stream).X[-1, 0] == 3


def test_nominal_column_keeps_its_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,y\n10,u\n09,v\n9,u\n")
    stream = open_stream(path, nominal=["a"])
    # Sorted by number; of equal numbers the smaller text comes first.
    assert stream.schema.features[0].categories == ("09", "9", "10")
    np.testing.assert_array_equal(read_all(stream).X[:, 0], [2, 0, 1])


def test_na_is_missing_among_numbers_and_a_category_among_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,b,y\n1,NA,u\nNA,EU,v\n2,NA,u\n")
    stream = open_stream(path)
    assert stream.schema.features[1].categories == ("EU", "NA")
    assert math.isnan(read_all(stream).X[1, 0])


cells = st.one_of(
    st.floats(-1e30, 1e30).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["", "?", "NA", "+1.5", " 2 ", "1.", ".5", "1E3", "-0", "nan"]),
)
words = st.text(alphabet="ab\"',; \n?é", max_size=5)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(cells, words, st.sampled_from("uv")), min_size=1, max_size=20))
def test_pyarrow_and_python_read_the_same(tmp_path: Path, rows: list[tuple[str, str, str]]) -> None:
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("a", "b", "y"), ("0", "w", "u"), *rows])
    by_arrow = open_stream(path, nominal=["b"])
    arrow = read_all(by_arrow)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow.csv", None)
        by_python = open_stream(path, nominal=["b"])
        python = read_all(by_python)
    assert by_arrow.schema == by_python.schema
    np.testing.assert_array_equal(arrow.X, python.X)
    np.testing.assert_array_equal(arrow.y, python.y)
