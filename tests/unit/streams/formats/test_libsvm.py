from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from shrubs.streams import open_stream
from tests.unit.streams.reading import read_all


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_left_out_values_are_zero(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "x.libsvm", "+1 1:0.5 3:2 # note\n\n-1 2:1e1\n"))
    block = read_all(stream)
    np.testing.assert_array_equal(block.X, [[0.5, 0, 2], [0, 10, 0]])
    np.testing.assert_array_equal(block.y, [1, 0])
    assert stream.schema.classes == (-1, 1)
    assert [feature.name for feature in stream.schema.features] == ["1", "2", "3"]


def test_index_zero_makes_indices_count_from_zero(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "x.svm", "1 0:5 2:7\n0 1:6\n"))
    np.testing.assert_array_equal(read_all(stream).X, [[5, 0, 7], [0, 6, 0]])


@pytest.mark.parametrize("zero_based", [True, False])
def test_file_of_scikit_learn_reads_back(tmp_path: Path, zero_based: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.random((3000, 12)) * (rng.random((3000, 12)) < 0.3)
    X[0, [0, -1]] = 1.0  # so that the first and the last index appear
    y = rng.normal(size=3000)
    path = tmp_path / "x.svmlight"
    dump_svmlight_file(X, y, str(path), zero_based=zero_based)
    stream = open_stream(path)
    assert stream.schema.classes is None
    block = read_all(stream)
    np.testing.assert_array_equal(block.X, X.astype(np.float32))
    np.testing.assert_allclose(block.y, y, rtol=1e-14)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("1 2:abc", "'abc' is not a number"),
        ("u 2:1", "'u' is not a number"),
        ("1 2", "'2' is not a pair 'index:value'"),
        ("1 qid:3 2:1", "'qid:3' is not a pair 'index:value'"),
    ],
)
def test_broken_row_names_its_line(tmp_path: Path, row: str, problem: str) -> None:
    path = write(tmp_path / "x.libsvm", f"1 1:1\n# a comment\n{row}\n")
    with pytest.raises(ValueError, match=rf"^x.libsvm, line 3: {problem}$"):
        open_stream(path)


def test_feature_named_nominal_becomes_codes(tmp_path: Path) -> None:
    path = write(tmp_path / "x.libsvm", "1 1:7\n0 1:5 2:1\n1 2:2\n")
    stream = open_stream(path, nominal=["1"])
    assert stream.schema.features[0].categories == ("0", "5", "7")
    np.testing.assert_array_equal(read_all(stream).X[:, 0], [2, 1, 0])


def test_standard_input_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^libsvm cannot be read from standard input"):
        open_stream("-", file_format="libsvm")
