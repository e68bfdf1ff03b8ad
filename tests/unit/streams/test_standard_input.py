from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from shrubs.streams import open_stream
from shrubs.streams.formats import limits
from shrubs.streams.formats.source import SAMPLE_ROWS


class SlowPipe(io.RawIOBase):
    """Gives one line per read, as a process does that flushes after every line."""

    def __init__(self, text: str) -> None:
        self._lines = text.encode().splitlines(keepends=True)
        self.n_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self.n_read == len(self._lines):
            return 0
        line = self._lines[self.n_read]
        buffer[: len(line)] = line
        self.n_read += 1
        return len(line)


def pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> SlowPipe:
    raw = SlowPipe(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))
    return raw


def test_examples_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, "a,b,y\n1,x,u\n2,z,v\n")
    stream = open_stream("-")
    (block,) = stream.blocks()
    np.testing.assert_array_equal(block.X, [[1, 0], [2, 1]])
    np.testing.assert_array_equal(block.y, [0, 1])
    assert stream.name == "stdin"
    assert stream.n_examples is None


def test_classes_and_categories_grow_as_they_appear(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["1,x,u"] * SAMPLE_ROWS + ["2,a,c", "3,x,u"]
    pipe(monkeypatch, "\n".join(["a,b,y", *rows]))
    stream = open_stream("-")
    assert stream.schema.classes == ("u",)
    blocks = list(stream.blocks(SAMPLE_ROWS))
    assert stream.schema.classes == ("u", "c")
    assert stream.schema.features[1].categories == ("x", "a")
    np.testing.assert_array_equal(blocks[-1].y, [1, 0])
    np.testing.assert_array_equal(blocks[-1].X, [[2, 1], [3, 0]])


def test_categories_that_grow_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_CATEGORY_BYTES", 1 << 20)
    pipe(monkeypatch, "a,y\n" + "".join(f"{'x' * 500}{i},0\n" for i in range(3000)))
    stream = open_stream("-")
    with pytest.raises(ValueError, match=r"^standard input: its categories take more than 1 MB"):
        list(stream.blocks())


def test_block_comes_as_soon_as_its_rows_have(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = pipe(monkeypatch, "a,y\n" + "1,0\n2,1\n" * 1000)
    stream = open_stream("-")
    next(stream.blocks(10))
    assert raw.n_read == SAMPLE_ROWS + 1  # the header and the rows that were looked at


def test_standard_input_can_be_read_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, "a,y\n1,0\n2,1\n")
    stream = open_stream("-")
    list(stream.blocks())
    with pytest.raises(ValueError, match=r"^standard input can be read only once$"):
        stream.blocks()


def test_empty_standard_input_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, "")
    with pytest.raises(ValueError, match=r"^standard input: there is nothing to read$"):
        open_stream("-")


def test_broken_row_names_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, "a,y\n" + "1,0\n" * 1000 + "abc,1\n")
    message = r"^standard input, line 1002, column 'a': 'abc' is not a number$"
    with pytest.raises(ValueError, match=message):
        list(open_stream("-").blocks())


def test_arff_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, "@attribute a real\n@attribute y {u,v}\n@data\n1,v\n2,u\n")
    stream = open_stream("-", file_format="arff")
    (block,) = stream.blocks()
    np.testing.assert_array_equal(block.y, [1, 0])


def test_line_ends_and_byte_order_mark_may_be_torn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dribble(SlowPipe):
        def __init__(self, text: str) -> None:
            super().__init__("")
            self._lines = [bytes([byte]) for byte in text.encode()]

    for text in ("\ufeffa,y\r\n1,u\r\n2,v\r\n", "\ufeffa,y\r1,u\r2,v\r", "a,y\n1,u\n2,v"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Dribble(text))))
        stream = open_stream("-")
        assert stream.schema.features[0].name == "a"
        assert sum(len(block) for block in stream.blocks()) == 2


def test_real_pipe_reads_to_its_end() -> None:
    code = (
        "from shrubs.streams import open_stream\n"
        "print(sum(len(block) for block in open_stream('-').blocks(100)))\n"
    )
    text = "a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(100_000))
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True
    )
    assert done.stdout == "100000\n"
