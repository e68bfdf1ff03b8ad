import os
import threading
import time

from shrubs.live.lines import GrowingFile, Line, Pipe
from shrubs.streams.formats.limits import MAX_LINE_BYTES


def read(lines, n):
    """The next lines, each done."""
    found = []
    for line in lines:
        if line is not None:
            found.append(line.text)
        if len(found) == n:
            return found
    return found


def test_a_pipe_gives_whole_lines_as_they_come():
    inside, outside = os.pipe()
    lines = Pipe(inside).lines(header=False)
    os.write(outside, b"\xef\xbb\xbfa\r\nb\nc")
    assert [next(lines), next(lines)] == [Line(b"a", 1), Line(b"b", 2)]
    assert next(lines) is None  # nothing came for a moment
    os.write(outside, b"d\n\ne")
    assert [next(lines), next(lines)] == [Line(b"cd", 3), Line(b"", 4)]
    os.close(outside)
    assert list(lines) == [Line(b"e", 5)]
    os.close(inside)


def test_a_line_that_is_too_long_is_not_held():
    inside, outside = os.pipe()

    def write():
        for _ in range(MAX_LINE_BYTES // 2**16 + 3):
            os.write(outside, b"x" * 2**16)
        os.write(outside, b"\nshort\n")
        os.close(outside)

    writer = threading.Thread(target=write)
    writer.start()
    assert [line for line in Pipe(inside).lines(header=False) if line] == [
        Line(None, 1),
        Line(b"short", 2),
    ]
    writer.join()
    os.close(inside)


def test_a_file_is_followed_as_it_grows(tmp_path):
    path = tmp_path / "log"
    path.write_text("a\nb")
    lines = GrowingFile(path).lines(header=False)
    assert read(lines, 1) == [b"a"]
    assert next(lines) is None
    with path.open("a") as file:
        file.write("c\nd\n")
    assert read(lines, 2) == [b"bc", b"d"]


def test_a_file_that_is_cut_begins_again(tmp_path):
    path = tmp_path / "log"
    path.write_text("a\nb\nc")
    growing = GrowingFile(path)
    lines = growing.lines(header=False)
    assert read(lines, 2) == [b"a", b"b"]
    assert next(lines) is None
    path.write_text("x\n")
    assert read(lines, 1) == [b"x"]
    growing.accept()
    assert growing.position()[2:] == (2, 1)


def test_a_file_that_is_renamed_is_read_to_its_end(tmp_path):
    path = tmp_path / "log"
    path.write_text("a\n")
    lines = GrowingFile(path).lines(header=False)
    assert read(lines, 1) == [b"a"]
    path.rename(tmp_path / "log.1")
    assert next(lines) is None
    with (tmp_path / "log.1").open("a") as file:
        file.write("b\nlast")
    path.write_text("c\n")
    assert read(lines, 3) == [b"b", b"last", b"c"]


def test_reading_goes_on_after_the_last_line_that_was_done(tmp_path):
    path = tmp_path / "log"
    path.write_text("head\na\nb\nc\n")
    growing = GrowingFile(path)
    lines = growing.lines(header=True)
    read(lines, 3)
    growing.accept()
    assert read(lines, 1) == [b"c"]  # and never done
    position = growing.position()
    assert position[2:] == (9, 3)
    again = GrowingFile(path, position).lines(header=True)
    assert [next(again), next(again)] == [Line(b"head", 1), Line(b"c", 4)]
    without_header = GrowingFile(path, position).lines(header=False)
    assert next(without_header) == Line(b"c", 4)


def test_a_file_renamed_meanwhile_is_found_again(tmp_path):
    path = tmp_path / "log"
    path.write_text("a\nb\n")
    growing = GrowingFile(path)
    read(growing.lines(header=False), 1)
    growing.accept()
    path.rename(tmp_path / "log.1")
    path.write_text("new\n")
    lines = GrowingFile(path, growing.position()).lines(header=False)
    assert read(lines, 2) == [b"b", b"new"]


def test_another_file_is_read_from_its_beginning(tmp_path):
    path = tmp_path / "log"
    path.write_text("a\nb\n")
    growing = GrowingFile(path)
    read(growing.lines(header=False), 2)
    growing.accept()
    position = growing.position()
    path.write_text("x\ny\nz\n")
    assert read(GrowingFile(path, position).lines(header=False), 3) == [b"x", b"y", b"z"]


def test_only_new_lines_are_taken_from_the_end(tmp_path):
    path = tmp_path / "log"
    path.write_text("head\na\n")
    lines = GrowingFile(path, from_end=True).lines(header=True)
    assert read(lines, 1) == [b"head"]
    assert next(lines) is None
    with path.open("a") as file:
        file.write("b\n")
    began = time.monotonic()
    assert read(lines, 1) == [b"b"]
    assert time.monotonic() - began < 5
