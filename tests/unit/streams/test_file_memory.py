"""Memory while reading must not grow with the length of the file."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from shrubs.streams import open_stream
from shrubs.streams.formats import source

PROGRAM = """
import sys
from shrubs.streams import open_stream
print(sum(len(block) for block in open_stream(sys.argv[1]).blocks(1000)))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(status["VmHWM"].split()[0])
"""
KILOBYTES_PER_MEGABYTE = 1024
HEADERS = {
    "csv": "a,b,y\n",
    "arff": "@attribute a real\n@attribute b {x,z}\n@attribute y {u,v}\n@data\n",
    "libsvm": "",
}
ROWS = {"csv": "{a},{b},{y}\n", "arff": "{a},'{b}',{y}\n", "libsvm": "{i} 1:{a} 7:3\n"}


def traced_peak(path: Path, n_rows: int) -> int:
    """Writes a file, reads it, and gives the most bytes that were held at once."""
    file_format = path.suffix[1:]
    with path.open("w") as file:
        file.write(HEADERS[file_format])
        for i in range(n_rows):
            values = {"i": i % 2, "a": i * 0.37, "b": "xz"[i % 3 == 0], "y": "uv"[i % 2]}
            file.write(ROWS[file_format].format(**values))
    tracemalloc.start()
    try:
        assert sum(len(block) for block in open_stream(path).blocks(100)) == n_rows
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("file_format", HEADERS)
def test_text_in_python_needs_the_same_memory_for_ten_times_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file_format: str
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    monkeypatch.setattr(source, "CHUNK_BYTES", 1 << 13)
    traced_peak(tmp_path / f"warm.{file_format}", 2000)  # what is imported once
    short = traced_peak(tmp_path / f"short.{file_format}", 2000)
    long = traced_peak(tmp_path / f"long.{file_format}", 20_000)
    assert long < 1.5 * short


def process_peak(path: Path, n_rows: int) -> int:
    """Writes random numbers, and gives the peak memory of a process that reads them, in KB."""
    pyarrow = pytest.importorskip("pyarrow", reason="needs shrubs[files]")
    csv = pytest.importorskip("pyarrow.csv")
    parquet = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(1)
    columns = {f"x{j}": rng.random(n_rows) for j in range(8)}
    table = pyarrow.table({**columns, "target": rng.integers(0, 2, n_rows)})
    if path.suffix == ".csv":
        csv.write_csv(table, path)
    else:
        parquet.write_table(table, path, row_group_size=20_000)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True
    )
    n_read, peak = map(int, done.stdout.split())
    assert n_read == n_rows
    return peak


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_pyarrow_needs_the_same_memory_for_ten_times_the_rows(
    tmp_path: Path, file_format: str
) -> None:
    short = process_peak(tmp_path / f"short.{file_format}", 30_000)
    long = process_peak(tmp_path / f"long.{file_format}", 300_000)
    # The long file has 19 MB of doubles, in CSV 48 MB of text.
    assert long - short < 10 * KILOBYTES_PER_MEGABYTE
