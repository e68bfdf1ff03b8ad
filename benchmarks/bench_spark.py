"""A learner per key on Spark: what a key costs in a micro-batch, by the number of its rows.

Wall time of whole micro-batches on two cores; the first, which starts the workers, is left out.
Needs `pip install 'shrubs[spark]'` and Java 17. Takes two minutes.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from shrubs import ShrubClassifier
from shrubs.adapters.spark import prequential

N_KEYS = 2000
N_BATCHES = 4
SCHEMA = "device STRING, at BIGINT, a DOUBLE, b DOUBLE, c DOUBLE, d DOUBLE, alarm BOOLEAN"


def make() -> ShrubClassifier:
    """A learner small enough to have many."""
    return ShrubClassifier(memory_limit="16KB")


def write(folder: Path, n_rows: int) -> None:
    """A file for each micro-batch, with so many rows of every key."""
    rng = np.random.default_rng(0)
    folder.mkdir()
    for batch in range(N_BATCHES):
        lines = []
        for at in range(batch * n_rows, (batch + 1) * n_rows):
            for key, values in enumerate(rng.uniform(size=(N_KEYS, 4)).tolist()):
                row = dict(zip("abcd", values, strict=True), device=f"pump {key}", at=at)
                lines.append(json.dumps({**row, "alarm": values[0] > 0.5}))
        path = folder / f"{batch}.json"
        path.write_text("\n".join(lines))
        os.utime(path, (1_000_000 + batch, 1_000_000 + batch))


def milliseconds(spark: Any, folder: Path, n_rows: int) -> float:
    """Per key and micro-batch."""
    write(folder / "rows", n_rows)
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    predictions = prequential(
        rows.json(f"{folder}/rows"), make, key="device", order="at", label="alarm"
    )
    query = predictions.writeStream.format("json").trigger(availableNow=True)
    query = query.option("checkpointLocation", f"{folder}/checkpoint").start(f"{folder}/told")
    query.awaitTermination()
    batches = [p for p in query.recentProgress if p["numInputRows"]][1:]
    return float(np.mean([p["durationMs"]["triggerExecution"] for p in batches])) / N_KEYS


def main() -> None:
    """Measure and show."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config(
            "spark.sql.streaming.stateStore.providerClass",
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        )
        .getOrCreate()
    )
    for n_rows in (1, 10, 50):
        with tempfile.TemporaryDirectory() as folder:
            taken = milliseconds(spark, Path(folder), n_rows)
        print(f"{n_rows:3} rows: {taken:.2f} ms per key, {1000 * taken / n_rows:.0f} us per row")
    spark.stop()


if __name__ == "__main__":
    main()
