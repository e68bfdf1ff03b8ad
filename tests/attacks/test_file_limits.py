"""Small files that ask for much: memory and time follow from the size and the documented limits."""

from __future__ import annotations

import gzip
import lzma
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from shrubs import PaperShrubClassifier
from shrubs.streams import open_stream
from shrubs.streams.files import open_table
from shrubs.streams.formats import limits, parquet, source
from shrubs.streams.formats.limits import CELLS_PER_BATCH, MAX_CLASSES, MAX_FEATURES
from tests.unit.streams.reading import read_all

MEGABYTE = 1 << 20
HEAD = "@attribute a real\n@attribute class {u,v}\n@data\n"

# What the libraries take is there before the first look; a page is at most 64 KB.
PROGRAM = """
import resource, sys
import pyarrow.csv, pyarrow.parquet
from shrubs.streams import open_stream

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

for _ in open_stream(sys.argv[1]).blocks(64): pass
before = peak()
try:
    for _ in open_stream(sys.argv[2]).blocks(64): pass
except ValueError as error:
    print(error)
else:
    print("read")
print(peak() - before)
"""


def megabytes_to_read(path: Path) -> tuple[str, int]:
    """What reading a file says, and by how much the memory grows, in a process of its own."""
    pytest.importorskip("pyarrow", reason="needs shrubs[files]")
    if not sys.platform.startswith("linux"):
        pytest.skip("the peak is in other units")
    usual = path.parent / "usual.csv"
    usual.write_text("a,b,y\n" + "1,x,0\n2,y,1\n" * 1000)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(usual), str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    said, megabytes = done.stdout.splitlines()
    return said, int(megabytes)


def seconds_to_read(path: Path, text: str) -> float:
    """The fastest of three attempts to read a file, whatever comes of it."""
    path.write_text(text)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        with suppress(ValueError):
            read_all(open_stream(path))
        times.append(time.perf_counter() - start)
    return min(times)


