"""Damaged files of every format give rows or one clear line, never anything else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shrubs.streams import open_stream, read_rows
from shrubs.streams.files import FORMATS
from shrubs.streams.formats.compression import COMPRESSIONS
from tests.attacks.budget import rounds

CSV = """\
wind,sky,open,day,rain
1.5,blue,true,1970-01-02,no
?,"gr""ey, or
not",FALSE,1970-01-01T00:01:00Z,yes
-2e3,,True,1970-01-01 01:00:00+01:00,no
,'blue',?,,yes
"""
ARFF = """\
% made by a test
@relation 'a test'
@attribute 'wind speed' numeric
@attribute sky {grey, 'light blue', "it's"}
@attribute when date "dd.MM.yyyy HH:mm"
@attribute note string
@attribute class{no,yes}
@data
1.5, grey, '01.01.1970 00:01', hello, yes
% a comment between rows
?, 'light \\'blue', ?, 'good, bye', no
{0 3, 1 "it's", 4 yes}
-2, grey, "02.01.1970 00:00", ?, no
"""
LIBSVM = "+1 1:0.5 3:2 # note\n\n-1 2:1e1\n1 1:-3 2:nan 4:7\n"
JSONL = """\
{"wind": 1.5, "sky": "blue", "open": true, "day": "1970-01-02", "rain": "no"}
{"wind": null, "sky": "gr\\"ey", "open": false, "rain": "yes"}

{"sky": "", "wind": -2e3, "rain": "no", "late": 1}
"""
# What readers look for, and numbers at the edge of what they take.
PIECES = [
    *(b"\n", b"\r", b"\0", b",", b";", b"\t", b"'", b'"', b"\\", b"{", b"}", b"%", b":", b"#"),
    *(b"?", b" ", b"\xef\xbb\xbf", b"\xff", b"nan", b"inf", b"1e999", b"-0", b"_", b"@data\n"),
    *(b"@attribute a real\n", b"99999999999999999999", b"16385:1", b"9999-12-31", b"\xe2\x80\xa8"),
]


def flip(draw: Random, data: bytearray) -> None:
    for _ in range(draw.choice([1, 1, 2, 8])):
        data[draw.randrange(len(data))] = draw.randrange(256)


def cut(draw: Random, data: bytearray) -> None:
    del data[draw.randrange(len(data)) :]


def leave_out(draw: Random, data: bytearray) -> None:
    start, end = sorted(draw.choices(range(len(data) + 1), k=2))
    del data[start:end]


def double(draw: Random, data: bytearray) -> None:
    start, end = sorted(draw.choices(range(len(data) + 1), k=2))
    data[start:start] = data[start:end] * draw.choice([1, 1, 30])


def swap_lines(draw: Random, data: bytearray) -> None:
    lines = bytes(data).splitlines(keepends=True)
    draw.shuffle(lines)
    data[:] = b"".join(lines)


def double_line(draw: Random, data: bytearray) -> None:
    lines = bytes(data).splitlines(keepends=True)
    at = draw.randrange(len(lines))
    data[:] = b"".join([*lines[:at], lines[at], *lines[at:]])


def double_word(draw: Random, data: bytearray) -> None:
    words = re.split(rb"(\W)", bytes(data))
    at = draw.randrange(len(words))
    data[:] = b"".join([*words[:at], words[at], draw.choice([b" ", b",", b""]), *words[at:]])


def change_line_ends(draw: Random, data: bytearray) -> None:
    data[:] = bytes(data).replace(b"\n", draw.choice([b"\r", b"\r\n", b"\n\r"]))


def put_in(draw: Random, data: bytearray) -> None:
    at = draw.randrange(len(data) + 1)
    data[at:at] = draw.choice(PIECES) * draw.choice([1, 1, 1, 50])


MUTATIONS: list[Callable[[Random, bytearray], None]] = [
    *(flip, cut, leave_out, put_in),
    *(double, double_line, double_word, swap_lines, change_line_ends),
]


def mutated(draw: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 4])):
        if changed:
            draw.choice(MUTATIONS)(draw, changed)
    return bytes(changed)


def zipped(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside.csv", data)
    return packed.getvalue()


def zstandard(data: bytes) -> bytes:
    pyarrow: Any = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
    packed: bytes = pyarrow.compress(data, codec="zstd", asbytes=True)
    return packed


def parquet(compression: str, **options: Any) -> bytes:
    pa = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
    pq = pytest.importorskip("pyarrow.parquet")
    n_rows = 200
    columns = {
        "wind": pa.array([i / 7 if i % 5 else None for i in range(n_rows)]),
        "sky": pa.array([("blue", "grey", None)[i % 3] for i in range(n_rows)]),
        "open": pa.array([i % 4 == 0 for i in range(n_rows)]),
        "day": pa.array(range(n_rows), pa.timestamp("s")),
        "rain": pa.array([i % 2 for i in range(n_rows)], pa.int8()),
    }
    written = io.BytesIO()
    pq.write_table(pa.table(columns), written, compression=compression, **options)
    return written.getvalue()


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": zipped,
    ".zst": zstandard,
}
TEXTS = {".csv": CSV, ".jsonl": JSONL, ".arff": ARFF, ".libsvm": LIBSVM}


def read_stream(path: Path) -> None:
    stream = open_stream(path)
    for block in stream.blocks():
        schema = stream.schema
        assert len({feature.name for feature in schema.features}) == block.X.shape[1]
        assert schema.classes is None or max(block.y) < schema.n_classes
        for i in schema.nominal_features:
            codes = block.X[:, i]
            assert not any(codes >= len(schema.features[i].categories))


def read_for_predicting(path: Path) -> None:
    for _ in read_rows(path):
        pass


def refusal(read: Callable[[Path], None], path: Path) -> str | None:
    """What is said of a file that is refused."""
    try:
        read(path)
    except ValueError as error:
        # Not one of a library that happens to be a ValueError.
        return str(error) if type(error) is ValueError else repr(error)
    return None


def check(path: Path, data: bytes) -> None:
    """Reads a file to its end; all that may come is rows, or one line that begins with its name."""
    path.write_bytes(data)
    for read in (read_stream, read_for_predicting):
        said = refusal(read, path)
        if said is not None:
            assert said.startswith((f"{path.name}: ", f"{path.name}, ")), (said, data)
            assert "\n" not in said, (said, data)
            assert len(said) < 1000, (said, data)


def test_every_format_and_compression_is_attacked() -> None:
    assert {*TEXTS, ".parquet"} == {each.endings[0] for each in FORMATS}
    assert set(PACK) == set(COMPRESSIONS)


@pytest.mark.parametrize("parser", ["pyarrow", "python"])
@pytest.mark.parametrize("suffix", TEXTS)
def test_damaged_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, parser: str
) -> None:
    if parser == "python":
        monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    for draw in rounds(150):
        check(tmp_path / f"x{suffix}", mutated(draw, TEXTS[suffix].encode()))


@pytest.mark.parametrize("compression", PACK)
def test_damaged_compression(tmp_path: Path, compression: str) -> None:
    for draw in rounds(80):
        suffix = draw.choice(list(TEXTS))
        packed = PACK[compression](mutated(draw, TEXTS[suffix].encode()))
        check(tmp_path / f"x{suffix}{compression}", packed)
        packed = PACK[compression](TEXTS[suffix].encode() * draw.choice([1, 100]))
        check(tmp_path / f"x{suffix}{compression}", mutated(draw, packed))


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
def test_damaged_parquet(tmp_path: Path, compression: str) -> None:
    small_pages = {"data_page_size": 64, "row_group_size": 70}
    files = [parquet(compression), parquet(compression, **small_pages, use_dictionary=False)]
    for draw in rounds(60):
        check(tmp_path / "x.parquet", mutated(draw, draw.choice(files)))
