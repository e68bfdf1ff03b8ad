import dataclasses
import json
import lzma
import multiprocessing
import subprocess
import sys
import textwrap

import pytest

from shrubs import MajorityClass, PaperShrubClassifier
from shrubs.experiments.run import run
from shrubs.results import Record, append, mend, read, to_frame
from shrubs.results.record import SCHEMA_VERSION
from tests.unit.evaluation.toys import ToyStream


@pytest.fixture(scope="module")
def record():
    learner = PaperShrubClassifier(max_shrubs=4, window_size=16)
    return run(
        learner,
        ToyStream(300),
        name="shrubs",
        configuration={"max_shrubs": 4, "window_size": 16},
        seed=0,
        stream_options={"n_examples": 300},
    )


def test_a_record_comes_back_as_it_was(tmp_path, record):
    append(tmp_path / "results.jsonl", record)
    assert read(tmp_path / "results.jsonl") == [record]


def test_a_record_is_complete(record):
    assert (record.learner, record.stream, record.n_examples) == ("shrubs", "toy", 300)
    assert record.finished
    assert record.known_drifts == (150,)
    assert record.classes == ("no", "yes")
    assert sum(map(sum, record.confusion)) == 300
    lengths = {len(column) for column in record.trace.values()}
    assert lengths == {len(record.shrubs)}


def test_a_label_is_what_the_run_is_called_and_no_part_of_its_id(record):
    labelled = dataclasses.replace(record, label="SE")
    assert record.label == "shrubs"
    assert Record.from_json(labelled.to_json()).label == "SE"
    assert labelled.run_id == record.run_id


def test_the_run_id_is_of_the_run_not_of_its_outcome(record):
    again = Record.from_json(record.to_json().replace('"finished":true', '"finished":false'))
    other = Record.from_json(record.to_json().replace('"seed":0', '"seed":1'))
    assert again.run_id == record.run_id
    assert other.run_id != record.run_id


def _append_many(path, record, n):
    for _ in range(n):
        append(path, record)


def test_processes_may_append_to_one_file_at_once(tmp_path, record):
    path = tmp_path / "results.jsonl"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append_many, args=(path, record, 40)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert read(path) == [record] * 120


def test_a_full_disk_leaves_whole_records_only(tmp_path, record):
    path = tmp_path / "results.jsonl"
    append(path, record)
    size = path.stat().st_size
    # A limit on the size of files stands for the end of the disk: the second record would fit half.
    program = f"""
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, ({size + size // 2}, {size + size // 2}))
        from shrubs.results import append, read
        try:
            append({str(path)!r}, read({str(path)!r})[0])
        except OSError as error:
            print(error.strerror)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "File too large"
    assert read(path) == [record]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not a line of JSON"),
        ("[]", "line 2: not a record of a run"),
        ('{"schema_version": 99}', "line 2: written by a newer version of shrubs"),
        ('{"schema_version": 1}', "line 2: not a record of a run: it has no learner"),
    ],
)
def test_a_broken_line_is_named(tmp_path, record, line, message):
    path = tmp_path / "results.jsonl"
    path.write_text(record.to_json() + "\n" + line + "\n")
    with pytest.raises(ValueError, match=message):
        read(path)


def test_a_frame_has_a_row_per_run(record):
    frame = to_frame([record, record])
    assert list(frame["learner"]) == ["shrubs", "shrubs"]
    assert frame["configuration.window_size"].tolist() == [16, 16]
    assert frame["accuracy"][0] == record.metrics["accuracy"]


def test_a_baseline_has_no_shrubs():
    record = run(
        MajorityClass(), ToyStream(50), name="m", configuration={}, seed=0, stream_options={}
    )
    assert all(shrubs == [] for shrubs in record.shrubs)


def test_records_of_the_first_schema_are_read(tmp_path, record):
    old = json.loads(record.to_json())
    del old["failure"], old["message"], old["label"]
    old["schema_version"] = 1
    (tmp_path / "results.jsonl").write_text(json.dumps(old) + "\n")
    (read_back,) = read(tmp_path / "results.jsonl")
    assert dataclasses.replace(read_back, schema_version=SCHEMA_VERSION) == record
    assert (read_back.failure, read_back.message) == (None, "")
    assert read_back.label == "shrubs"


def test_a_failed_run_keeps_its_reason(tmp_path, record):
    failed = dataclasses.replace(
        record, failure="time", message="took more than 2 s", metrics={}, n_examples=0
    )
    append(tmp_path / "results.jsonl", failed)
    assert read(tmp_path / "results.jsonl") == [failed]
    assert failed.run_id == record.run_id


def torn(line):
    """What may be at the end of a file, and what is to become of it."""
    return {
        **dict.fromkeys((line[:cut] for cut in (1, 5, len(line) // 2, len(line) - 2)), b""),
        b"": b"",
        line[:50] + bytes(99): b"",
        bytes(4096): b"",
        bytes(99) + line[:50]: b"",
        line[:-1]: line,  # whole, but for its end
        b'{"schema_version": 99, "learner": "of a later version"}': None,
        b"the last line of a text that is no result": None,
    }


@pytest.mark.parametrize("before", [0, 1, 3])
def test_mending_takes_away_half_a_record_and_no_more(tmp_path, record, before):
    path = tmp_path / "results.jsonl"
    line = (record.to_json() + "\n").encode()
    for end, mended in torn(line).items():
        path.write_bytes(before * line + end)
        mend(path)
        assert path.read_bytes() == before * line + (end + b"\n" if mended is None else mended)


@pytest.mark.parametrize("before", [0, 1, 3])
def test_appending_mends_what_was_torn(tmp_path, record, before):
    path = tmp_path / "results.jsonl"
    line = (record.to_json() + "\n").encode()
    for end, mended in torn(line).items():
        path.write_bytes(before * line + end)
        append(path, record)
        kept = end + b"\n" if mended is None else mended
        assert path.read_bytes() == before * line + kept + line
        if mended is not None:
            assert all(each == record for each in read(path))


def test_there_is_nothing_to_mend_without_a_file(tmp_path):
    mend(tmp_path / "results.jsonl")
    assert not (tmp_path / "results.jsonl").exists()


def test_a_compressed_file_reads_like_a_plain_one(record, tmp_path):
    with lzma.open(tmp_path / "results.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(record.to_json() + "\n")
    assert read(tmp_path / "results.jsonl.xz") == [record]


def test_a_directory_gives_its_records_the_plain_ones_first(record, tmp_path):
    with lzma.open(tmp_path / "results.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(record.to_json() + "\n")
    assert read(tmp_path) == [record]
    append(tmp_path / "results.jsonl", record)
    append(tmp_path / "results.jsonl", record)
    assert len(read(tmp_path)) == 2


def test_a_directory_without_records_is_refused_by_name(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"results\.jsonl"):
        read(tmp_path)
