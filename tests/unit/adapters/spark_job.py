"""A Spark query that learns by key, as a program of its own: it is killed and started again.

``python -m tests.unit.adapters.spark_job FOLDER``: from ``FOLDER/rows`` to ``FOLDER/predictions``,
with its checkpoint in ``FOLDER/checkpoint``; then its states to ``FOLDER/states.json``.
"""

import json
import os
import sys
from pathlib import Path

from shrubs import PaperShrubClassifier

ROWS = "device STRING, at BIGINT, heat DOUBLE, kind STRING, alarm BOOLEAN"
CONFIGURATION = {
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}


def make():
    return PaperShrubClassifier(max_shrubs=2, window_size=8)


def session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("shrubs")
    for name, value in CONFIGURATION.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def run(folder):
    """Predict and learn all rows that are there, a file at a time."""
    from shrubs.adapters.spark import prequential

    spark = session()
    rows = spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 1).json(f"{folder}/rows")
    predictions = prequential(rows, make, key="device", order="at", label="alarm")
    query = (
        predictions.writeStream.format("json")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start(f"{folder}/predictions")
    )
    query.awaitTermination()
    kept = spark.read.format("statestore").option("stateVarName", "learner")
    states = kept.load(f"{folder}/checkpoint").collect()
    found = {row.key.device: bytes(row.value.state).hex() for row in states}
    (folder / "states.json").write_text(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    run(Path(sys.argv[1]))
