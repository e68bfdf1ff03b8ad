from __future__ import annotations

import datetime
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shrubs.streams import open_stream
from tests.unit.streams.reading import read_all

pa = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
pq = pytest.importorskip("pyarrow.parquet")


def write(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(columns), path, **options)
    return path


def test_all_types_become_numbers_and_codes(tmp_path: Path) -> None:
    utc = datetime.timezone.utc
    columns = {
        "small": pa.array([1, None, -3], pa.int8()),
        "half": pa.array([0.5, None, math.nan], pa.float32()),
        "money": pa.array([Decimal("1.25"), None, Decimal("-2.00")], pa.decimal128(8, 2)),
        "open": [True, None, False],
        "day": [datetime.date(1970, 1, 2), None, datetime.date(1969, 12, 31)],
        "time": pa.array(
            [datetime.datetime(1970, 1, 1, 0, 1, tzinfo=utc), None, None],
            pa.timestamp("ns", "Europe/Berlin"),
        ),
        "at": [datetime.time(6, 30), None, datetime.time(18, 45)],
        "sky": ["grey", None, "blue"],
        "place": pa.array(["b", "a", None]).dictionary_encode(),
        "target": [1, 0, 1],
    }
    stream = open_stream(write(tmp_path / "x.parquet", columns))
    nan = math.nan
    expected = [
        [1, 0.5, 1.25, 1, 4, 1, 61 / 60, 3, 0, 6.5, 1, 1],
        [nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0],
        [-3, nan, -2, 0, 2, -1, nan, nan, nan, 18.75, 0, nan],
    ]
    block = read_all(stream)
    np.testing.assert_array_equal(block.X, np.array(expected, dtype=np.float32))
    np.testing.assert_array_equal(block.y, [1, 0, 1])
    assert stream.schema.nominal_features == (10, 11)


def test_category_that_no_row_has_is_left_out(tmp_path: Path) -> None:
    place = pa.DictionaryArray.from_arrays(pa.array([0, 2]), pa.array(["c", "b", "a"]))
    stream = open_stream(write(tmp_path / "x.parquet", {"place": place, "target": [0, 1]}))
    assert stream.schema.features[0].categories == ("a", "c")


def test_numbers_named_nominal_become_codes(tmp_path: Path) -> None:
    columns = {"a": [10, 9, None], "b": [0.5, 2.0, 0.5], "target": ["u", "v", "u"]}
    stream = open_stream(write(tmp_path / "x.parquet", columns), nominal=["a", "b"])
    assert [f.categories for f in stream.schema.features] == [("9", "10"), ("0.5", "2")]
    np.testing.assert_array_equal(read_all(stream).X, [[1, 0], [0, 1], [math.nan, 0]])


def test_row_groups_of_any_size_give_the_same_examples(tmp_path: Path) -> None:
    columns = {"a": np.arange(20_000.0), "target": np.arange(20_000) % 3}
    whole = read_all(open_stream(write(tmp_path / "a.parquet", columns)))
    small = read_all(open_stream(write(tmp_path / "b.parquet", columns, row_group_size=777)))
    np.testing.assert_array_equal(whole.X, small.X)
    np.testing.assert_array_equal(whole.y, small.y)


def test_rows_without_a_label_are_counted_and_skipped(tmp_path: Path) -> None:
    target = ["u"] * 9000
    target[8500] = None
    path = write(tmp_path / "x.parquet", {"a": np.arange(9000), "target": target})
    stream = open_stream(path)
    assert (stream.n_examples, stream.n_unlabelled) == (8999, 1)
    assert read_all(stream).X[8500] == 8501


def test_column_of_lists_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {"a": [[1], [2]], "target": [0, 1]})
    with pytest.raises(ValueError, match=r"column 'a' has the type list<.*>, which is neither"):
        open_stream(path)


def test_file_that_is_not_parquet_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_text("a,y\n1,2\n")
    with pytest.raises(ValueError, match=r"^x.parquet: damaged or not Parquet data \(.*\)$"):
        open_stream(path)


def test_damaged_page_names_the_first_row_it_took(tmp_path: Path) -> None:
    columns = {"a": np.random.default_rng(1).random(20_000), "target": [0, 1] * 10_000}
    path = write(tmp_path / "x.parquet", columns, row_group_size=8192)
    data = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(1).column(0).dictionary_page_offset
    data[start : start + 1000] = bytes(1000)
    path.write_bytes(data)
    stream = open_stream(path)
    with pytest.raises(
        ValueError, match=r"^x.parquet, row 8193: damaged or not Parquet data \(.*\)$"
    ):
        read_all(stream)


def test_doubled_column_name_is_refused(tmp_path: Path) -> None:
    columns = [pa.array([1, 2])] * 3
    pq.write_table(pa.Table.from_arrays(columns, ["a", "a", "y"]), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"^x.parquet: the column name 'a' appears twice$"):
        open_stream(tmp_path / "x.parquet")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("dictionary", [True, False])
def test_texts_are_the_same_however_they_are_stored(
    tmp_path: Path, kind: Any, dictionary: bool
) -> None:
    # So many different texts that the dictionary is given up after the first pages.
    rng = np.random.default_rng(1)
    texts = [f"text {i % 9000 if i % 3 else i % 7}" for i in rng.permutation(30_000)]
    texts[5] = None
    columns = {"a": pa.array(texts, kind), "target": [0, 1] * 15_000}
    options = {"use_dictionary": dictionary, "dictionary_pagesize_limit": 1 << 14}
    path = write(tmp_path / "x.parquet", columns, row_group_size=11_000, **options)
    stream = open_stream(path)
    categories = stream.schema.features[0].categories
    read = read_all(stream).X[:, 0]
    assert math.isnan(read[5])
    read[5] = 0
    assert [categories[int(code)] for code in read[6:]] == texts[6:]
    assert len(categories) == len(set(texts) - {None})


def test_file_without_rows_is_refused(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.parquet", {"a": pa.array([], pa.int8()), "y": pa.array([], pa.int8())}
    )
    with pytest.raises(ValueError, match=r"^x.parquet: there are no rows$"):
        open_stream(path)


def test_compressed_parquet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^x.parquet.gz: parquet compresses inside; unpack"):
        open_stream(tmp_path / "x.parquet.gz")


def test_parquet_from_standard_input_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^parquet cannot be read from standard input"):
        open_stream("-", file_format="parquet")
