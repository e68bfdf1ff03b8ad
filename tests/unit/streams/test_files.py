from __future__ import annotations

import bz2
import gzip
import lzma
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shrubs.streams import open_stream
from shrubs.streams.formats.source import CHUNK_BYTES
from tests.unit.streams.reading import read_all

SIMPLE = "a,b,y\n1,x,u\n2,z,v\n3,x,u\n"


def write(path: Path, text: str = SIMPLE) -> Path:
    path.write_text(text)
    return path


def write_zip(path: Path, text: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.csv", text)


def write_zst(path: Path, text: bytes) -> None:
    pyarrow: Any = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
    with pyarrow.output_stream(str(path), compression="zstd") as file:
        file.write(text)


COMPRESSORS: dict[str, Callable[[Path, bytes], Any]] = {
    "": Path.write_bytes,
    ".gz": lambda path, text: path.write_bytes(gzip.compress(text)),
    ".bz2": lambda path, text: path.write_bytes(bz2.compress(text)),
    ".xz": lambda path, text: path.write_bytes(lzma.compress(text)),
    ".zip": write_zip,
    ".zst": write_zst,
}
TEXTS = {
    ".csv": SIMPLE,
    ".arff": SIMPLE.replace(
        "a,b,y", "@attribute a real\n@attribute b {x,z}\n@attribute y {u,v}\n@data"
    ),
    ".libsvm": "0 1:1\n1 1:2 2:1\n0 1:3\n",
}


@pytest.mark.parametrize("compression", COMPRESSORS)
@pytest.mark.parametrize("suffix", TEXTS)
def test_compressed_file_reads_like_a_plain_one(
    tmp_path: Path, suffix: str, compression: str
) -> None:
    path = tmp_path / f"x{suffix}{compression}"
    COMPRESSORS[compression](path, TEXTS[suffix].encode())
    stream = open_stream(path)
    block = read_all(stream)
    np.testing.assert_array_equal(block.X, [[1, 0], [2, 1], [3, 0]])
    np.testing.assert_array_equal(block.y, [0, 1, 0])
    assert stream.name == "x"


@pytest.mark.parametrize("compression", [c for c in COMPRESSORS if c])
def test_damaged_compression_is_one_clear_line(tmp_path: Path, compression: str) -> None:
    path = tmp_path / f"x.csv{compression}"
    text = "a,b,y\n" + "".join(f"{i},x,u\n" for i in np.random.default_rng(1).random(50_000))
    COMPRESSORS[compression](path, text.encode())
    path.write_bytes(path.read_bytes()[:-200_000])
    with pytest.raises(
        ValueError, match=rf"^x.csv{compression}: damaged or not {compression} data"
    ):
        read_all(open_stream(path))


def test_zip_made_on_a_mac_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.csv.zip", "w") as archive:
        archive.writestr("x.csv", SIMPLE)
        archive.writestr("__MACOSX/._x.csv", b"an icon")
    (tmp_path / "y.csv").write_text(SIMPLE)
    packed, plain = (open_stream(tmp_path / name) for name in ("x.csv.zip", "y.csv"))
    assert packed.schema == plain.schema
    np.testing.assert_array_equal(read_all(packed).X, read_all(plain).X)


def test_zip_of_two_files_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.csv.zip", "w") as archive:
        archive.writestr("x.csv", SIMPLE)
        archive.writestr("y.csv", SIMPLE)
    message = r"^x.csv.zip: a zip file must hold one file, this one holds 2$"
    with pytest.raises(ValueError, match=message):
        open_stream(tmp_path / "x.csv.zip")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        # Where they stand in the header of the file, and two bytes later in the directory.
        (6, 1, "the file in it is encrypted"),
        (8, 9, "the file in it must be stored, deflated or packed with bzip2"),
        (8, zipfile.ZIP_LZMA, "the file in it must be stored, deflated or packed with bzip2"),
        (4, 99, r"damaged or not .zip data \(.*\)"),
    ],
)
def test_odd_zip_is_one_clear_line(tmp_path: Path, field: int, value: int, message: str) -> None:
    path = tmp_path / "x.csv.zip"
    write_zip(path, SIMPLE.encode())
    data = bytearray(path.read_bytes())
    data[field] = data[data.index(b"PK\1\2") + field + 2] = value
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"^x.csv.zip: {message}$"):
        open_stream(path)


def test_xz_of_several_streams_with_padding_reads_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.xz"
    packed = [lzma.compress(text.encode()) for text in ("a,b,y\n1,x", ",u\n2,z,v\n", "3,x,u\n")]
    padding = bytes(2 * CHUNK_BYTES)
    path.write_bytes(packed[0] + packed[1] + padding + packed[2] + padding)
    np.testing.assert_array_equal(read_all(open_stream(path)).X, [[1, 0], [2, 1], [3, 0]])


@pytest.mark.parametrize("size", [1, 2, 999, 1024, 30_000, 10**6])
def test_any_block_size_gives_the_same_examples(tmp_path: Path, size: int) -> None:
    # 60,000 rows are more than one chunk of a megabyte.
    rows = [f"{i / 3},{'xyz'[i % 3]},{'uv'[i % 7 == 0]}" for i in range(60_000)]
    stream = open_stream(write(tmp_path / "x.csv", "\n".join(["a,b,y", *rows])))
    blocks = list(stream.blocks(size))
    assert {len(block) for block in blocks[:-1]} <= {size}
    assert 1 <= len(blocks[-1]) <= size
    X = np.concatenate([block.X for block in blocks])
    y = np.concatenate([block.y for block in blocks])
    i = np.arange(60_000)
    np.testing.assert_array_equal(X, np.column_stack([i / 3, i % 3]).astype(np.float32))
    np.testing.assert_array_equal(y, i % 7 == 0)


