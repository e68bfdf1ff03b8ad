from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from shrubs.protocols import Feature
from shrubs.streams import open_stream
from tests.unit.streams.reading import read_all

MIXED = """\
% made by a test
@RELATION 'a test'

@attribute 'wind speed' numeric
@attribute sky {grey, 'light blue', "it's"}
@attribute when date "dd.MM.yyyy HH:mm"
@attribute note string
@attribute class{no,yes}

@DATA
1.5, grey, '01.01.1970 00:01', hello, yes
% a comment between rows
?, 'light blue', ?, 'good, bye', no

-2, "it's", "02.01.1970 00:00", ?, no
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_mixed_attributes_become_numbers_and_codes(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "x.arff", MIXED))
    nan = math.nan
    # "good, bye" sorts before "hello"; the declared categories keep their order.
    expected = [
        [1.5, 0, 1 / 60, 3, 0, 1],
        [nan, 1, nan, nan, nan, 0],
        [-2, 2, 0, 4, 1, nan],
    ]
    block = read_all(stream)
    np.testing.assert_array_equal(block.X, np.array(expected, dtype=np.float32))
    np.testing.assert_array_equal(block.y, [1, 0, 0])


def test_schema_has_the_declared_categories_and_classes(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "x.arff", MIXED))
    assert stream.schema.classes == ("no", "yes")
    assert stream.schema.features[0] == Feature("wind speed")
    assert stream.schema.features[1].categories == ("grey", "light blue", "it's")
    assert stream.n_examples == 3


def test_class_that_never_appears_is_in_the_schema(tmp_path: Path) -> None:
    text = "@attribute a real\n@attribute class {u,v,w}\n@data\n1,w\n2,u\n"
    stream = open_stream(write(tmp_path / "x.arff", text))
    assert stream.schema.classes == ("u", "v", "w")
    np.testing.assert_array_equal(read_all(stream).y, [2, 0])


def test_sparse_rows_fill_in_zero_and_the_first_category(tmp_path: Path) -> None:
    text = (
        "@attribute a real\n@attribute b {x,y}\n@attribute class {u,v}\n"
        "@data\n{0 1.5, 2 v}\n{}\n{1 y,2 'v'}\n"
    )
    block = read_all(open_stream(write(tmp_path / "x.arff", text)))
    np.testing.assert_array_equal(block.X, [[1.5, 0], [0, 0], [0, 1]])
    np.testing.assert_array_equal(block.y, [1, 0, 1])


def test_date_without_format_is_iso(tmp_path: Path) -> None:
    text = "@attribute t date\n@attribute class {u,v}\n@data\n1970-01-01T00:00:30,u\n"
    block = read_all(open_stream(write(tmp_path / "x.arff", text)))
    assert block.X.tolist() == [[np.float32(30 / 3600), 3, 0]]


def test_numeric_class_is_a_regression_unless_told(tmp_path: Path) -> None:
    text = "@attribute a real\n@attribute class numeric\n@data\n1,0.5\n2,1.5\n"
    path = write(tmp_path / "x.arff", text)
    assert open_stream(path).schema.classes is None
    assert open_stream(path, task="classes").schema.classes == (0.5, 1.5)


def test_plain_rows_and_quoted_rows_read_the_same(tmp_path: Path) -> None:
    head = "@attribute a real\n@attribute b {x,y}\n@attribute class {u,v}\n@data\n"
    rows = [f"{i / 7},{'xy'[i % 2]},{'uv'[i % 3 == 0]}" for i in range(500)]
    plain = read_all(open_stream(write(tmp_path / "p.arff", head + "\n".join(rows))))
    quoted = [row.replace(",x,", ",'x',").replace(",y,", ', "y" ,') for row in rows]
    other = read_all(open_stream(write(tmp_path / "q.arff", head + "\n".join(quoted))))
    np.testing.assert_array_equal(plain.X, other.X)
    np.testing.assert_array_equal(plain.y, other.y)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("abc,x,u", r"^x.arff, line 6, column 'a': 'abc' is not a number$"),
        ("1,z,u", r"^x.arff, line 6, column 'b': 'z' is not one of the 2 known values$"),
        ("1,x,w", r"^x.arff, line 6, column 'class': 'w' is not one of the 2 known values$"),
        ("1,x", r"^x.arff, line 6: expected 3 values, got 2$"),
        ("1,'x,u", r"^x.arff, line 6: .*a quote"),
        ("1, 'x,u", r"^x.arff, line 6: .*a quote"),
        ("{0 1, 7 u}", r"^x.arff, line 6: expected 'index value' with an index below 3, got '7 u'"),
    ],
)
def test_broken_row_names_its_line(tmp_path: Path, row: str, message: str) -> None:
    head = "@attribute a real\n@attribute b {x,y}\n@attribute class {u,v}\n@data\n"
    path = write(tmp_path / "x.arff", f"{head}1,x,u\n{row}\n")
    with pytest.raises(ValueError, match=message):
        read_all(open_stream(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@attribute a real\n1,2\n", r"^x.arff: there is no @data line in its first 16 MB$"),
        ("@data\n1,2\n", r"^x.arff: there is no @attribute line$"),
        ("@attribute a real\n@attribute class {u}\n@data\n", r"^x.arff: there are no examples$"),
        ("@attribute a relational\n@data\n", r"line 1: attribute 'a' has the unknown type"),
        ("@attribute a\n@data\n", r"line 1: expected '@attribute name type', got '@attribute a'"),
        (
            "@attribute abc\n@data\n",
            r"line 1: expected '@attribute name type', got '@attribute abc'",
        ),
        ("@attribute a date 'EEE'\n@data\n", r"line 1: the date format 'EEE' has the unknown part"),
        (f"@attribute a date '{'.' * 101}'\n@data\n", r"a date format has at most 100 characters"),
        ("@attribute a date 'yyyy yyyy'\n@data\n", r"'yyyy yyyy' has the part 'yyyy' twice$"),
        (
            "@attribute a real\n\n@attribute 'a' real\n@attribute class {u}\n@data\n1,2,u\n",
            r"^x.arff, line 3: the column name 'a' appears twice$",
        ),
        ("@attribute a {u,v,'u'}\n@data\n", r"^x.arff, line 1: the category 'u' appears twice$"),
    ],
)
def test_broken_header_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        open_stream(write(tmp_path / "x.arff", text))