def repeated(data: bytes, n_bytes: int) -> list[bytes]:
    """Pieces of one megabyte, so that the test itself stays small."""
    return [data * (MEGABYTE // len(data))] * (n_bytes // MEGABYTE)


def write_gzip(path: Path, pieces: list[bytes]) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines(pieces)
    return path


@pytest.mark.parametrize("ending", ["csv", "arff", "libsvm"])
def test_endless_line_is_refused_in_little_memory(tmp_path: Path, ending: str) -> None:
    path = write_gzip(tmp_path / f"x.{ending}.gz", [b"\n", *repeated(b"1", 200 * MEGABYTE)])
    said, megabytes = megabytes_to_read(path)
    assert said == f"x.{ending}.gz, line 2: a line has at most 4 MB, this one is longer"
    assert megabytes < 100


def test_line_of_the_longest_length_is_read(tmp_path: Path) -> None:
    value = "x" * 100_000
    row = ",".join([value] * 41)  # just below 4 MB
    header = ",".join(f"a{i}" for i in range(41))
    path = tmp_path / "x.csv"
    path.write_text(f"{header},y\n{row},u\n{row},v\n")
    assert open_stream(path).n_examples == 2


def test_unterminated_line_is_refused_in_a_plain_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,y\n1,2\n" + b"1" * (5 * MEGABYTE))
    with pytest.raises(ValueError, match=r"^x.csv, line 3: a line has at most 4 MB, this one is"):
        open_stream(path)


def test_large_dictionary_of_xz_is_refused(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 512 * MEGABYTE}]
    path = tmp_path / "x.csv.xz"
    path.write_bytes(lzma.compress(b"a,y\n1,0\n2,1\n", filters=filters))
    with pytest.raises(ValueError, match=r"^x.csv.xz: damaged or not .xz data \(Memory usage lim"):
        open_stream(path)


def test_large_index_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.libsvm"
    path.write_text("1 1:1\n0 50000000:1\n")
    message = r"^x.libsvm, line 2: a learner takes at most 16384 features, the indices are 1 to 500"
    with pytest.raises(ValueError, match=message):
        open_stream(path)
    path.write_text("1 1:1\n0 " + "9" * 10**6 + ":1\n")
    with pytest.raises(ValueError, match=r"^x.libsvm, line 2: '999.* is not a pair 'index:value'$"):
        open_stream(path)


@pytest.mark.parametrize("first", [0, 1])
def test_as_many_features_as_a_learner_takes_are_read(tmp_path: Path, first: int) -> None:
    last = first + MAX_FEATURES - 1
    path = tmp_path / "x.libsvm"
    path.write_text(f"1 {first}:1\n0 {last}:1\n")
    assert open_stream(path).schema.n_features == MAX_FEATURES
    path.write_text(f"1 {first}:1\n0 {last + 1}:1\n")
    with pytest.raises(ValueError, match=r"^x.libsvm, line 2: a learner takes at most 16384"):
        open_stream(path)


def wide_csv(n_columns: int) -> str:
    names = ",".join(f"a{i}" for i in range(n_columns))
    return f"{names}\n{'1,' * (n_columns - 1)}1\n"


def wide_arff(n_columns: int) -> str:
    attributes = "".join(f"@attribute a{i} real\n" for i in range(n_columns))
    return f"{attributes}@data\n{'1,' * (n_columns - 1)}1\n"


@pytest.mark.parametrize(("ending", "write"), [("csv", wide_csv), ("arff", wide_arff)])
def test_too_many_columns_are_refused_at_the_header(
    tmp_path: Path, ending: str, write: Callable[[int], str]
) -> None:
    path = tmp_path / f"x.{ending}"
    path.write_text(write(MAX_FEATURES + 1))
    assert open_stream(path).schema.n_features == MAX_FEATURES
    path.write_text(write(MAX_FEATURES + 2))
    line = {"csv": 1, "arff": MAX_FEATURES + 2}[ending]
    message = rf"^x.{ending}, line {line}: a learner takes at most 16384 features and a target"
    with pytest.raises(ValueError, match=message):
        open_stream(path)


def test_header_of_very_many_columns_is_refused_in_time(tmp_path: Path) -> None:
    few = seconds_to_read(tmp_path / "few.csv", wide_csv(20_000))
    many = seconds_to_read(tmp_path / "many.csv", wide_csv(80_000))
    assert many < 4 * 3 * few + 2  # 16 times as long when every name is compared with every other


@pytest.mark.parametrize(
    ("name", "most"), [("n_features", MAX_FEATURES), ("n_classes", MAX_CLASSES)]
)
def test_limits_are_those_of_a_learner(name: str, most: int) -> None:
    learner = PaperShrubClassifier(max_shrubs=1, window_size=1)
    learner.plan(**{"n_features": 1, name: most})
    with pytest.raises(ValueError, match=rf"^{name} must be at most {most}, got {most + 1}$"):
        learner.plan(**{"n_features": 1, name: most + 1})


def test_too_many_classes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,y\n" + "".join(f"1,c{i}\n" for i in range(MAX_CLASSES + 1)))
    message = r"^x.csv: a learner takes at most 65535 classes, the target 'y' has 65536$"
    with pytest.raises(ValueError, match=message):
        open_stream(path)


SLOW_ROWS: dict[str, Callable[[int], str]] = {
    "blanks in a value": lambda n: f"1{' ' * n}2,'u'\n",
    "blanks before a quote": lambda n: f"{' ' * n}'u\n".replace(" ", "1, ", 1),
    "blanks after a quote": lambda n: f"'1'{' ' * n}2,u\n",
    "blanks in a sparse value": lambda n: f"{{0 1{' ' * n}2}}\n",
    "blanks in a sparse row": lambda n: f"{{0{' ' * n}'1}}\n",
    "a quote without its end": lambda n: f"'{'a' * n},u\n",
    "escapes without an end": lambda n: "'" + "\\a" * n + ",u\n",
    "escapes": lambda n: "'" + "\\a" * n + "',u\n",
    "many quotes": lambda n: "''," * n + "u\n",
    "digits": lambda n: "1" * n + ",'u'\n",
    "a long index": lambda n: f"{{{'1' * n} 1}}\n",
}
SLOW_HEADERS: dict[str, Callable[[int], str]] = {
    "blanks before a name": lambda n: f"@attribute{' ' * n}{{\n",
    "blanks after a name": lambda n: f"@attribute b{' ' * n}\t{{\n",
    "a name without a type": lambda n: f"@attribute {'b' * n}\n",
    "a quoted name without its end": lambda n: f"@attribute '{'b' * n}\n",
    "escapes in a name": lambda n: "@attribute '" + "\\a" * n + "\n",
    "blanks in a category": lambda n: f"@attribute b {{a{' ' * n}c,'x'}}\n",
    "many categories": lambda n: f"@attribute b {{{','.join(map(str, range(n)))}}}\n",
    "a date of blanks": lambda n: f"@attribute b date 'yyyy{' ' * n}MM'\n",
    "a date of quotes": lambda n: f'@attribute b date "{chr(39) * n}"\n',
    "blanks before data": lambda n: f"{' ' * n}@dat\n",
}


@pytest.mark.parametrize("case", SLOW_ROWS)
def test_row_takes_time_in_proportion_to_its_length(tmp_path: Path, case: str) -> None:
    short = seconds_to_read(tmp_path / "short.arff", HEAD + SLOW_ROWS[case](4000))
    long = seconds_to_read(tmp_path / "long.arff", HEAD + SLOW_ROWS[case](64_000))
    assert long < 16 * 4 * short + 2  # 256 times as long when it is quadratic


@pytest.mark.parametrize("case", SLOW_HEADERS)
def test_header_takes_time_in_proportion_to_its_length(tmp_path: Path, case: str) -> None:
    rows = "1970 01,1970 01,u\n"
    short = seconds_to_read(tmp_path / "short.arff", SLOW_HEADERS[case](4000) + HEAD + rows)
    long = seconds_to_read(tmp_path / "long.arff", SLOW_HEADERS[case](64_000) + HEAD + rows)
    assert long < 16 * 4 * short + 2


@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_small_pieces_take_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(source, "CHUNK_BYTES", 16)
    line = '%"' if ending == "arff" else '"'  # in CSV, the beginning of a text of many lines
    short = seconds_to_read(tmp_path / f"short.{ending}", line + "x" * 45_000 + "\n" * 45_000)
    long = seconds_to_read(tmp_path / f"long.{ending}", line + "x" * 720_000 + "\n" * 720_000)
    assert long < 16 * 4 * short + 2


def write_wide(path: Path, n_columns: int, n_rows: int) -> None:
    """Wide rows that take few bytes each."""
    if path.suffix == ".arff":
        attributes = "".join(f"@attribute a{i} real\n" for i in range(n_columns))
        path.write_text(attributes + "@data\n" + "{}\n" * n_rows)
    elif path.suffix == ".libsvm":
        path.write_text(f"1 {n_columns - 1}:1\n" + "0\n" * (n_rows - 1))
    else:
        pa = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
        zeros = pa.array([0] * n_rows)
        table = pa.table({f"a{i}": zeros for i in range(n_columns)})
        pytest.importorskip("pyarrow.parquet").write_table(table, path)


@pytest.mark.parametrize("ending", ["arff", "libsvm", "parquet"])
def test_batch_of_wide_rows_is_small(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.{ending}"
    n_columns, n_rows = 4000, 600
    write_wide(path, n_columns, n_rows)
    table = open_table(path, (), "auto")
    sizes = [batch.n_rows for batch in table.batches(range(n_columns))]
    assert sum(sizes) == n_rows
    assert max(sizes) * n_columns <= CELLS_PER_BATCH


def test_long_texts_of_parquet_are_not_written_out_for_every_row(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    texts = pa.array(["x" * MEGABYTE, "b"])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 500), texts)
    pq.write_table(pa.table({"a": column, "y": [0, 1] * 500}), path, store_schema=False)
    said, megabytes = megabytes_to_read(path)
    assert said == "read"
    assert megabytes < 100  # the texts of all rows are 500 MB


def test_large_column_chunk_of_parquet_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet, "MAX_UNPACKING_BYTES", 8 * MEGABYTE)
    path = tmp_path / "x.parquet"
    table = pa.table({"a": ["x" * MEGABYTE] * 10, "y": [0, 1] * 5})
    pq.write_table(table, path, use_dictionary=False, compression="zstd")
    assert path.stat().st_size < MEGABYTE
    message = r"^x.parquet: column 'a' has more than 8 MB in a row group; write the file with small"
    with pytest.raises(ValueError, match=message):
        open_stream(path)
    pq.write_table(table, path, use_dictionary=False, compression="zstd", row_group_size=5)
    assert open_stream(path).n_examples == 10


def test_categories_without_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_CATEGORY_BYTES", 8 * MEGABYTE)
    rows = [b"%s%d,0\n" % (b"x" * 100_000, i) for i in range(100)]
    path = write_gzip(tmp_path / "x.csv.gz", [b"a,y\n", *rows])
    assert path.stat().st_size < MEGABYTE
    message = (
        r"^x.csv.gz: its categories take more than 8 MB; does a column hold names or free text"
    )
    with pytest.raises(ValueError, match=message):
        open_stream(path)