def test_stream_reads_the_same_every_time(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "x.csv"))
    next(stream.blocks(1))
    np.testing.assert_array_equal(read_all(stream).X, read_all(stream).X)


@pytest.mark.parametrize("suffix", TEXTS)
def test_stream_survives_pickling(tmp_path: Path, suffix: str) -> None:
    stream = open_stream(write(tmp_path / f"x{suffix}", TEXTS[suffix]))
    copy = pickle.loads(pickle.dumps(stream))
    assert copy.schema == stream.schema
    np.testing.assert_array_equal(read_all(copy).X, read_all(stream).X)


def test_block_size_below_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^size must be at least 1, got 0$"):
        open_stream(write(tmp_path / "x.csv")).blocks(0)


def test_target_that_is_not_there_suggests_the_nearest_name(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "day,period,price\n1,2,3\n")
    message = (
        r"^x.csv: no column 'prise'; did you mean 'price'\? the columns are day, period, price$"
    )
    with pytest.raises(ValueError, match=message):
        open_stream(path, "prise")
    with pytest.raises(ValueError, match=r"^x.csv: no column 'zzz'; the columns are day, period"):
        open_stream(path, nominal=["zzz"])


def test_message_names_only_some_of_many_columns(tmp_path: Path) -> None:
    names = ",".join(f"{'a' * 200}{i}" for i in range(500))
    path = write(tmp_path / "x.csv", f"{names}\n{'1,' * 499}1\n")
    with pytest.raises(ValueError, match=r" and 480 more$") as raised:
        open_stream(path, "price")
    assert len(str(raised.value)) < 2000


@pytest.mark.parametrize(
    ("header", "target"),
    [("target,a,b", "target"), ("a,Class,b", "Class"), ("label,a,b", "label"), ("a,b,c", "c")],
)
def test_default_target_is_a_usual_name_or_the_last(
    tmp_path: Path, header: str, target: str
) -> None:
    stream = open_stream(write(tmp_path / "x.csv", f"{header}\n1,2,3\n"))
    left = [feature.name for feature in stream.schema.features]
    assert left == [name for name in header.split(",") if name != target]


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (["u", "v"], ("u", "v")),
        (["true", "false"], (False, True)),
        (["10", "9", "-1"], (-1, 9, 10)),
        (["1.0", "2.0"], (1, 2)),
        (["0.5", "1"], None),
        ([str(i) for i in range(20)], tuple(range(20))),
        ([str(i) for i in range(21)], None),
    ],
)
def test_task_is_guessed_from_the_target(
    tmp_path: Path, values: list[str], classes: tuple[Any, ...] | None
) -> None:
    path = write(tmp_path / "x.csv", "a,y\n" + "".join(f"1,{value}\n" for value in values))
    assert open_stream(path).schema.classes == classes


def test_told_task_wins(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,y\n1,3\n2,1\n")
    regression = read_all(open_stream(path, task="targets"))
    np.testing.assert_array_equal(regression.y, [3.0, 1.0])
    assert regression.y.dtype == np.float64
    path = write(tmp_path / "x.csv", "a,y\n1,0.5\n2,-0.5\n")
    classification = open_stream(path, task="classes")
    assert classification.schema.classes == (-0.5, 0.5)
    np.testing.assert_array_equal(read_all(classification).y, [1, 0])


def test_regression_on_categories_is_refused(tmp_path: Path) -> None:
    message = r"^task cannot be 'targets': the target 'y' holds categories, not numbers$"
    with pytest.raises(ValueError, match=message):
        open_stream(write(tmp_path / "x.csv"), task="targets")


def test_unknown_choices_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv")
    with pytest.raises(ValueError, match=r"^task must be one of auto, .*, got 'ranking'$"):
        open_stream(path, task="ranking")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^file_format must be one of auto, .*, got 'xml'$"):
        open_stream(path, file_format="xml")  # type: ignore[arg-type]


def test_file_format_can_be_told(tmp_path: Path) -> None:
    path = write(tmp_path / "x.data")
    with pytest.raises(ValueError, match=r"^x.data: unknown file format; name the file .csv, "):
        open_stream(path)
    assert open_stream(path, file_format="csv").n_examples == 3


def test_missing_file_and_directory_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing.csv: no such file$"):
        open_stream(tmp_path / "nothing.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(IsADirectoryError, match=r"folder.csv is a directory, not a file$"):
        open_stream(tmp_path / "folder.csv")


@pytest.mark.skipif(os.name == "nt" or getattr(os, "geteuid", int)() == 0, reason="root reads all")
def test_file_without_permission_is_one_clear_line(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv")
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"x.csv: no permission to read it$"):
        open_stream(path)


@pytest.mark.parametrize("name", ["x.csv", "x.arff", "x.parquet", "x.libsvm", "x.csv.gz"])
def test_empty_file_is_one_clear_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: the file is empty$"):
        open_stream(write(tmp_path / name, ""))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", r"^x.csv: there is nothing to read$"),
        ("a,y\n", r"^x.csv: there are no rows below the column names$"),
        ("a,y\n\n", r"^x.csv: there are no examples$"),
        ("y\n1\n", r"^x.csv: there is only the column 'y', so no features$"),
    ],
)
def test_file_without_examples_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        open_stream(write(tmp_path / "x.csv", text))


def test_compressed_nothing_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(ValueError, match=r"^x.csv.gz: there is nothing to read$"):
        open_stream(tmp_path / "x.csv.gz")


def test_file_that_grew_a_category_since_opening_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv")
    stream = open_stream(path)
    write(path, SIMPLE + "4,new,u\n")
    with pytest.raises(ValueError, match=r"line 5, column 'b': 'new' is not one of the 2 known"):
        read_all(stream)
