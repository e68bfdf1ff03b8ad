from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from shrubs.protocols import Block, Feature, Schema, Stream
from shrubs.streams import OneHotStream, open_stream
from tests.unit.streams.reading import read_all


def test_indicators_stand_in_the_place_of_their_feature(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,day,b,y\n1,mo,2,u\n3,we,4,v\n5,?,6,u\n7,tu,?,v\n")
    stream = OneHotStream(open_stream(path))
    assert isinstance(stream, Stream)
    names = [feature.name for feature in stream.schema.features]
    assert names == ["a", "day=mo", "day=tu", "day=we", "b"]
    nan = math.nan
    expected = [[1, 1, 0, 0, 2], [3, 0, 0, 1, 4], [5, nan, nan, nan, 6], [7, 0, 1, 0, nan]]
    block = read_all(stream, 2)
    np.testing.assert_array_equal(block.X, np.array(expected, dtype=np.float32))
    assert stream.schema.nominal_features == ()
    assert stream.schema.classes == ("u", "v")
    assert stream.n_examples == 4


class Unnamed:
    name = "unnamed"
    schema = Schema((Feature("a", nominal=True),), (0, 1))
    n_examples = None

    def blocks(self, size: int = 1024) -> list[Block]:
        return []


def test_categories_must_be_known() -> None:
    with pytest.raises(ValueError, match=r"^the categories of the feature 'a' are not known$"):
        OneHotStream(Unnamed())  # type: ignore[arg-type]


def test_more_indicators_than_a_learner_takes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,y\n" + "".join(f"c{i},1,0\n" for i in range(16_384)))
    with pytest.raises(
        ValueError, match=r"at most 16384 features, one for each category makes 163"
    ):
        OneHotStream(open_stream(path))
