"""Learners by key on a real Spark, killed in the middle: as a plain loop, to the bit."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

from tests.unit.adapters.spark_job import CONFIGURATION, ROWS, make, session
from tests.unit.runners.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[3]
DOCUMENT = ROOT / "docs" / "spark.md"
N_FILES = 12
N_DEVICES = 40


def random_rows():
    """Rows by file: shuffled, some without a label, some late, some twice."""
    draw = random.Random(1)
    files = []
    for i in range(N_FILES):
        rows = []
        for at in range(300 * i, 300 * (i + 1)):
            at -= 400 if draw.random() < 0.05 else 0
            heat = None if draw.random() < 0.1 else draw.random()
            alarm = None if draw.random() < 0.1 else (heat or 0) > 0.5
            device = f"device {draw.randrange(N_DEVICES)}"
            row = {"device": device, "at": at, "heat": heat, "kind": draw.choice("abc")}
            rows += [{**row, "alarm": alarm}] * (2 if draw.random() < 0.02 else 1)
        draw.shuffle(rows)
        files.append(rows)
    return files


def write(files, folder):
    for i, rows in enumerate(files):
        path = folder / f"{i:03}.json"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        os.utime(path, (1_000_000 + i, 1_000_000 + i))  # Spark takes the oldest first


def plain_loop(files):
    """Predictions and states, one learner per device, one row after the other."""
    learners, last, told = {}, {}, []
    for rows in files:
        for row in sorted(rows, key=lambda row: row["at"]):
            device, at, alarm = row["device"], row["at"], row["alarm"]
            learner = learners.setdefault(device, make())
            x = {name: row[name] for name in ("heat", "kind")}
            late = at <= last.get(device, -(10**9))
            prediction = learner.predict_one(x)
            told.append((device, at, alarm, prediction, late))
            if not late and alarm is not None:
                learner.learn_one(x, alarm)
                last[device] = at
    return told, {device: learner.to_bytes().hex() for device, learner in learners.items()}


def start(folder):
    command = [sys.executable, "-m", "tests.unit.adapters.spark_job", str(folder)]
    with (folder / "log").open("a") as log:
        return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)


def n_committed(folder):
    return len([path for path in folder.glob("checkpoint/commits/*") if path.name.isdigit()])


# On a busy machine Spark's worker may come too late: both try again.


def kill_after(n_batches, folder):
    """Kill Spark, its Python workers and all, soon after so many micro-batches."""
    for _ in range(3):
        process = start(folder)
        wait_for(lambda p=process: p.poll() is not None or n_committed(folder) >= n_batches)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return
    raise AssertionError((folder / "log").read_text()[-2000:])


def finish(folder):
    """Run to the end."""
    for _ in range(3):
        if start(folder).wait(timeout=600) == 0:
            return
    raise AssertionError((folder / "log").read_text()[-2000:])


def sort_key(told):
    return [str(value) for value in told]


def test_killed_in_the_middle_it_ends_as_a_plain_loop(tmp_path):
    files = random_rows()
    (tmp_path / "rows").mkdir()
    write(files, tmp_path / "rows")
    for n_batches in (2, 5, 9):
        kill_after(n_batches, tmp_path)
    assert n_committed(tmp_path) < N_FILES
    finish(tmp_path)
    expected, states = plain_loop(files)
    # Files that were written by a killed micro-batch are there, but not part of the output.
    log = (tmp_path / "predictions" / "_spark_metadata").glob("*")
    parts = {
        Path(json.loads(line)["path"]).name
        for batch in log
        if not batch.name.startswith(".")
        for line in batch.read_text().splitlines()[1:]
    }
    lines = [
        json.loads(line)
        for part in parts
        for line in (tmp_path / "predictions" / part).read_text().splitlines()
    ]
    names = ("device", "at", "alarm", "prediction", "late")
    told = [tuple(line.get(name) for name in names) for line in lines]
    assert sorted(told, key=sort_key) == sorted(expected, key=sort_key)
    assert any(late for *_, late in told)
    kept = json.loads((tmp_path / "states.json").read_text())
    assert kept == {device: state for device, state in states.items() if device in kept}
    assert len(kept) == N_DEVICES


WRONG = [
    ({"key": "pump"}, "rows have no column 'pump'; they have"),
    ({"order": "device"}, "key, order and label must be three columns"),
    ({"features": []}, "rows need a column beside key, order and label"),
]


@pytest.fixture(scope="module")
def spark():
    spark = session()
    gateway = spark.sparkContext._gateway
    yield spark
    spark.stop()
    gateway.shutdown()
    gateway.proc.communicate()  # its Java ends with its input


@pytest.mark.parametrize(("changed", "text"), WRONG)
def test_wrong_columns_are_refused(spark, tmp_path, changed, text):
    from shrubs.adapters.spark import prequential

    rows = spark.readStream.schema(ROWS).json(str(tmp_path))
    right = {"key": "device", "order": "at", "label": "alarm"}
    with pytest.raises(ValueError, match=text):
        prequential(rows, make, **{**right, **changed})


def test_another_kind_of_state_store_is_refused(spark, tmp_path):
    from shrubs.adapters.spark import prequential

    rows = spark.readStream.schema(ROWS).json(str(tmp_path))
    name = "spark.sql.streaming.stateStore.providerClass"
    spark.conf.set(name, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStore")
    with pytest.raises(ValueError, match=r"providerClass must be .*RocksDB.*, got '.*HDFS"):
        prequential(rows, make, key="device", order="at", label="alarm")
    spark.conf.set(name, CONFIGURATION[name])


def test_a_row_that_cannot_be_learned_is_named(spark, tmp_path):
    from shrubs.adapters.spark import prequential

    (tmp_path / "rows").mkdir()
    good = {"device": "a", "at": 7, "kind": "b", "alarm": True}
    (tmp_path / "rows" / "0.json").write_text(json.dumps({**good, "heat": 1e300}))
    rows = spark.readStream.schema(ROWS).json(f"{tmp_path}/rows")
    predictions = prequential(rows, make, key="device", order="at", label="alarm")
    query = predictions.writeStream.format("memory").queryName("bad")
    query = query.option("checkpointLocation", f"{tmp_path}/checkpoint")
    with pytest.raises(
        Exception, match="the row of key 'a' and order 7 cannot be learned: feature"
    ):
        query.trigger(availableNow=True).start().awaitTermination()


def test_the_document_runs_as_it_is_written(tmp_path):
    (tmp_path / "rows").mkdir()
    write(random_rows()[:2], tmp_path / "rows")
    blocks = re.findall(r"^```py\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    script = "\n".join([*blocks, "assert learner.examples_seen > 0"])
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, capture_output=True)
    assert list((tmp_path / "predictions").glob("*.json"))
