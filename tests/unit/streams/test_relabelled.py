from __future__ import annotations

from pathlib import Path

import pytest

from shrubs.protocols import Stream
from shrubs.streams import open_stream
from shrubs.streams.relabelled import RelabelledStream
from tests.unit.streams.reading import read_all

HEADER = "@relation r\n@attribute a numeric\n@attribute class {2,1}\n@data\n"


def test_labels_have_the_order_and_type_that_are_given(tmp_path: Path) -> None:
    (tmp_path / "x.arff").write_text(HEADER + "0,1\n1,2\n2,2\n")
    declared = open_stream(tmp_path / "x.arff")
    assert declared.schema.classes == ("2", "1")
    stream = RelabelledStream(declared, (1, 2))
    assert isinstance(stream, Stream)
    assert (stream.name, stream.n_examples, stream.schema.classes) == ("x", 3, (1, 2))
    block = read_all(stream, 2)
    assert (block.X[:, 0].tolist(), block.y.tolist()) == ([0, 1, 2], [0, 1, 1])


def test_other_classes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.arff").write_text(HEADER + "0,1\n")
    with pytest.raises(ValueError, match=r"^x must have the classes \(1, 3\), got \['2', '1'\]$"):
        RelabelledStream(open_stream(tmp_path / "x.arff"), (1, 3))
