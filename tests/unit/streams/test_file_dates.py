"""Dates in files are the features that dates in Python are."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from shrubs import PaperShrubClassifier
from shrubs.evaluation import evaluate
from shrubs.streams import open_stream, read_rows
from tests.reference.dates import date_features
from tests.unit.streams.reading import read_all

TIMES = [datetime(2024, 3, 30) + timedelta(minutes=137 * i, seconds=i) for i in range(60)]
Y = ["work" if 8 <= at.hour < 17 else "rest" for at in TIMES]
BERLIN = [at.replace(tzinfo=ZoneInfo("Europe/Berlin")) for at in TIMES]


def csv(path, times=TIMES):
    rows = (f"{at},{y}\n" for at, y in zip(times, Y, strict=True))
    path.write_text("when,y\n" + "".join(rows))
    return path


def arff(path):
    rows = (f"'{at:%d.%m.%Y %H:%M:%S}',{y}\n" for at, y in zip(TIMES, Y, strict=True))
    head = '@attribute when date "dd.MM.yyyy HH:mm:ss"\n@attribute y {rest,work}\n@data\n'
    path.write_text(head + "".join(rows))
    return path


def arff_texts(path, times=TIMES):
    rows = (f"'{at}',{y}\n" for at, y in zip(times, Y, strict=True))
    path.write_text("@attribute when string\n@attribute y {rest,work}\n@data\n" + "".join(rows))
    return path


def parquet(path, times=TIMES):
    pd.DataFrame({"when": pd.DatetimeIndex(times), "y": Y}).to_parquet(path)
    return path


def parquet_texts(path, times=TIMES):
    pd.DataFrame({"when": list(map(str, times)), "y": Y}).to_parquet(path)
    return path


FILES = {
    "csv": lambda folder: csv(folder / "x.csv"),
    "csv zone": lambda folder: csv(folder / "x.csv", BERLIN),
    "arff": lambda folder: arff(folder / "x.arff"),
    "arff texts": lambda folder: arff_texts(folder / "x.arff"),
    "parquet": lambda folder: parquet(folder / "x.parquet"),
    "parquet texts": lambda folder: parquet_texts(folder / "x.parquet", BERLIN),
    "parquet zone": lambda folder: parquet(
        folder / "x.parquet", pd.DatetimeIndex(TIMES).tz_localize("Asia/Tokyo")
    ),
}


@pytest.mark.parametrize("make", FILES.values(), ids=FILES.keys())
def test_files_and_python_agree(tmp_path, make):
    path = make(tmp_path)
    stream = open_stream(path)
    expected = [date_features("when", at) for at in TIMES]
    assert [x for x, _ in stream] == expected
    assert [{k: v for k, v in x.items() if k != "y"} for x in read_rows(path)] == expected
    assert read_rows(path).names == (*expected[0], "y")
    X = np.array([list(x.values()) for x in expected], dtype=np.float32)
    np.testing.assert_array_equal(read_all(stream).X, X)
    assert [f.name for f in stream.schema.features if f.of_date] == list(expected[0])
    from_file, from_python = PaperShrubClassifier(seed=1), PaperShrubClassifier(seed=1)
    for (x, y), at in zip(stream, TIMES, strict=True):
        from_file.learn_one(x, y)
        from_python.learn_one({"when": at}, y)
    assert from_file.to_bytes() == from_python.to_bytes()
    blocks = PaperShrubClassifier(seed=1)
    assert evaluate(blocks, stream).n_examples == 60
    assert blocks.predict_one({"when": TIMES[0]}) in ("work", "rest")


def test_a_file_of_days_has_no_hours(tmp_path):
    for times in ([at.date() for at in TIMES], [*TIMES[:59], ""]):
        stream = open_stream(csv(tmp_path / "x.csv", times))
        assert len(stream.schema.features) == (3 if times[-1] == "" else 2)


TEXTS = {"arff": (arff_texts, "x.arff"), "parquet": (parquet_texts, "x.parquet")}


@pytest.mark.parametrize(("make", "name"), TEXTS.values(), ids=TEXTS)
def test_texts_that_are_mostly_no_dates_stay_categories(tmp_path, make, name):
    mixed = [*TIMES[:20], *(f"text {i}" for i in range(40))]
    path = make(tmp_path / name, mixed)
    assert [x["when"] for x, _ in open_stream(path)] == list(map(str, mixed))
    assert [x["when"] for x in read_rows(path)] == list(map(str, mixed))


@pytest.mark.parametrize(("make", "name"), TEXTS.values(), ids=TEXTS)
def test_later_texts_decide_whether_the_first_are_dates(tmp_path, make, name, monkeypatch):
    monkeypatch.setattr("shrubs.streams.formats.arff.SAMPLE_ROWS", 10)
    monkeypatch.setattr("shrubs.streams.formats.parquet.MAX_ROWS_PER_BATCH", 10)
    mixed = [*TIMES[:20], *(f"text {i}" for i in range(40))]
    path = make(tmp_path / name, mixed)
    assert [x["when"] for x, _ in open_stream(path)] == list(map(str, mixed))
    assert [x["when"] for x in read_rows(path)] == list(map(str, mixed))


@pytest.mark.parametrize(("make", "name"), TEXTS.values(), ids=TEXTS)
def test_texts_declared_nominal_are_no_dates(tmp_path, make, name):
    stream = open_stream(make(tmp_path / name), nominal=["when"])
    assert [x["when"] for x, _ in stream] == list(map(str, TIMES))


def test_categories_of_parquet_are_no_dates(tmp_path):
    path = tmp_path / "x.parquet"
    times = pd.Categorical(list(map(str, TIMES)))
    pd.DataFrame({"when": times, "y": Y}).to_parquet(path)
    assert [x["when"] for x, _ in open_stream(path)] == list(map(str, TIMES))


def test_a_date_may_be_a_target(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,y\n1,1970-01-02\n2,1970-01-01T00:00:00.5\n")
    assert [y for _, y in open_stream(path, "y", task="targets")] == [86400, 0.5]


def test_names_of_parts_may_not_be_taken(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,a: hour,y\n2024-01-01T00:30,1,0\n2024-01-01T01:30,2,1\n")
    with pytest.raises(ValueError, match=r"^x.csv: the column name 'a: hour' appears twice$"):
        open_stream(path)


def test_a_value_that_is_no_date_names_its_place(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,y\n2024-01-01,0\n2024-01-01,1\nsoon,1\n")
    with pytest.raises(ValueError, match=r"line 4, column 'a': 'soon' is not an ISO 8601 date"):
        open_stream(path)
