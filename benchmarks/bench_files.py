"""Measures how many rows per second come out of a file, beside pandas on the same file.

The file has the columns of elec: seven numbers, a nominal day and a class. Opening (which looks
through the file for categories and classes) and reading in blocks are timed apart.

    python benchmarks/bench_files.py --rows 200000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from shrubs.streams import open_stream

BLOCK = 1024


def elec_like(n_rows: int) -> pd.DataFrame:
    """Makes rows like those of elec."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"date": np.round(np.linspace(0, 1, n_rows), 6)})
    frame["day"] = (np.arange(n_rows) // 48 % 7 + 1).astype(str)
    frame["period"] = np.round(np.arange(n_rows) % 48 / 47, 6)
    for name in ("nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"):
        frame[name] = np.round(rng.random(n_rows), 6)
    frame["class"] = np.where(rng.random(n_rows) < 0.42, "UP", "DOWN")
    return frame


def write_files(frame: pd.DataFrame, folder: Path) -> None:
    """Writes the same rows in every format."""
    frame.to_parquet(folder / "elec.parquet")
    frame.to_csv(folder / "elec.csv", index=False)
    frame.to_csv(folder / "elec.csv.gz", index=False)
    rows = (folder / "elec.csv").read_text().partition("\n")[2]
    kinds = {"day": "{1,2,3,4,5,6,7}", "class": "{DOWN,UP}"}
    header = "".join(f"@attribute {name} {kinds.get(name, 'real')}\n" for name in frame)
    (folder / "elec.arff").write_text(f"@relation elec\n{header}@data\n{rows}")
    quoted = rows.replace("UP", "'UP'").replace("DOWN", "'DOWN'")
    (folder / "quoted.arff").write_text(f"@relation elec\n{header}@data\n{quoted}")
    numbers = frame.drop(columns=["class"]).astype(float).to_numpy()
    with (folder / "elec.libsvm").open("w") as file:
        for label, values in zip(frame["class"] == "UP", numbers, strict=True):
            pairs = " ".join(f"{i}:{value:g}" for i, value in enumerate(values, 1))
            file.write(f"{int(label)} {pairs}\n")


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The best of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def pandas_blocks(path: Path) -> Iterator[int]:
    """Reads a file in blocks with pandas; yields their lengths."""
    if path.suffix == ".parquet":
        for batch in pq.ParquetFile(path).iter_batches(BLOCK):
            yield len(batch.to_pandas())
    else:
        with pd.read_csv(path, chunksize=BLOCK) as chunks:
            yield from map(len, chunks)


def report(label: str, path: Path, n_rows: int, repeats: int) -> None:
    """Prints one line of results."""
    nominal = [] if path.suffix == ".libsvm" else ["day"]
    opening = seconds(lambda: open_stream(path, nominal=nominal), repeats)
    stream = open_stream(path, nominal=nominal)
    reading = seconds(lambda: sum(len(block) for block in stream.blocks(BLOCK)), repeats)
    line = f"{label:24} open {opening:6.2f} s   read {n_rows / reading:12,.0f} rows/s"
    if label in ("Parquet", "CSV", "CSV, gzip"):
        peer = seconds(lambda: sum(pandas_blocks(path)), repeats)
        line += f"   {peer / reading:6.1f} times pandas in blocks"
    print(line, flush=True)


def main() -> None:
    """Writes the files, then measures them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(elec_like(options.rows), folder)
        size = (options.rows, options.repeats)
        report("Parquet", folder / "elec.parquet", *size)
        report("CSV", folder / "elec.csv", *size)
        report("CSV, gzip", folder / "elec.csv.gz", *size)
        report("ARFF", folder / "elec.arff", *size)
        report("ARFF with quotes", folder / "quoted.arff", *size)
        report("libsvm", folder / "elec.libsvm", *size)
        with mock.patch.dict(sys.modules, {"pyarrow.csv": None}):
            report("CSV without pyarrow", folder / "elec.csv", *size)


if __name__ == "__main__":
    main()
