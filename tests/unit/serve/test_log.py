"""The log: what was appended is there again, whatever happened to its end."""

from __future__ import annotations

import resource
import threading

import pytest

from shrubs.serve.log import Log

RECORDS = [{"n": i, "text": "häß\n" * i} for i in range(5)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log"


def written(path, records=RECORDS):
    log = Log(path)
    log.append(records)
    log.sync()
    log.close()
    return path.read_bytes()


def test_records_come_back_in_order(path):
    written(path)
    log = Log(path)
    log.append([{"n": 5}])
    log.close()
    assert Log(path).records == [*RECORDS, {"n": 5}]


def test_every_torn_end_leaves_the_whole_records(path):
    content = written(path)
    ends = [i for i, byte in enumerate(content, 1) if byte == ord("\n")]
    for length in range(len(content)):
        path.write_bytes(content[:length])
        log = Log(path)
        n_whole = sum(end <= length for end in ends)
        assert log.records == RECORDS[:n_whole]
        log.append([{"again": 1}])
        log.close()
        again = Log(path)
        assert again.records == [*RECORDS[:n_whole], {"again": 1}]
        again.close()


def test_garbage_at_the_end_is_taken_away(path):
    content = written(path)
    path.write_bytes(content + bytes(300) + b'\n00000000 {"n": 7}')
    assert Log(path).records == RECORDS
    assert path.read_bytes() == content


def test_damage_before_whole_records_is_told_with_its_line(path):
    content = written(path)
    path.write_bytes(content.replace(b'"n":2', b'"n":9'))
    with pytest.raises(ValueError, match=r"log, line 3: this record is damaged"):
        Log(path)


def test_replaced_log_holds_what_comes_meanwhile(path):
    log = Log(path)
    log.append(RECORDS)

    def slowly():
        yield {"first": True}
        thread = threading.Thread(target=log.append, args=([{"meanwhile": True}],))
        thread.start()
        thread.join()
        yield {"second": True}

    log.replace(slowly)
    log.append([{"after": True}])
    log.close()
    assert [*map(list, Log(path).records)] == [["first"], ["second"], ["meanwhile"], ["after"]]


def test_full_disk_leaves_no_part_of_a_record(path):
    log = Log(path)
    log.append(RECORDS)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.n_bytes + 10, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            log.append([{"n": "long" * 100}])
        with pytest.raises(OSError, match="File too large"):
            log.check_room()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    log.check_room()
    log.append([{"short": 1}])
    log.close()
    assert Log(path).records == [*RECORDS, {"short": 1}]


def test_closed_log_takes_nothing(path):
    log = Log(path)
    log.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        log.append([{"n": 1}])
